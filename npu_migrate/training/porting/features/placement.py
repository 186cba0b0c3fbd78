"""Sessions that stay on the host although what they run is placed on a GPU.

Source: TensorFlow 1.15 raises InvalidArgumentError for a device that is not there [TF].
"""

from __future__ import annotations

from collections.abc import Iterator

from npu_migrate.index.facts import Call, argument, walk
from npu_migrate.index.names import ancestors, enclosing_function
from npu_migrate.project.once import once
from npu_migrate.project.project import Project
from npu_migrate.project.ref import Ref
from npu_migrate.semantics.flow import activations, externals_called
from npu_migrate.semantics.resolution import Definition
from npu_migrate.training.npu.options.soft_placement import accelerator_devices
from npu_migrate.training.porting.configured import has_entry
from npu_migrate.training.porting.features.found import is_text
from npu_migrate.training.porting.movable import stays_on_host
from npu_migrate.training.porting.session_openings import (
    SessionOpening,
    is_local,
    session_openings,
    sessions_made,
)
from npu_migrate.training.porting.staying.sessions import stays
from npu_migrate.training.reading.read_data import sources_of_fetches
from npu_migrate.training.reading.session_fetches import fetchings_of

_DEVICE = "tensorflow.device"
_DEEPEST = 8
"""How many functions may call each other between a device and what it places."""


def hosted_on_gpu(project: Project) -> Iterator[tuple[SessionOpening, Ref]]:
    """The sessions that are not moved and run something placed on a GPU, with the call that places it."""
    for opening in session_openings(project) if _placing(project) else ():
        files = _files_around(project, opening.call.key)
        if not files:
            continue
        if opening.given is not None and has_entry(project, opening.given):
            continue
        if (
            not stays_on_host(project, opening.call)
            or stays(project, opening)
            or not is_local(project, opening)
        ):
            continue
        device = _device_of(project, opening, files)
        if device is not None:
            yield opening, device


@once
def _files_around(project: Project, key: str) -> frozenset[str]:
    """The files of those programs of a file that place something on a GPU."""
    placing = {home for home, _ in _placing(project)}
    files = (project.programs.by_entry[entry].files for entry in project.programs_of(key))
    return frozenset[str]().union(*(one for one in files if not placing.isdisjoint(one)))


def _device_of(project: Project, opening: SessionOpening, files: frozenset[str]) -> Ref | None:
    found = [one for made in sessions_made(project, opening) for one in fetchings_of(project, made)]
    for call in sources_of_fetches(project, found, files).calls:
        device = _placed_at(project, call, 0)
        if device is not None:
            return device
    return None


@once
def _placing(project: Project) -> dict[tuple[str, int], Ref]:
    """The ``with`` statements that place what is in them on a GPU, with the call that says so."""
    found = {}
    for device in accelerator_devices(project):
        assert isinstance(device.expr, Call)
        given = argument(device.expr, "device_name_or_function", 0)
        facts = project.facts(device.key)
        assert facts is not None and given is not None
        statement = facts.statements[device.statement]
        says = any(is_text(expr, "gpu") for expr in walk(given))
        if says and statement.kind == "With" and any(value is device.expr for value in statement.values):
            found[device.key, device.statement] = device
    return found


def _placed_at(project: Project, call: Ref, depth: int) -> Ref | None:
    """The innermost device around a call, through the functions that it is in, if that is a GPU."""
    facts = project.facts(call.key)
    if facts is None or depth > _DEEPEST:
        return None
    for number in ancestors(facts, call.statement):
        statement = facts.statements[number]
        if statement.kind in ("FunctionDef", "AsyncFunctionDef", "ClassDef"):
            break
        if statement.kind == "With":
            device = _placing(project).get((call.key, number))
            if device is not None:
                return device
            if any(
                _DEVICE in externals_called(project, Ref(call.key, statement.scope, number, value))
                for value in statement.values
                if isinstance(value, Call)
            ):
                return None
    function = enclosing_function(facts, call.scope)
    if not function:
        return None
    for caller in activations(project, Definition(call.key, function)):
        device = _placed_at(project, caller, depth + 1)
        if device is not None:
            return device
    return None
