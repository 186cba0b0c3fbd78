"""The sizes that parts of a dataset are given, which TensorFlow looks at when an iterator starts [TF]."""

from __future__ import annotations

import enum

from npu_migrate.abstract_run.machine.values import A_LENGTH, Arguments, Unknown

_SIZES = {
    "batch": ("batch_size", 0),
    "interleave": ("cycle_length", 1),
    "padded_batch": ("batch_size", 0),
    "shard": ("num_shards", 0),
    "shuffle": ("buffer_size", 0),
    "window": ("size", 0),
}
"""Methods of datasets, each with an argument that must be positive: its name and place [TF]."""


class Size(enum.IntEnum):
    """Whether a size is positive: certainly, or unless something is empty, or certainly not."""

    RIGHT = 0
    MAY_BE_NONE = 1
    WRONG = 2


def size_given(method: str, arguments: Arguments) -> Size:
    """What a method of datasets gets as a size, which TensorFlow looks at when an iterator starts [TF]."""
    known = _SIZES.get(method)
    if known is None:
        return Size.RIGHT
    name, position = known
    positional = arguments.positional
    size = arguments.keywords.get(name, positional[position] if len(positional) > position else None)
    if isinstance(size, int) and size < 1:
        return Size.WRONG
    return Size.MAY_BE_NONE if isinstance(size, Unknown) and size.what == A_LENGTH else Size.RIGHT
