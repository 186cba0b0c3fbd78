"""Programs that hide all GPUs from themselves, by the environment or by a call: they are for the CPU."""

from __future__ import annotations

from npu_migrate.index.facts import NOTHING, Call, Collection, argument
from npu_migrate.index.guards import certainly_runs
from npu_migrate.index.names import ancestors
from npu_migrate.knowledge import gpu_choice
from npu_migrate.project.once import once
from npu_migrate.project.project import Project
from npu_migrate.project.ref import Ref
from npu_migrate.semantics.flow import call_sites
from npu_migrate.semantics.resolution import Definition
from npu_migrate.semantics.values.evaluation import evaluate
from npu_migrate.training.pipelines.reachability import (
    constructions,
    function_of,
    is_main,
    is_reached,
    ways_to,
)
from npu_migrate.training.porting.features.found import (
    calls_among,
    environment_removals,
    environment_stores,
    is_text,
)


@once
def hides_gpus(project: Project, program: str) -> bool:
    """Whether a program hides all GPUs from itself, so that it means to run on the CPU.

    A value decides if it is set in every run of the program, and no other one anywhere in it. One that is set
    in a function which is handed on may be that of another process; a default of the command line is what
    nobody has asked for.
    """
    files = project.programs.by_entry[program].files
    places = {
        ref: hidden
        for ref, hidden in _choices(project)
        if ref.key in files and is_reached(project, ref, program)
    }
    return (
        any(_is_unconditional(project, ref, program) and _is_called(project, ref, program) for ref in places)
        and all(places.values())
        and not any(is_reached(project, ref, program) for ref in _taken_back(project) if ref.key in files)
    )


@once
def _choices(project: Project) -> tuple[tuple[Ref, bool], ...]:
    """Where a program chooses among GPUs, and whether it chooses none of them."""
    stored = ((ref, _hides_all(project, ref)) for ref in visible_devices(project))
    called = ((one.ref, _is_of_none(one.ref)) for one in calls_among(project, gpu_choice.SET_VISIBLE))
    return (*stored, *((ref, hidden) for ref, hidden in called if hidden is not None))


def _is_of_none(call: Ref) -> bool | None:
    """Whether a call chooses no GPU; None if what it chooses are no GPUs."""
    assert isinstance(call.expr, Call)
    devices, kind = argument(call.expr, "devices", 0), argument(call.expr, "device_type", 1)
    is_none = isinstance(devices, Collection) and not devices.items
    if kind is None:
        return None if is_none else False
    return is_none if is_text(kind, gpu_choice.GPU.lower()) else None


def _is_called(project: Project, ref: Ref, program: str) -> bool:
    """Whether calls alone lead to the code at `ref`, with no function that another process may run."""
    return any(
        function.scope == 0 or is_main(project, function, program)
        for function in (function_of(project, one) for one in ways_to(project, ref, _plain_calls))
    )


def _plain_calls(project: Project, function: Definition) -> tuple[Ref, ...]:
    return (*call_sites(project, function), *constructions(project, function))


@once
def _taken_back(project: Project) -> tuple[Ref, ...]:
    """Where the choice among GPUs is removed from the environment again: by ``pop`` or ``del``."""
    return tuple(environment_removals(project, gpu_choice.VISIBLE_DEVICES))


def _is_unconditional(project: Project, ref: Ref, program: str) -> bool:
    """Whether no ``if`` decides over a statement, but for the test that the file is run as a script."""
    started = ref.key == program
    facts = project.facts(ref.key)
    assert facts is not None
    inside = [facts.statements[number] for number in (ref.statement, *ancestors(facts, ref.statement))]
    around = [(facts.statements[one.parent], one.block) for one in inside if one.parent != NOTHING]
    return all(certainly_runs(one.values[0], block, started) for one, block in around if one.kind == "If")


def _hides_all(project: Project, ref: Ref) -> bool:
    known = evaluate(project, ref)
    return not known.is_default and known.every(
        lambda value: isinstance(value, str) and value.strip() in gpu_choice.HIDING_ALL
    )


def visible_devices(project: Project) -> tuple[Ref, ...]:
    """The values that are given to the environment variable which chooses among GPUs."""
    return environment_stores(project, gpu_choice.VISIBLE_DEVICES)
