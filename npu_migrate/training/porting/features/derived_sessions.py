"""Sessions of classes that a program derives from TensorFlow's, and what of them takes the config.

That is the call which makes the session, if its class has no constructor or one that hands all on, or else
the call of TensorFlow's constructor in it. What another constructor does with a config is the program's own
affair: then the session is named and not changed.
"""

from __future__ import annotations

from collections.abc import Iterator

from npu_migrate.index.facts import NOTHING, Attribute, Call, Name, Other, argument, last_name
from npu_migrate.index.names import enclosing_class
from npu_migrate.knowledge import session_configs
from npu_migrate.knowledge import tensorflow as tf
from npu_migrate.project.once import once
from npu_migrate.project.project import Project
from npu_migrate.project.ref import Ref
from npu_migrate.semantics.aliases import aliases_of
from npu_migrate.semantics.flow import call_targets, callee_definitions, origins
from npu_migrate.semantics.inheritance import derived_classes, methods_named, subclasses
from npu_migrate.semantics.parameters import is_super
from npu_migrate.semantics.resolution import Definition, External, all_bases, scope_of
from npu_migrate.semantics.uses import uses
from npu_migrate.training.pipelines.eager import is_eager
from npu_migrate.training.porting.configured import has_entry
from npu_migrate.training.porting.session_openings import SessionOpening, given_config
from npu_migrate.training.porting.staying.cpu_configs import asks_for_cpu
from npu_migrate.training.porting.staying.test_code import in_test
from npu_migrate.training.porting.to_move import ported_programs
from npu_migrate.training.porting.trains import is_trained, optimizes

_CONSTRUCTOR = "__init__"
_PLAIN_BASES = frozenset({"object", "builtins.object"})


@once
def derived_training_sessions(project: Project) -> tuple[Ref, ...]:
    """The calls that make a session of a derived class which trains, and gets no NpuOptimizer entry."""
    found = {id(ref.expr): ref for ref in _find(project)}
    return tuple(sorted(found.values(), key=lambda ref: (ref.key, ref.expr.span)))


def _find(project: Project) -> Iterator[Ref]:
    for owner in derived_classes(project):
        bases = all_bases(project, owner)
        if not any(isinstance(base, External) and base.name in tf.RAW_SESSIONS for base in bases):
            continue
        family = tuple(base for base in bases if isinstance(base, Definition))
        for made in _instances(project, owner):
            if not ported_programs(project, made.key) or in_test(project, made) or is_eager(project, made):
                continue
            settled = any(_settles(project, one) for one in _configs(project, made, family))
            if not settled and _trains(project, made, family):
                yield made


def opening_of(project: Project, made: Ref) -> SessionOpening | None:
    """What opens the derived session that is made at `made`, as a plain session; None if that is not certain.

    If it is in a constructor, all sessions of this class are opened by it.
    """
    assert isinstance(made.expr, Call)
    owners = callee_definitions(project, made, made.expr)
    if len(owners) != 1:
        return None
    bases = {one.name for one in all_bases(project, owners[0]) if isinstance(one, External)}
    constructors = methods_named(project, owners[0], _CONSTRUCTOR)
    if len(bases - _PLAIN_BASES) > 1 or len(constructors) > 1:
        return None
    if not constructors:
        return _plain_opening(project, made)
    (constructor,) = constructors
    facts = project.facts(constructor.key)
    assert facts is not None
    calls = [
        Ref(constructor.key, site.scope, site.statement, site.call)
        for site in facts.calls
        if last_name(site.call.func) == _CONSTRUCTOR and site.scope == constructor.scope
    ]
    if len(calls) != 1 or not _is_of_super(project, calls[0]):
        return None
    return _plain_opening(project, made if _hands_all_on(project, constructor, calls[0]) else calls[0])


def _is_of_super(project: Project, call: Ref) -> bool:
    """Whether a call runs the constructor of the library's class, by ``super()``."""
    return isinstance(call.expr, Call) and is_super(call.expr) and not call_targets(project, call)


def is_for_all(project: Project, opening: SessionOpening) -> bool:
    """Whether all sessions train that `opening`, which is in a constructor, opens."""
    facts = project.facts(opening.call.key)
    assert facts is not None
    owner = enclosing_class(facts, opening.call.scope)
    if owner == NOTHING:
        return True
    known = {id(one.expr) for one in derived_training_sessions(project)}
    base = Definition(opening.call.key, owner)
    made = (one for each in (base, *subclasses(project, base)) for one in _instances(project, each))
    return all(id(one.expr) in known for one in made)


def _plain_opening(project: Project, call: Ref) -> SessionOpening:
    name = "tensorflow.Session"
    taken = session_configs.SESSIONS[name]
    return SessionOpening(call, name, *taken, *given_config(project, call, *taken))


def _hands_all_on(project: Project, constructor: Definition, call: Ref) -> bool:
    """Whether a constructor is ``def __init__(self, *args, **kwargs)`` and gives just these on."""
    _, *parameters = scope_of(project, constructor).parameters
    kinds = {one.kind: one.name for one in parameters}
    if len(kinds) != len(parameters) or not kinds.keys() <= {"varargs", "varkeywords"}:
        return False
    assert isinstance(call.expr, Call)
    given = [one.parts[0] for one in call.expr.args if isinstance(one, Other) and one.kind == "Starred"]
    keywords = [keyword.value for keyword in call.expr.keywords if keyword.name is None]
    if len(given) != len(call.expr.args) or len(keywords) != len(call.expr.keywords):
        return False
    names = {"varargs": given, "varkeywords": keywords}
    return all(
        [one.id if isinstance(one, Name) else "" for one in values]
        == ([kinds[kind]] if kind in kinds else [])
        for kind, values in names.items()
    )


def _instances(project: Project, owner: Definition) -> Iterator[Ref]:
    """The calls that make an instance of a class."""
    names = {scope_of(project, owner).name}
    for name in sorted(names | aliases_of(project, names)):
        for key, site in project.calls_named(name):
            call = Ref(key, site.scope, site.statement, site.call)
            if owner in callee_definitions(project, call, site.call):
                yield call


def _configs(project: Project, made: Ref, family: tuple[Definition, ...]) -> Iterator[Ref]:
    """The configs that a session gets: at its creation, and from the constructors of its classes."""
    keyword, position = session_configs.SESSIONS["tensorflow.Session"]
    takers = [made]
    for owner in family:
        facts = project.facts(owner.key)
        assert facts is not None
        takers += [
            Ref(owner.key, site.scope, site.statement, site.call)
            for site in facts.calls
            if last_name(site.call.func) == _CONSTRUCTOR and enclosing_class(facts, site.scope) == owner.scope
        ]
    for taker in takers:
        given = argument(taker.expr, keyword, position) if isinstance(taker.expr, Call) else None
        if given is not None:
            yield taker._replace(expr=given)


def _settles(project: Project, config: Ref) -> bool:
    """Whether a config has the entry on some way, or says that the session is for the CPU."""
    has_one = any(has_entry(project, origin) for origin in origins(project, config))
    return has_one or asks_for_cpu(project, config)


def _trains(project: Project, made: Ref, family: tuple[Definition, ...]) -> bool:
    """Whether such a session is seen to run a train op, or has methods that run what they are given."""
    if not optimizes(project, made.key):
        return False
    for use in uses(project, made):
        call = project.parent_ref(use.ref) if use.kind == "attribute" else None
        if call is None or not isinstance(call.expr, Call):
            continue
        fetched = argument(call.expr, "fetches", 0)
        if use.name == "run" and fetched is not None and is_trained(project, call._replace(expr=fetched)):
            return True
    return any(_runs_itself(project, owner) for owner in family)


def _runs_itself(project: Project, owner: Definition) -> bool:
    """Whether a method of a class, other than ``run``, runs its own session."""
    facts = project.facts(owner.key)
    assert facts is not None
    for site in facts.calls:
        func = site.call.func
        if not isinstance(func, Attribute) or func.attr != "run":
            continue
        if enclosing_class(facts, site.scope) == owner.scope and last_name(func.value) == "self":
            return True
    return False
