"""Questions whether there is a GPU, and what a program makes of the answer: there is none on the NPU [TF]."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from types import MappingProxyType
from typing import Literal, NamedTuple

from npu_migrate.index.facts import (
    Call,
    Collection,
    Conditional,
    Constant,
    Expr,
    Name,
    Operation,
    Subscript,
    argument,
    walk,
)
from npu_migrate.index.names import ancestors
from npu_migrate.project.once import once
from npu_migrate.project.project import Project
from npu_migrate.project.ref import Ref
from npu_migrate.semantics.dead_code import requirements
from npu_migrate.semantics.flow import externals_called, origins
from npu_migrate.semantics.uses import uses
from npu_migrate.semantics.values.operations import BINARY, FUNCTIONS, UNARY
from npu_migrate.training.porting.features.found import EXITS, Found, calls_among, is_text

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

_UNKNOWN = object()
_ANSWERS: Mapping[str, object] = MappingProxyType(
    {
        "tensorflow.test.is_gpu_available": False,
        "tensorflow.test.gpu_device_name": "",
        "GPUtil.getAvailable": [],
        "GPUtil.getGPUs": [],
        "pynvml.nvmlDeviceGetCount": 0,
        **{name: [] for name in _LISTS},
    }
)
"""What the questions are answered with where there is no GPU [TF]."""

_COMPARING = frozenset({"Eq", "Gt", "GtE", "In", "Is", "IsNot", "Lt", "LtE", "NotEq", "NotIn"})

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
    return tuple(Probe(one.ref, one.name, _answer(project, one.ref)) for one in _questions(project).values())


@once
def _questions(project: Project) -> Mapping[int, Found]:
    return {id(one.ref.expr): one for one in _found(project)}


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


def _answer(project: Project, question: Ref) -> Answer:
    found: list[Answer] = [_of_statement(project, question)]
    if _chooses(project, question):
        found.append("decides")
    for use in uses(project, question):
        is_part = use.kind in ("tested", "contained")
        if is_part or project.statement(use.ref).kind in ("If", "While", "Assert"):
            found.append(_of_statement(project, use.ref))
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


def _of_statement(project: Project, asked: Ref) -> Answer:
    """What a statement makes of the answer, in a condition of which `asked` is a part."""
    facts = project.facts(asked.key)
    assert facts is not None
    statement = facts.statements[asked.statement]
    if statement.kind == "Assert":
        is_met = _holds(project, asked._replace(expr=statement.values[0]))
        return "told" if is_met else "raises"
    if statement.kind not in ("If", "While"):
        return "told"
    inside = (
        Ref(asked.key, one.scope, one.id, one.values[0] if one.values else Constant(None, one.span))
        for one in facts.statements[statement.id + 1 :]
        if one.scope == statement.scope and statement.id in ancestors(facts, one.id)
    )
    giving_up = (one for one in inside if _gives_up(project, one))
    return "raises" if any(_runs_without_gpu(project, one) for one in giving_up) else "decides"


def _gives_up(project: Project, ref: Ref) -> bool:
    kind = project.statement(ref).kind
    return kind == "Raise" or (kind == "Expr" and bool(externals_called(project, ref) & EXITS))


def _runs_without_gpu(project: Project, ref: Ref) -> bool:
    """Whether code may be run where the answer is that there is no GPU."""
    facts = project.facts(ref.key)
    assert facts is not None
    return not any(
        _holds(project, condition) is (not wanted) for condition, wanted in requirements(project, facts, ref)
    )


def _holds(project: Project, condition: Ref) -> bool | None:
    """Whether a condition holds where there is no GPU, as far as it is known what it asks."""
    value = _value(project, condition)
    return None if value is _UNKNOWN else bool(value)


def _value(project: Project, ref: Ref) -> object:
    """What an expression is where there is no GPU: the answer, its length, what it is compared with."""
    expr = ref.expr
    if isinstance(expr, Constant):
        return expr.value
    if isinstance(expr, Collection) and not expr.items:
        return []
    if isinstance(expr, Operation) and expr.operator == "Not":
        return _applied(project, ref, UNARY[expr.operator], expr.operands)
    if isinstance(expr, Operation) and expr.operator in _COMPARING and len(expr.operands) == 2:
        return _applied(project, ref, BINARY[expr.operator], expr.operands)
    if isinstance(expr, Call) and isinstance(expr.func, Name) and expr.func.id in ("bool", "len"):
        return _applied(project, ref, FUNCTIONS[expr.func.id], expr.args)
    made = origins(project, ref)
    asked = _questions(project).get(id(made[0].expr)) if len(made) == 1 and not made[0].path else None
    return _UNKNOWN if asked is None else _answer_without_gpu(asked)


def _applied(
    project: Project, ref: Ref, function: Callable[..., object], operands: tuple[Expr, ...]
) -> object:
    values = [_value(project, ref._replace(expr=one)) for one in operands]
    if any(value is _UNKNOWN for value in values):
        return _UNKNOWN
    try:
        return function(*values)
    except (TypeError, ValueError):
        return _UNKNOWN


def _answer_without_gpu(question: Found) -> object:
    """What a question gives; a list of the devices of all kinds is never empty."""
    assert isinstance(question.ref.expr, Call)
    if question.name in _LISTS and argument(question.ref.expr, "device_type", 0) is None:
        return _UNKNOWN
    return _ANSWERS.get(question.name, _UNKNOWN)
