"""What finished parts leave in cycles is freed before it fills the memory."""

from __future__ import annotations

import gc
import weakref
from collections.abc import Iterator

import pytest

from npu_migrate.engine.memory import MOST_LEFT, free_what_is_left, without_garbage_collection


class Node:
    """An object that holds itself."""

    def __init__(self) -> None:
        self.itself = self


@pytest.fixture(autouse=True)
def resting() -> Iterator[None]:
    with without_garbage_collection():
        gc.collect()
        yield


def test_a_few_cycles_may_stay() -> None:
    left = weakref.ref(Node())
    free_what_is_left()
    assert left() is not None


def test_many_are_freed() -> None:
    left = weakref.ref(Node())
    kept = [[number] for number in range(MOST_LEFT + 1)]
    free_what_is_left()
    assert left() is None
    assert len(kept) > MOST_LEFT
