"""Python's garbage collector, which rests during a run."""

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
