"""Local init ops that scripts bring themselves, which replace the default that initializes tables [TF]."""

from __future__ import annotations

from collections.abc import Iterator

from npu_migrate.index.facts import NOTHING, Attribute, Call, CallSite, Constant, FileFacts, last_name
from npu_migrate.index.names import enclosing_class
from npu_migrate.knowledge import tensorflow as tf
from npu_migrate.project.once import once, once_per_file
from npu_migrate.project.project import Project
from npu_migrate.project.ref import Ref, ref_of_call
from npu_migrate.semantics.calls.passing import passed_objects
from npu_migrate.semantics.flow import externals_called, origins
from npu_migrate.semantics.resolution import Definition, all_bases, definitions, external_names, scope_of
from npu_migrate.training.pipelines.groups import ungrouped
from npu_migrate.training.pipelines.sessions import Session, all_sessions

_TAKERS: dict[str, int] = {
    "tensorflow.train.Scaffold": 5,
    "tensorflow.train.Supervisor": 6,
    "tensorflow.contrib.slim.learning.train": 12,
}
"""Who takes a ``local_init_op``, and at which position [TF]."""

_UNSEEN = (b"LOCAL_INIT_OP", b"._local_init_op", b"def local_init_op")
"""What gives a Scaffold a local init op otherwise: the collection, and overriding what it keeps [TF]."""


@once
def local_init_arguments(project: Project) -> tuple[tuple[Ref, Ref], ...]:
    """Every ``local_init_op`` that is given to a Scaffold, Supervisor or ``slim.learning.train``.

    Pairs of the call and the argument's value. ``None`` is left out where it means the default, which is so
    for a Scaffold: a Supervisor initializes nothing then.
    """
    return tuple(_arguments(project))


def _arguments(project: Project) -> Iterator[tuple[Ref, Ref]]:
    for facts in project.relevant():
        for site in _calls_with_local_init(project, facts):
            ref = ref_of_call(facts.key, site)
            for name in sorted(_taken_by(project, ref)):
                position = None if _is_unbound(ref) else _TAKERS[name]
                for value in passed_objects(project, ref, "local_init_op", position).values:
                    if not (name == tf.SCAFFOLD and is_none(value)):
                        yield ref, value


def _taken_by(project: Project, ref: Ref) -> frozenset[str]:
    """Who takes the local init op of a call: what it calls, or the base class that it initializes."""
    called = externals_called(project, ref)
    owner = _initialized_class(project, ref)
    if owner is not None:
        for base in scope_of(project, owner).bases:
            called |= external_names(project, owner.key, scope_of(project, owner).parent, base)
    return called & _TAKERS.keys()


def _initialized_class(project: Project, ref: Ref) -> Definition | None:
    """The class whose objects a call of a base's ``__init__`` initializes."""
    if not isinstance(ref.expr, Call) or last_name(ref.expr.func) != "__init__":
        return None
    facts = project.facts(ref.key)
    assert facts is not None
    owner = enclosing_class(facts, ref.scope)
    return None if owner == NOTHING else Definition(ref.key, owner)


def _is_unbound(ref: Ref) -> bool:
    """Whether a call names the base class: ``Scaffold.__init__(self, …)``."""
    func = ref.expr.func if isinstance(ref.expr, Call) else None
    return isinstance(func, Attribute) and func.attr == "__init__" and not isinstance(func.value, Call)


def names_local_init_collection(project: Project, key: str) -> bool:
    """Whether the programs of a file name the collection from which a Scaffold takes its local init op, or
    have a Scaffold of their own that gives one.

    What other programs of the tree name says nothing about it.
    """
    near = project.neighbours(key) & (project.ours | project.supporting)
    return any(project.contains(one, word) for one in sorted(near) for word in _UNSEEN)


def is_none(ref: Ref) -> bool:
    """Whether an argument is ``None``."""
    return isinstance(ref.expr, Constant) and ref.expr.value is None


@once_per_file
def _calls_with_local_init(facts: FileFacts) -> tuple[CallSite, ...]:
    return tuple(
        site
        for site in facts.calls
        if len(site.call.args) > min(_TAKERS.values())
        or any(keyword.name in ("local_init_op", None) for keyword in site.call.keywords)
    )


def local_init_ops(project: Project, session: Session | None, key: str) -> tuple[Ref, ...]:
    """The local init ops that the program gives a managed session (None: an Estimator).

    For a session, those of its own Scaffold or Supervisor; for an Estimator, those of the Scaffolds in the
    programs of the file `key`.
    """
    return tuple(
        value for call, value in local_init_arguments(project) if _belongs(project, call, session, key)
    )


def visible_without_tables(project: Project, ref: Ref) -> bool:
    """Whether all parts of the op at `ref` can be seen and none of them initializes tables."""
    for origin in ungrouped(project, ref):
        expr = origin.expr
        if isinstance(expr, Call):
            called = externals_called(project, origin)
            if tf.TABLES_INITIALIZER in called or not any(n.startswith("tensorflow.") for n in called):
                return False
        elif not is_none(origin) and not (isinstance(expr, Attribute) and expr.attr == "initializer"):
            return False
    return True


def _belongs(project: Project, call: Ref, session: Session | None, key: str) -> bool:
    if session is None:
        own = set(project.programs_of(key))
        return tf.SCAFFOLD in _taken_by(project, call) and bool(own & set(project.programs_of(call.key)))
    if session.created.expr is call.expr:
        return True
    created = session.created.expr
    assert isinstance(created, Call)
    holders = [
        keyword.value for keyword in created.keywords if keyword.name in ("scaffold", "session_creator")
    ]
    if isinstance(created.func, Attribute):
        holders.append(created.func.value)
    return _leads_to(project, [session.created._replace(expr=holder) for holder in holders], call)


def _leads_to(project: Project, holders: list[Ref], call: Ref) -> bool:
    """Whether one of `holders` is `call`, or is made with it as its scaffold or first argument."""
    owner = _initialized_class(project, call)
    seen = set()
    stack = list(holders)
    while stack:
        for origin in origins(project, stack.pop()):
            if origin.expr is call.expr or _makes_object_of(project, origin, owner):
                return True
            if isinstance(origin.expr, Call) and id(origin.expr) not in seen:
                seen.add(id(origin.expr))
                given = [item.value for item in origin.expr.keywords if item.name == "scaffold"]
                stack.extend(origin._replace(expr=item) for item in (*given, *origin.expr.args[:1]))
    return False


def _makes_object_of(project: Project, origin: Ref, owner: Definition | None) -> bool:
    """Whether a call makes an object of a class, or of one that derives from it."""
    if owner is None or not isinstance(origin.expr, Call):
        return False
    return any(
        scope_of(project, made).kind == "class" and owner in all_bases(project, made)
        for made in definitions(project, origin.key, origin.scope, origin.expr.func)
    )


def sessions_with(project: Project, call: Ref) -> tuple[Session, ...]:
    """The managed sessions whose Scaffold or Supervisor is made at `call`."""
    return tuple(
        session
        for session in all_sessions(project)
        if session.kind == "managed" and _belongs(project, call, session, call.key)
    )
