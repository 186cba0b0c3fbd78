"""Python's garbage collector, which rests while a part of a tree is planned."""

from __future__ import annotations

import contextlib
import gc
from collections.abc import Iterator


@contextlib.contextmanager
def without_garbage_collection() -> Iterator[None]:
    """Keeps the cyclic garbage collector away for the length of a run.

    Facts are millions of small values without cycles: looking through them again and again costs more than
    building them.
    """
    enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if enabled:
            gc.enable()


MOST_LEFT = 300_000
"""So many containers may be left of finished parts: some 40 MB."""


def free_what_is_left() -> None:
    """Frees the cycles that finished parts have left, once there are many new objects.

    An abstract run ties values to the frames that they live in. Looking for them costs as much as all objects
    that are alive, so it is not done after each part.
    """
    if gc.get_count()[0] > MOST_LEFT:
        gc.collect()
