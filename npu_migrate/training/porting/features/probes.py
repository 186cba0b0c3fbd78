"""Questions whether there is a GPU, and what a program makes of the answer: there is none on the NPU [TF]."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Literal, NamedTuple

from npu_migrate.index.facts import (
    Call,
    Conditional,
    Constant,
    FileFacts,
    Operation,
    Statement,
    Subscript,
    argument,
    walk,
)
from npu_migrate.index.names import ancestors
from npu_migrate.project.once import once
from npu_migrate.project.project import Project
from npu_migrate.project.ref import Ref
from npu_migrate.semantics.uses import uses
from npu_migrate.training.porting.features.found import Found, calls_among, is_text

_PROBES = frozenset(
    {
        "tensorflow.test.is_gpu_available",
        "tensorflow.test.gpu_device_name",
        "tensorflow.test.is_built_with_cuda",
        "tensorflow.python.client.device_lib.list_local_devices",
        "GPUtil.getAvailable",
        "GPUtil.getGPUs",
        "GPUtil.getFirstAvailable",
        "pynvml.nvmlInit",
        "pynvml.nvmlDeviceGetCount",
    }
)
_LISTS = frozenset(
    {
        "tensorflow.config.experimental.list_physical_devices",
        "tensorflow.config.experimental.list_logical_devices",
        "tensorflow.config.list_physical_devices",
    }
)
_SHELLS = frozenset(
    {
        "os.system",
        "os.popen",
        "subprocess.run",
        "subprocess.call",
        "subprocess.check_output",
        "subprocess.Popen",
    }
)

Answer = Literal["raises", "decides", "told"]
"""What becomes of the answer: the program gives up without a GPU, it goes another way, or it only tells."""


class Probe(NamedTuple):
    """A question whether there is a GPU: what is asked, and what becomes of the answer."""

    ref: Ref
    name: str
    answer: Answer


@once
def probes(project: Project) -> tuple[Probe, ...]:
    """The questions of all files, in order of file and place."""
    return tuple(Probe(one.ref, one.name, _answer(project, one.ref)) for one in _found(project))


def _found(project: Project) -> Iterator[Found]:
    yield from calls_among(project, _PROBES)
    for one in calls_among(project, _LISTS):
        assert isinstance(one.ref.expr, Call)
        given = argument(one.ref.expr, "device_type", 0)
        if given is None or is_text(given, "gpu"):
            yield one
    for one in calls_among(project, _SHELLS):
        if any(is_text(expr, "nvidia-smi") for expr in walk(one.ref.expr)):
            yield Found(one.ref, "nvidia-smi")


def _answer(project: Project, ref: Ref) -> Answer:
    facts = project.facts(ref.key)
    assert facts is not None
    found: list[Answer] = [_of_statement(facts, facts.statements[ref.statement])]
    if _chooses(project, ref):
        found.append("decides")
    for use in uses(project, ref):
        there = project.facts(use.ref.key)
        assert there is not None
        statement = there.statements[use.ref.statement]
        if use.kind in ("tested", "contained") or statement.kind in ("If", "While", "Assert"):
            found.append(_of_statement(there, statement))
            if (use.kind == "contained" and _is_indexed(use.ref)) or _chooses(project, use.ref):
                found.append("decides")
    return "raises" if "raises" in found else "decides" if "decides" in found else "told"


def _chooses(project: Project, ref: Ref) -> bool:
    """Whether an answer, or what is worked out of it, is the condition of an ``a if condition else b``.

    To choose the name of a device decides nothing: the NPU takes ops wherever they were placed.
    """
    here = ref
    while not isinstance(here.expr, Conditional):
        around = project.parent_ref(here)
        if around is None:
            return False
        if isinstance(around.expr, Conditional) and around.expr.test is not here.expr:
            return False
        if not isinstance(around.expr, (Conditional, Operation)):
            return False
        here = around
    return not _names_devices(here.expr)


def _names_devices(choice: Conditional) -> bool:
    return all(is_text(one, "gpu") or is_text(one, "cpu") for one in (choice.body, choice.orelse))


def _is_indexed(ref: Ref) -> bool:
    return isinstance(ref.expr, Subscript) and isinstance(ref.expr.item, Constant)


def _of_statement(facts: FileFacts, statement: Statement) -> Answer:
    if statement.kind == "Assert":
        return "raises"
    if statement.kind not in ("If", "While"):
        return "told"
    inside = [one for one in facts.statements if statement.id in ancestors(facts, one.id)]
    return "raises" if any(one.kind == "Raise" for one in inside) else "decides"
