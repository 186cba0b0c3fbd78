"""What one session run needs: TensorFlow's own pruning, repeated in Python."""

from __future__ import annotations

from typing import Any, Iterable, Iterator, NamedTuple, Tuple

Output = Tuple[str, int]
"""An output of an operation: its name and a number."""


class Wanted(NamedTuple):
    """What a run asks for: tensors that are fetched, operations that are run, and tensors that are fed.

    `connected` are fed tensors that get the value of another tensor (Keras does that); it is needed as well.
    """

    fetches: tuple[Any, ...]
    targets: tuple[Any, ...]
    feeds: frozenset[Output] = frozenset()
    connected: tuple[Any, ...] = ()

    def operations(self) -> Iterator[Any]:
        """Where the pruning begins."""
        yield from self.targets
        for tensor in self.fetches + self.connected:
            yield tensor.op


def output_of(tensor: Any) -> Output:
    """The output that `tensor` is."""
    return tensor.op.name, tensor.value_index


def needed(starts: Iterable[Any], feeds: frozenset[Output] = frozenset()) -> list[Any]:
    """What `starts` need, over inputs and control inputs, without what is fed; the starts come first."""
    seen: set[Any] = set()
    order: list[Any] = []
    waiting = list(starts)
    waiting.reverse()
    while waiting:
        operation = waiting.pop()
        if operation in seen:
            continue
        seen.add(operation)
        order.append(operation)
        waiting.extend(operation.control_inputs)
        for tensor in operation.inputs:
            if not feeds or output_of(tensor) not in feeds:
                waiting.append(tensor.op)
    return order


class Pruned:
    """The operations of one run, by their types."""

    def __init__(self, wanted: Wanted) -> None:
        self.wanted = wanted
        self.operations = needed(wanted.operations(), wanted.feeds)
        self._by_type: dict[str, list[Any]] = {}
        for operation in self.operations:
            self._by_type.setdefault(operation.type, []).append(operation)
        self._members: frozenset[Any] | None = None

    def of(self, *types: str) -> list[Any]:
        """The operations of these types."""
        return [operation for name in types for operation in self._by_type.get(name, ())]

    def matching(self, part: str) -> list[Any]:
        """The operations whose type contains `part`."""
        return [operation for name, some in self._by_type.items() if part in name for operation in some]

    @property
    def types(self) -> Iterable[str]:
        """All types there are."""
        return self._by_type.keys()

    def __contains__(self, operation: Any) -> bool:
        if self._members is None:
            self._members = frozenset(self.operations)
        return operation in self._members
