"""What TensorFlow's operations do to variables and tables, by their types."""

from __future__ import annotations

import re
from typing import Any, Iterable, Iterator

from ..graphs.functions import mutated_inputs
from ..graphs.pruning import Pruned

VARIABLES = ("VarHandleOp", "VariableV2", "Variable", "TemporaryVariable")
TABLES = (
    "HashTable",
    "HashTableV2",
    "MutableHashTable",
    "MutableHashTableV2",
    "MutableHashTableOfTensors",
    "MutableHashTableOfTensorsV2",
    "MutableDenseHashTable",
    "MutableDenseHashTableV2",
)
TABLE_INITIALIZERS = (
    "InitializeTable",
    "InitializeTableV2",
    "InitializeTableFromTextFile",
    "InitializeTableFromTextFileV2",
    "LookupTableImport",
    "LookupTableImportV2",
    "LookupTableInsert",
    "LookupTableInsertV2",
)
ITERATORS = ("Iterator", "IteratorV2")
GET_NEXT = ("IteratorGetNext", "IteratorGetNextSync", "IteratorGetNextAsOptional")

_PASSES = frozenset(
    ["Identity", "RefIdentity", "Switch", "RefSwitch", "Enter", "RefEnter", "Merge", "RefMerge", "RefSelect"]
)
_WRITES = re.compile(
    r"^(?:Assign\w*|Scatter(?!Nd$)\w+|Apply\w+|SparseApply\w+|CountUpTo|ResourceCountUpTo|ResourceApply\w+"
    r"|ResourceSparseApply\w+|ResourceScatter\w+|ResourceStridedSliceAssign|StridedSliceAssign)$"
)
_UPDATES = re.compile(r"^(?:Resource)?(?:Sparse)?Apply[A-Z]\w+$")
_CALLS = frozenset(
    ["If", "StatelessIf", "While", "StatelessWhile", "PartitionedCall", "StatefulPartitionedCall", "Case"]
)


def is_update(kind: str) -> bool:
    """Whether an operation of this type is the step of an optimizer."""
    return _UPDATES.match(kind) is not None


def sources(tensor: Any, types: Iterable[str]) -> Iterator[Any]:
    """The operations of `types` that `tensor` stands for, through what only passes it on."""
    seen: set[Any] = set()
    waiting = [tensor.op]
    while waiting:
        operation = waiting.pop()
        if operation in seen:
            continue
        seen.add(operation)
        if operation.type in types:
            yield operation
        elif operation.type in _PASSES:
            waiting.extend(one.op for one in operation.inputs)


def iterators_read(pruned: Pruned) -> list[Any]:
    """The iterators that a run reads from, each once."""
    found: dict[Any, None] = {}
    for operation in pruned.of(*GET_NEXT):
        for iterator in sources(operation.inputs[0], ITERATORS):
            found[iterator] = None
    return list(found)


def assignments(operations: Iterable[Any]) -> dict[Any, Any]:
    """The variables that `operations` write to, each with one that does."""
    found: dict[Any, Any] = {}
    for operation in operations:
        for tensor in _written(operation):
            for variable in sources(tensor, VARIABLES):
                found.setdefault(variable, operation)
    return found


def _written(operation: Any) -> Iterator[Any]:
    if operation.type in _CALLS:
        inputs = list(operation.inputs)
        for position in mutated_inputs(operation, _WRITES):
            if position < len(inputs):
                yield inputs[position]
    elif _WRITES.match(operation.type):
        for tensor in operation.inputs:
            if tensor.dtype.name == "resource" or tensor.dtype._is_ref_dtype:
                yield tensor


def initialized_tables(operations: Iterable[Any]) -> list[Any]:
    """The tables that `operations` fill, each once."""
    found: dict[Any, None] = {}
    for operation in operations:
        if operation.type in TABLE_INITIALIZERS:
            for table in sources(operation.inputs[0], TABLES):
                found[table] = None
    return list(found)
