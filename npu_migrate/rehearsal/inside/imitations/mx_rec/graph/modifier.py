"""The graph behind the iterator is rebuilt: from then on it has another initializer."""

from __future__ import annotations

from typing import Any

import tensorflow as tf
from npu_rehearsal.support.rec_sdk import replace_initializers
from npu_rehearsal.watching import current

from mx_rec.util.initialize import ConfigInitializer


def modify_graph_and_start_emb_cache(full_graph: Any = None, dump_graph: bool = False) -> None:
    graph = full_graph or tf.compat.v1.get_default_graph()
    made = replace_initializers(current.watcher(), graph)
    if not made:
        raise ValueError("Op MakeIterator was not found.")
    config = ConfigInitializer.get_instance().train_params_config
    config.initializers = {True: made[0], False: made[-1]}


class GraphModifierHook(tf.compat.v1.train.SessionRunHook):
    def __init__(self, dump_graph: bool = False, modify_graph: bool = True) -> None:
        self.modify_graph = modify_graph
