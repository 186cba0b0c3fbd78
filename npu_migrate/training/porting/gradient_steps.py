"""Training without an optimizer: variables that the program itself moves along their gradients."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from npu_migrate.index.facts import Attribute, Call, CallSite, argument, last_name
from npu_migrate.project.once import once
from npu_migrate.project.project import Project
from npu_migrate.project.ref import Ref, ref_of_call
from npu_migrate.semantics.contexts import traced
from npu_migrate.semantics.flow import call_targets, externals_called
from npu_migrate.training.pipelines.eager import is_eager
from npu_migrate.training.pipelines.sessions import all_sessions
from npu_migrate.training.reading.read_data import NEAR, runs_fed_back, sources_of_fetches, sources_of_values
from npu_migrate.training.reading.session_fetches import Fetching

_GRADIENTS = "gradients"
_OF_TAPE = "gradient"
_TAPES = frozenset({"tensorflow.GradientTape", "tensorflow.python.eager.backprop.GradientTape"})
_LONGEST_WALK = 300
"""How far it is looked for gradients behind a new value: where a program writes them out, they are near."""

UPDATES = ("assign", "assign_add", "assign_sub", "scatter_add", "scatter_sub", "scatter_update")
_HOMES = frozenset({"tensorflow", "tensorflow.python.ops.state_ops"})
"""Where the functions are; all others of these names are methods of variables."""


@once
def updates_near_gradients(project: Project) -> tuple[Ref, ...]:
    """The calls of ``tf.assign_sub``, ``variable.assign`` and the like in programs that ask for gradients."""
    return tuple(_updates(project))


@once
def gradient_calls(project: Project) -> tuple[Ref, ...]:
    """The calls of ``tf.gradients``, and of a tape in a graph: what gets to none of them makes no gradient
    step."""
    calls = (_ref(key, site) for name in (_GRADIENTS, _OF_TAPE) for key, site in project.calls_named(name))
    return tuple(call for call in calls if _asks(project, call))


def _updates(project: Project) -> Iterator[Ref]:
    near = {one for call in gradient_calls(project) for one in project.neighbours(call.key)}
    for name in UPDATES if near else ():
        for key, site in project.calls_named(name):
            if key in near and not call_targets(project, _ref(key, site)):
                yield _ref(key, site)


def _ref(key: str, site: CallSite) -> Ref:
    return ref_of_call(key, site)


def _asks(project: Project, call: Ref) -> bool:
    """Whether a call of such a name is one of ``tf.gradients``, or of a tape whose program opens sessions.

    Without a session what a tape gives is a value, and who moves a variable along it has trained already.
    """
    names = externals_called(project, call)
    if isinstance(call.expr, Call) and last_name(call.expr.func) == _GRADIENTS:
        return any(name.startswith("tensorflow.") for name in names)
    if all(name.rpartition(".")[0] not in _TAPES for name in names) or is_eager(project, call):
        return False
    near = project.neighbours(call.key)
    return any(session.created.key in near for session in all_sessions(project))


@once
def is_gradient_step(project: Project, update: Ref) -> bool:
    """Whether one of `updates_near_gradients` gives its variable a value that is made from gradients."""
    call = update.expr
    assert isinstance(call, Call)
    homes = {name.rpartition(".")[0] for name in externals_called(project, update)}
    is_function = not homes.isdisjoint(_HOMES)
    if not is_function and not isinstance(call.func, Attribute):
        return False
    if (last_name(call.func) or "").startswith("scatter"):
        # A variable's method takes indices and values as one.
        value = argument(call, "updates", 2) if is_function else argument(call, "sparse_delta", 0)
    else:
        value = argument(call, "value", int(is_function))
    if value is None:
        return False
    made_by = sources_of_values(project, (traced(update._replace(expr=value)),), longest=_LONGEST_WALK)
    return _has_gradients(project, made_by.calls)


def _has_gradients(project: Project, calls: Iterable[Ref]) -> bool:
    return any(
        last_name(one.expr.func) in (_GRADIENTS, _OF_TAPE) and _asks(project, one)
        for one in calls
        if isinstance(one.expr, Call)
    )


def steps_on_the_host(project: Project, runs: Iterable[Fetching]) -> bool:
    """Whether some runs of a session take gradients out of it, and give variables what is made from them:
    an optimizer in NumPy, say, whose steps a run brings back as what it feeds."""
    found = [one for one in runs if _is_near_updates(project, one.session.ref.key)]
    fed = [one for one in found if one.feed is not None and _updates_variables(project, one)]
    if not fed:
        return False
    asking = {id(one.call.expr) for one in found if _has_gradients(project, _made_by(project, one))}
    # What is fed may come from anywhere, so this is asked last.
    feeds = [one.feed for one in fed if one.feed is not None] if asking else []
    return not asking.isdisjoint(runs_fed_back(project, feeds))


@once
def _is_near_updates(project: Project, key: str) -> bool:
    """Whether a program of a file asks for gradients, and another call there gives variables a value."""
    near = project.neighbours(key)
    return any(one.key in near for one in updates_near_gradients(project))


def _updates_variables(project: Project, run: Fetching) -> bool:
    return any(
        isinstance(call.expr, Call)
        and last_name(call.expr.func) in UPDATES
        and not call_targets(project, call)
        for call in _made_by(project, run)
    )


def _made_by(project: Project, run: Fetching) -> tuple[Ref, ...]:
    return sources_of_fetches(project, (run,), longest=NEAR).calls
