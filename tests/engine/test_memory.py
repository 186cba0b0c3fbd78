"""What finished parts leave in cycles is freed before it fills the memory."""

from __future__ import annotations

import gc
import weakref
from collections.abc import Iterator
from pathlib import Path

import pytest

from npu_migrate.engine.installed import installed_machinery
from npu_migrate.engine.memory import MOST_LEFT, free_what_is_left, without_garbage_collection
from npu_migrate.engine.request import Request, prepare
from npu_migrate.engine.run import run
from npu_migrate.index.facts import FileFacts


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


PROGRAM = b"""\
import tensorflow as tf


class Feed:
    def __init__(self, make):
        self.next = make().get_next()
        self.again = self.take

    def take(self):
        return self.next


def made():
    def inner():
        return tf.data.Dataset.range(4).make_one_shot_iterator()

    return [inner for _ in range(2)][0]


feed = Feed(made())
with tf.Session() as sess:
    print(sess.run(feed.take()))
"""


def test_a_planned_part_leaves_no_facts(tmp_path: Path) -> None:
    """They are most of the memory, and the collector comes seldom."""
    (tmp_path / "train.py").write_bytes(PROGRAM)
    job = prepare(Request((str(tmp_path),)), installed_machinery())
    outcome = run(job)
    assert [one.diagnostic.code for one in outcome.diagnosed] == ["NPU101"]
    assert not [one for one in gc.get_objects() if isinstance(one, FileFacts)]
