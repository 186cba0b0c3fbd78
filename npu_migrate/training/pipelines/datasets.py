"""Whether an expression is a ``tf.data`` dataset, and whether that dataset ever ends."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from npu_migrate.index.facts import Attribute, Call, Constant, Name, argument, walk
from npu_migrate.index.names import lookup
from npu_migrate.project.project import Project
from npu_migrate.project.reaching import held_bindings
from npu_migrate.project.ref import Ref
from npu_migrate.semantics.flow import binding_sources, sources_of
from npu_migrate.semantics.resolution import external_names
from npu_migrate.semantics.values.evaluation import evaluate

_MODULES = ("tensorflow.data.", "tensorflow.contrib.data.", "tensorflow.python.data.")
_MAKERS = frozenset(
    {
        "choose_from_datasets",
        "from_generator",
        "from_sparse_tensor_slices",
        "from_tensor_slices",
        "from_tensors",
        "list_files",
        "range",
        "sample_from_datasets",
        "zip",
    }
)
_ENDLESS_MAKERS = frozenset({"Counter", "RandomDataset"})
_METHODS = frozenset(
    {
        "apply",
        "batch",
        "cache",
        "concatenate",
        "enumerate",
        "filter",
        "filter_with_legacy_function",
        "flat_map",
        "interleave",
        "map",
        "map_with_legacy_function",
        "padded_batch",
        "prefetch",
        "repeat",
        "shard",
        "shuffle",
        "skip",
        "take",
        "unbatch",
        "window",
        "with_options",
    }
)
_FROM_MEMORY = frozenset({"from_tensor_slices", "list_files"})
_OF_RECORDS = frozenset({"TFRecordDataset", "TextLineDataset", "FixedLengthRecordDataset"})
_KEEPS_ELEMENTS = frozenset(
    {"cache", "prefetch", "repeat", "shard", "shuffle", "skip", "take", "with_options"}
)
_LONGEST_WALK = 400


class Trace(NamedTuple):
    """What is known of an expression: that it is a dataset for certain, and that it ends for certain."""

    is_dataset: bool
    ends: bool


_NO_DATASET = Trace(False, False)
_NEUTRAL = Trace(True, True)


def trace(project: Project, ref: Ref) -> Trace:
    """Follows `ref` back to where its dataset is made, along every way that may lead to it.

    A name stands for what may have been assigned to it before this place; the order of the steps counts:
    ``repeat`` behind ``batch`` does not make the batched dataset endless.
    """
    return _trace(project, ref, set())


def _trace(project: Project, ref: Ref, seen: set[tuple[int, tuple[int, ...]]]) -> Trace:
    mark = (id(ref.expr), ref.path)
    if mark in seen:
        return _NEUTRAL
    seen.add(mark)
    if len(seen) > _LONGEST_WALK:
        return _NO_DATASET
    if isinstance(ref.expr, Constant) and ref.expr.value is None:
        return _NEUTRAL
    ways = _ways(project, ref)
    if ways is not None:
        return _together([_trace(project, way, seen) for way in ways])
    if isinstance(ref.expr, Call) and not ref.path:
        return _trace_call(project, ref, ref.expr, seen)
    return _NO_DATASET


def _together(found: list[Trace]) -> Trace:
    return Trace(bool(found) and all(t.is_dataset for t in found), all(t.ends for t in found))


def _ways(project: Project, ref: Ref) -> Iterable[Ref] | None:
    """One step back; assignments of a name count only where they may have come before."""
    expr = ref.expr
    if not isinstance(expr, Name):
        return sources_of(project, ref)
    facts = project.facts(ref.key)
    assert facts is not None
    found = lookup(facts, ref.scope, expr.id)
    if found is None:
        return None
    bindings = held_bindings(facts, project.blocks(ref.key), found, expr.id, ref.scope, ref.statement)
    if bindings is None:
        return sources_of(project, ref)
    result: list[Ref] = []
    for binding in bindings:
        step = binding_sources(project, facts, found.scope, expr.id, binding, ref.path)
        if step is None:
            return None
        result.extend(step)
    return result


def _trace_call(project: Project, ref: Ref, call: Call, seen: set[tuple[int, tuple[int, ...]]]) -> Trace:
    names = external_names(project, ref.key, ref.scope, call.func)
    if any(_makes_dataset(name) for name in names):
        last = next(iter(names)).rpartition(".")[2]
        return Trace(True, last not in _ENDLESS_MAKERS and _arguments_end(project, ref, call))
    if names or not isinstance(call.func, Attribute) or call.func.attr not in _METHODS:
        return _NO_DATASET
    before = _trace(project, ref._replace(expr=call.func.value), seen)
    return Trace(before.is_dataset, _ends_after(project, ref, call, call.func.attr, before.ends))


def lies_in_memory(project: Project, ref: Ref) -> bool:
    """Whether the elements of a dataset lie in memory when its iterator starts, along every way.

    These are slices of a tensor and names of files that nothing has been made of yet: no element has to be
    read or decoded.
    """
    return _comes_from(project, ref, _FROM_MEMORY, set())


def holds_records(project: Project, ref: Ref) -> bool:
    """Whether the elements of a dataset are what files hold, along every way: nothing was decoded yet."""
    return _comes_from(project, ref, _FROM_MEMORY | _OF_RECORDS, set())


def _comes_from(
    project: Project, ref: Ref, makers: frozenset[str], seen: set[tuple[int, tuple[int, ...]]]
) -> bool:
    """Whether along every way a dataset is made by one of the `makers`, and keeps its elements."""
    mark = (id(ref.expr), ref.path)
    if mark in seen:
        return True
    seen.add(mark)
    if len(seen) > _LONGEST_WALK:
        return False
    ways = _ways(project, ref)
    if ways is not None:
        return bool(ways) and all(_comes_from(project, way, makers, seen) for way in ways)
    if not isinstance(ref.expr, Call) or ref.path:
        return False
    func = ref.expr.func
    names = external_names(project, ref.key, ref.scope, func)
    if names:
        return all(_makes_dataset(name) and name.rpartition(".")[2] in makers for name in names)
    if not isinstance(func, Attribute) or func.attr not in _KEEPS_ELEMENTS:
        return False
    return _comes_from(project, ref._replace(expr=func.value), makers, seen)


def _makes_dataset(name: str) -> bool:
    last = name.rpartition(".")[2]
    return name.startswith(_MODULES) and (
        last in _MAKERS or last in _ENDLESS_MAKERS or last.endswith(("Dataset", "DatasetV1"))
    )


def _ends_after(project: Project, ref: Ref, call: Call, method: str, before: bool) -> bool:
    if method == "repeat":
        return before and _has_count(project, ref, call, 0)
    if method == "take":
        return True
    if method == "apply":
        return before and _applied_ends(project, ref, call)
    return before and _arguments_end(project, ref, call)


def _has_count(project: Project, ref: Ref, call: Call, position: int) -> bool:
    """Whether a repetition is known to stop: its count is neither left out, nor None, nor -1."""
    count = argument(call, "count", position)
    if count is None:
        return False
    value = evaluate(project, ref._replace(expr=count))
    return value.every(lambda constant: isinstance(constant, int) and constant >= 0)


def _applied_ends(project: Project, ref: Ref, call: Call) -> bool:
    """Whether a transformation given to ``apply`` is one of TensorFlow's that repeats nothing for ever."""
    inner = call.args[0] if call.args else None
    if not isinstance(inner, Call):
        return False
    names = external_names(project, ref.key, ref.scope, inner.func)
    if not names or not all(name.startswith(_MODULES) for name in names):
        return False
    if any(name.endswith("shuffle_and_repeat") for name in names):
        return _has_count(project, ref, inner, 1)
    return _arguments_end(project, ref, inner)


def _arguments_end(project: Project, ref: Ref, call: Call) -> bool:
    """Whether no argument (a dataset, or a function that makes some) repeats for ever, as far as it shows."""
    for given in (*call.args, *(keyword.value for keyword in call.keywords)):
        for part in walk(given):
            if isinstance(part, Call) and isinstance(part.func, Attribute) and part.func.attr == "repeat":
                site = project.site(ref._replace(expr=part))
                if site is None or not _has_count(project, project.ref_of(ref.key, site), part, 0):
                    return False
    return True
