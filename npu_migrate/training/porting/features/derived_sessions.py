"""Sessions of classes that a program derives from TensorFlow's, and what of them takes the config."""

from __future__ import annotations

from collections.abc import Iterator

from npu_migrate.index.facts import Attribute, Call, argument, last_name
from npu_migrate.index.names import enclosing_class
from npu_migrate.knowledge import session_configs
from npu_migrate.knowledge import tensorflow as tf
from npu_migrate.project.once import once
from npu_migrate.project.project import Project
from npu_migrate.project.ref import Ref, ref_of_call
from npu_migrate.semantics.flow import origins
from npu_migrate.semantics.inheritance import derived_classes
from npu_migrate.semantics.resolution import Definition, External, all_bases
from npu_migrate.semantics.uses import uses
from npu_migrate.training.pipelines.eager import is_eager
from npu_migrate.training.porting.configured import has_entry
from npu_migrate.training.porting.features.constructors import (
    CONSTRUCTOR,
    construction,
    instances,
    made_by,
)
from npu_migrate.training.porting.session_openings import SessionOpening, given_config
from npu_migrate.training.porting.staying.cpu_configs import asks_for_cpu
from npu_migrate.training.porting.staying.test_code import in_test
from npu_migrate.training.porting.to_move import ported_programs
from npu_migrate.training.porting.train_ops import optimizes
from npu_migrate.training.porting.trains import fetch_trains


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
        for made in instances(project, owner):
            if not ported_programs(project, made.key) or in_test(project, made) or is_eager(project, made):
                continue
            settled = any(_settles(project, one) for one in _configs(project, made, family))
            if not settled and _trains(project, made, family):
                yield made


def opening_of(project: Project, made: Ref) -> SessionOpening | None:
    """What opens the derived session that is made at `made`, as a plain session; None if that is not certain.

    If it is in a constructor, all sessions of this class are opened by it.
    """
    constructing = construction(project, made)
    if constructing is None or constructing.base not in tf.RAW_SESSIONS:
        return None
    taken = session_configs.SESSIONS[constructing.base]
    call = constructing.call
    return SessionOpening(call, constructing.base, *taken, *given_config(project, call, *taken))


def is_for_all(project: Project, opening: SessionOpening) -> bool:
    """Whether all sessions train that `opening`, which is in a constructor, opens."""
    known = {id(one.expr) for one in derived_training_sessions(project)}
    return all(id(one.expr) in known for one in made_by(project, opening.call))


def _configs(project: Project, made: Ref, family: tuple[Definition, ...]) -> Iterator[Ref]:
    """The configs that a session gets: at its creation, and from the constructors of its classes."""
    keyword, position = session_configs.SESSIONS["tensorflow.Session"]
    takers = [made]
    for owner in family:
        facts = project.facts(owner.key)
        assert facts is not None
        takers += [
            ref_of_call(owner.key, site)
            for site in facts.calls
            if last_name(site.call.func) == CONSTRUCTOR and enclosing_class(facts, site.scope) == owner.scope
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
        if use.name == "run" and fetched is not None and fetch_trains(project, call._replace(expr=fetched)):
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
