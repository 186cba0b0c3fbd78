"""Whether a session may run an op that changes variables, as one that trains does."""

from __future__ import annotations

from collections.abc import Iterator

from npu_migrate.index.facts import Attribute, Call, Lambda, Name, argument, last_name, walk
from npu_migrate.index.names import spelled
from npu_migrate.knowledge import tensorflow as tf
from npu_migrate.project.once import once, once_at
from npu_migrate.project.project import Project
from npu_migrate.project.ref import Ref, ref_of_call
from npu_migrate.semantics.contexts import traced
from npu_migrate.semantics.flow import externals_called, origins
from npu_migrate.semantics.resolution import Definition, definitions
from npu_migrate.semantics.uses import Use, uses
from npu_migrate.training.pipelines.partition.executions import Execution, receiver_of, runs
from npu_migrate.training.pipelines.partition.op_parts import Kind, alternatives, kind_of
from npu_migrate.training.pipelines.reachability import calls_seen, function_of, is_reached, ways_to
from npu_migrate.training.pipelines.sessions import Session, leaves_session_alone
from npu_migrate.training.reading.fields_by_name import is_of_unknown_class
from npu_migrate.training.reading.read_data import NEAR, sources_of_values

_CHANGING = (
    "minimize",
    "apply_gradients",
    "create_train_op",
    "optimize_loss",
    "assign",
    "assign_add",
    "assign_sub",
    "scatter_update",
    "scatter_add",
    "scatter_sub",
    "import_meta_graph",
    "import_graph_def",
    "fit",
    "train_on_batch",
)
"""What makes an op that changes variables, or brings one along."""

_PREPARED = ("make_callable", "partial_run_setup")
_KERAS_SESSION = "set_session"
_OUT_OF_SIGHT = ("stored", "returned", "contained")


def may_change_variables(project: Project, session: Session) -> bool:
    """Whether a session may run an op that changes variables, initializers aside; in doubt it may."""
    near = project.neighbours(session.key)
    own = [one for one in _all_runs(project) if one.call.key in near and _runs_in(project, one, session)]
    leaves = [part.leaf for one in own for parts in alternatives(project, one.op) for part in parts]
    others = [leaf for leaf in leaves if kind_of(project, leaf) is Kind.OTHER]
    unclear = [leaf for leaf in others if not _is_plain(project, leaf)]
    if any(_comes_from_outside(project, leaf) for leaf in unclear):
        return True
    made = {id(call.expr): call for leaf in leaves for call in (leaf, *_made_by(project, leaf))}
    if any(map(_changes_variables, leaves)) or any(_trains(project, call) for call in made.values()):
        return True
    if own and not unclear and not _is_run_elsewhere(project, session):
        return False
    nearest_first = sorted(_makers(project), key=lambda ref: ref.key != session.key)
    return any(_is_in_reach(project, ref, session) for ref in nearest_first)


@once
def _all_runs(project: Project) -> tuple[Execution, ...]:
    """Every run, and every op that is prepared to be run later: by ``make_callable``, or in parts."""
    return (*runs(project), *_prepared(project))


def _prepared(project: Project) -> Iterator[Execution]:
    for name in _PREPARED:
        for key, site in project.calls_named(name):
            fetched = argument(site.call, "fetches", 0)
            if fetched is not None and isinstance(site.call.func, Attribute):
                ref = ref_of_call(key, site)
                yield Execution("run", ref, ref._replace(expr=fetched))


def _is_run_elsewhere(project: Project, session: Session) -> bool:
    """Whether somebody gets the session who may run it out of sight."""
    return any(_gets_out_of_sight(project, use) for use in uses(project, session.created))


def _gets_out_of_sight(project: Project, use: Use) -> bool:
    if use.kind != "argument":
        return use.kind in _OUT_OF_SIGHT
    if leaves_session_alone(use):
        return False
    names = externals_called(project, use.ref)
    return not names or any(
        name.endswith(_KERAS_SESSION) or not name.startswith("tensorflow.") for name in names
    )


@once
def _makers(project: Project) -> tuple[Ref, ...]:
    return tuple(ref_of_call(key, site) for name in _CHANGING for key, site in project.calls_named(name))


def _is_in_reach(project: Project, ref: Ref, session: Session) -> bool:
    """Whether a program of the session gets to the code at `ref`."""
    programs = set(project.programs_of(ref.key)).intersection(project.programs_of(session.key))
    return any(is_reached(project, ref, program) for program in sorted(programs))


def _runs_in(project: Project, execution: Execution, session: Session) -> bool:
    receiver = receiver_of(execution)
    if receiver is None:
        return True
    facts = project.facts(execution.call.key)
    assert facts is not None
    scope = facts.statements[execution.call.statement].scope
    if (execution.call.key, scope) == (session.key, session.scope) and session.text is not None:
        return spelled(receiver.expr) == session.text
    found = origins(project, receiver)
    return any(origin.expr is session.created.expr or not isinstance(origin.expr, Call) for origin in found)


def _is_plain(project: Project, ref: Ref) -> bool:
    """Whether what is fetched is the result of a plain TensorFlow function, or of a method of an iterator."""
    call = ref.expr
    if not isinstance(call, Call) or last_name(call.func) in _CHANGING:
        return False
    if isinstance(call.func, Attribute) and call.func.attr in ("get_next", "string_handle"):
        return True
    return any(name.startswith("tensorflow.") for name in externals_called(project, ref))


@once_at
def _made_by(project: Project, fetched: Ref) -> tuple[Ref, ...]:
    """The calls that something is made by, as far as the iterators that it reads."""
    if kind_of(project, fetched) is not Kind.OTHER:
        return ()
    return sources_of_values(project, [traced(fetched)], longest=NEAR, end="data").calls


def _trains(project: Project, call: Ref) -> bool:
    """Whether a call makes a train op, or gets a function that does: ``tf.cond(test, train, wait)``."""
    if not isinstance(call.expr, Call):
        return False
    if last_name(call.expr.func) in tf.OPTIMIZING:
        return True
    for given in (*call.expr.args, *(one.value for one in call.expr.keywords)):
        if isinstance(given, Lambda):
            inside = [one for one in walk(given.body) if isinstance(one, Call)]
            if any(_leads_to_train_op(project, call, one) for one in inside):
                return True
        elif not _leading_to_train_ops(project).isdisjoint(definitions(project, call.key, call.scope, given)):
            return True
    return False


def _leads_to_train_op(project: Project, around: Ref, call: Call) -> bool:
    if last_name(call.func) in tf.OPTIMIZING:
        return True
    called = definitions(project, around.key, around.scope, call.func)
    return not _leading_to_train_ops(project).isdisjoint(called)


@once
def _leading_to_train_ops(project: Project) -> frozenset[Definition]:
    """The functions that are seen to lead to a call that makes a train op."""
    return frozenset(
        function_of(project, one)
        for maker in _makers(project)
        if isinstance(maker.expr, Call) and last_name(maker.expr.func) in tf.OPTIMIZING
        for one in ways_to(project, maker, calls_seen)
    )


def _changes_variables(ref: Ref) -> bool:
    return isinstance(ref.expr, Call) and last_name(ref.expr.func) in _CHANGING


def _comes_from_outside(project: Project, ref: Ref) -> bool:
    """Whether what is fetched is made by another library, given by a caller that is not seen, or a field of
    an object of which nobody sees the class."""
    expr = ref.expr
    if isinstance(expr, Call):
        called = externals_called(project, ref)
        return bool(called) and not any(name.startswith("tensorflow.") for name in called)
    if isinstance(expr, Attribute):
        return is_of_unknown_class(project, ref._replace(expr=expr.value, path=()))
    return isinstance(expr, Name)
