"""A path that is over holds nothing of the project: only its log is left, without the garbage collector."""

from __future__ import annotations

import weakref

from npu_migrate.abstract_run.judging import Originals
from npu_migrate.engine.memory import without_garbage_collection
from tests.abstract_run.judged import project_of

PROGRAM = b"""
import tensorflow as tf


class Model:
    def __init__(self):
        self.made = self.build

    def build(self):
        return tf.data.Dataset.range(3).make_one_shot_iterator().get_next()


def train(model):
    def again():
        return train

    with tf.Session() as sess:
        sess.run(model.made())
    return again


train(Model())
"""


def test_a_project_is_freed_when_its_paths_are_over() -> None:
    with without_garbage_collection():
        project = project_of({"train.py": PROGRAM})
        path = Originals(project).path("/project/train.py", (), frozenset())
        assert [event.kind for event in path.log.events], "something happened"
        left = weakref.ref(project)
        del project
        assert left() is None
