"""Two runs of the same script fetch the same, also if the second graph has more operations."""

from __future__ import annotations

import importlib
import random
import sys
from typing import Any

SEED = 1234


def install(tensorflow: Any) -> None:
    """Seed what has no seed, and let variables be resources, whose reads do not race with their updates.

    The k-th random operation of a graph that has no seed of its own gets k, however many operations the graph
    has: TensorFlow would count all of them.
    """
    tensorflow.compat.v1.enable_resource_variables()
    random.seed(SEED)
    importlib.import_module("numpy").random.seed(SEED)
    module: Any = importlib.import_module("tensorflow.python.framework.random_seed")
    ops = importlib.import_module("tensorflow.python.framework.ops")
    original = module.get_seed

    def get_seed(op_seed: Any) -> tuple[Any, Any]:
        graph = ops.get_default_graph()
        # It wants to know whether there is a seed, and makes no random operation.
        asks_only = sys._getframe(1).f_code.co_name == "_make_one_shot_iterator"
        if asks_only or op_seed is not None or importlib.import_module("tensorflow").executing_eagerly():
            found: tuple[Any, Any] = original(op_seed)
            return found
        drawn = getattr(graph, "_npu_rehearsal_drawn", 0) + 1
        graph._npu_rehearsal_drawn = drawn
        return (SEED if graph.seed is None else graph.seed), drawn

    module.get_seed = get_seed
