"""The loop on the device, as scripts make it."""

from __future__ import annotations

from typing import Any

import tensorflow as tf

from ..graphs.marks import ITERATION_OP, Loop, marks_of
from ..judging import loops
from ..sessions.sessions import session_of
from ..watching.watcher import Watcher

__all__ = ["ITERATION_OP", "create", "load"]


def create(watcher: Watcher, train_op: Any) -> Any:
    """The operation that stands for N runs of `train_op`."""
    graph, place = train_op.graph, watcher.places.here()
    marks = marks_of(graph)
    watcher.tell_all(loops.judge_made(train_op, marks, place))
    with graph.as_default():
        made = tf.group(train_op, name=ITERATION_OP)
    marks.loops.append(Loop(made, train_op, place))
    return made


def load(watcher: Watcher, session: Any, n: int) -> None:
    """The session's loop gets its N."""
    known = session_of(session)
    if known is None or not known.options.reaches_npu:
        return
    known.loop, known.loop_place = n, watcher.places.here()
    watcher.tell_all(loops.judge_loaded(known, n, known.loop_place), known)
