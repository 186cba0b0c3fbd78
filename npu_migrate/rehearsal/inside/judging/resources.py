"""A dataset runs on the host, where what was initialized on the device does not exist."""

from __future__ import annotations

from typing import Any, Iterator

from ..events import Refusal, Verdict
from ..graphs.operations import TABLES, VARIABLES
from ..graphs.pruning import Pruned, needed
from ..sessions.sessions import Dataset
from .seen import Seen


def dataset_of(maker: Any, pruned: Pruned) -> Dataset:
    """What an iterator gets from the operation that initializes it."""
    operations = needed([maker.inputs[0].op], pruned.wanted.feeds)
    return Dataset(
        tuple(operations),
        tuple(one for one in operations if one.type in TABLES),
        tuple(one for one in operations if one.type in VARIABLES),
    )


def judge_reading(seen: Seen) -> Iterator[Verdict]:
    """The verdicts on a run that gets the next elements of iterators."""
    for iterator in seen.run.iterators:
        dataset = seen.session.state.datasets.get(iterator)
        if dataset is not None:
            yield from _tables(seen, dataset)
            yield from _variables(seen, dataset)


def judge_initialization(seen: Seen) -> Iterator[Verdict]:
    """The verdicts on a run that initializes iterators: the arguments of their datasets are computed then."""
    for _, dataset in seen.run.makers:
        yield from _variables(seen, dataset, "ReadVariableOp", "Identity", "RefIdentity")


def _tables(seen: Seen, dataset: Dataset) -> Iterator[Verdict]:
    if seen.session.options.mixed:
        return
    for table in dataset.tables:
        if seen.session.state.only_on_device(table.name):
            user = _user(dataset, table)
            yield Verdict(
                "NPU109",
                "table-in-dataset",
                "error",
                {"table": table.name, "function": user.name},
                seen.line_of(user),
                ((seen.places.of_operation(table), "table"),),
                Refusal("Table not initialized.", "FailedPreconditionError"),
            )


def _variables(seen: Seen, dataset: Dataset, *readers: str) -> Iterator[Verdict]:
    for variable in dataset.variables:
        if not seen.session.state.only_on_device(variable.name):
            continue
        if readers and not any(_reads(one, variable) and one.type in readers for one in dataset.operations):
            continue
        user = _user(dataset, variable)
        name = variable.outputs[0].name
        yield Verdict(
            "NPU109",
            "variable-in-dataset",
            "error",
            {"variable": name, "function": user.name},
            seen.line_of(user),
            ((seen.places.of_operation(variable), "variable"),),
            Refusal("Attempting to use uninitialized value " + name, "FailedPreconditionError"),
        )


def _reads(operation: Any, source: Any) -> bool:
    return any(tensor.op is source for tensor in operation.inputs)


def _user(dataset: Dataset, resource: Any) -> Any:
    """The operation of the dataset that `resource` goes into, through what reads or converts it."""
    reached = [resource]
    for source in reached:
        for operation in dataset.operations:
            if operation not in reached and _reads(operation, source):
                if "Dataset" in operation.type:
                    return operation
                reached.append(operation)
    return resource
