"""Sessions and configs that are for the CPU for one caller, or on one way, and not on others."""

from __future__ import annotations

from collections.abc import Iterator

from npu_migrate.index.facts import NOTHING, Call, Conditional, Constant, Operation, Statement
from npu_migrate.index.names import ancestors
from npu_migrate.knowledge import session_configs
from npu_migrate.project.project import Project
from npu_migrate.project.reaching import leaves
from npu_migrate.project.ref import Ref
from npu_migrate.semantics.contexts import Traced, ends, traced, ways
from npu_migrate.semantics.flow import externals_called
from npu_migrate.training.porting.session_openings import SessionOpening
from npu_migrate.training.porting.staying.cpu_configs import asks_for_cpu
from npu_migrate.training.porting.trains import fetched_by, run_trains

_BRANCHES = ("body", "orelse")


def trains_for_others(project: Project, opening: SessionOpening) -> bool:
    """Whether a session, which asks for the CPU for some callers of its helper, trains for others.

    Where its runs, or for whom they are, cannot all be seen, it may, if some callers do not ask for the CPU.
    """
    given = opening.given
    if given is None:
        return False
    fetched = fetched_by(project, opening)
    for run in fetched.fetchings:
        config = run.session._replace(ref=given._replace(path=()), keys=given.path)
        if may_be_off_the_cpu(project, config) and run_trains(project, run):
            return True
    return not fetched.complete and may_be_off_the_cpu(project, traced(given))


def chooses_the_cpu(project: Project, config: Ref | None) -> bool:
    """Whether a config is one for the CPU, or another one."""
    if config is None or not asks_for_cpu(project, config):
        return False
    return may_be_off_the_cpu(project, traced(config))


def may_be_off_the_cpu(project: Project, config: Traced) -> bool:
    """Whether some callers are seen to give a config none of which asks for the CPU, or to have the choice.

    What a constant decides is no choice, and what comes from further away none that is seen: who gives None,
    say, may get a config for the CPU in its place.
    """
    asking, others = set[frozenset[object]](), set[frozenset[object]]()
    chosen, left_out = _arms(project, config)
    for end in ends(project, config):
        if id(end.ref.expr) in left_out or _is_left_out(project, end):
            continue
        chain = frozenset(None if one.call is None else id(one.call.expr) for one in end.assumed)
        if asks_for_cpu(project, end.ref):
            asking.add(chain)
        elif id(end.ref.expr) in chosen or _makes_config(project, end):
            return True
        else:
            others.add(chain)
    return any(not any(one <= other or other <= one for one in asking) for other in others)


def _makes_config(project: Project, end: Traced) -> bool:
    is_call = isinstance(end.ref.expr, Call) and not end.keys
    return is_call and not externals_called(project, end.ref).isdisjoint(session_configs.CONFIG_PROTOS)


def _arms(project: Project, config: Traced) -> tuple[frozenset[int], frozenset[int]]:
    """What ``A if test else B`` gives for a config: what is written there, and all that a known test leaves
    out."""
    chosen, left_out = set[int](), set[int]()
    for way in ways(project, config):
        expr = way.ref.expr
        if isinstance(expr, Conditional):
            chosen.update((id(expr.body), id(expr.orelse)))
            held = _holds(project, way.at(expr.test))
            if held is not None:
                out = ends(project, way.at(expr.orelse if held else expr.body))
                left_out.update(id(one.ref.expr) for one in out)
    return frozenset(chosen), frozenset(left_out)


def _is_left_out(project: Project, end: Traced) -> bool:
    """Whether a value is made where this way of the program does not come by: in the other branch of a test
    that is decided, or behind a branch that ends the function."""
    return any(
        _holds(project, end._replace(ref=test, keys=())) is (not wanted)
        for test, wanted in _conditions(project, end.ref)
    )


def _conditions(project: Project, place: Ref) -> Iterator[tuple[Ref, bool]]:
    """The tests that have to come out so that the code at `place` runs."""
    facts = project.facts(place.key)
    assert facts is not None
    blocks = project.blocks(place.key)
    for number in (place.statement, *ancestors(facts, place.statement)):
        inner = facts.statements[number]
        if inner.parent != NOTHING and facts.statements[inner.parent].kind == "If":
            yield _test_of(place, facts.statements[inner.parent]), inner.block == "body"
        for before in blocks.get((inner.parent, inner.block), ())[: inner.position]:
            for branch in _BRANCHES if before.kind == "If" else ():
                if leaves(blocks, blocks.get((before.id, branch), ())):
                    yield _test_of(place, before), branch != "body"


def _test_of(place: Ref, branching: Statement) -> Ref:
    return Ref(place.key, branching.scope, branching.id, branching.values[0])


def _holds(project: Project, asked: Traced) -> bool | None:
    """Whether a test holds, if it is a constant, or the opposite of one, that all of this way have given."""
    test = asked.ref.expr
    if isinstance(test, Operation) and test.operator == "Not":
        held = _holds(project, asked.at(test.operands[0]))
        return None if held is None else not held
    values = [
        bool(end.ref.expr.value) if isinstance(end.ref.expr, Constant) and not end.keys else None
        for end in ends(project, asked)
    ]
    return values[0] if len(set(values)) == 1 else None
