"""Which tensors are gradients: TensorFlow is asked when it makes them."""

from __future__ import annotations

import importlib
from typing import Any

from ..graphs.marks import marks_of


def install() -> None:
    """From now on the gradients of a graph, and what they were taken of, are marked."""
    module: Any = importlib.import_module("tensorflow.python.ops.gradients_util")
    original = module._GradientsHelper

    def gradients_helper(ys: Any, *args: Any, **kwargs: Any) -> Any:
        found = original(ys, *args, **kwargs)
        for tensor in [*(ys if isinstance(ys, (list, tuple)) else [ys]), *found]:
            # Slices of sparse gradients have their values in a tensor of their own.
            operation = getattr(getattr(tensor, "values", tensor), "op", None)
            if operation is not None:
                marks_of(operation.graph).gradients[operation] = None
        return found

    module._GradientsHelper = gradients_helper
