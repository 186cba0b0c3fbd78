"""The module that fixes add to a project, under TensorFlow: iterators that sessions initialize on first use.

Each program runs twice, with one-shot iterators and with those of the module, and prints the same.
"""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest
from programs_on_first_use import PROGRAMS
from runtime.worlds import Job, Worlds, available_worlds, series

from npu_migrate.rewrite.modules import text_of

TEXT = text_of("first_use_iterator")
ONE_SHOT = "make = tf.compat.v1.data.make_one_shot_iterator"
FIRST_USE = "from first_use_iterator import make"
HEAD = """\
import tensorflow as tf
{made}

Dataset = tf.compat.v1.data.Dataset


def drained(session, fetches):
    values = []
    while True:
        try:
            values.append(session.run(fetches))
        except tf.errors.OutOfRangeError:
            return values


"""
RUNS = [(name, world) for name in PROGRAMS for world in available_worlds()]


def job(folder: Path, made: str, body: str) -> Job:
    folder.mkdir()
    (folder / "first_use_iterator.py").write_text(TEXT, "utf-8")
    (folder / "train.py").write_text(HEAD.format(made=made) + body, "utf-8")
    return Job(str(folder), "train.py")


@pytest.mark.parametrize(("name", "world"), RUNS)
def test_a_program_does_the_same_as_with_one_shot_iterators(
    name: str, world: str, worlds: Worlds, tmp_path: Path
) -> None:
    jobs = (job(tmp_path / "one", ONE_SHOT, PROGRAMS[name]), job(tmp_path / "two", FIRST_USE, PROGRAMS[name]))
    before, after = (worlds[world].run(one) for one in jobs)
    assert series([before])
    assert series([after]) == series([before])


@pytest.mark.parametrize("world", available_worlds())
def test_the_initializer_gets_a_run_of_its_own_and_no_op_comes_later(
    world: str, worlds: Worlds, tmp_path: Path
) -> None:
    body = """
from tensorflow.python.client import session as session_module

variable = tf.compat.v1.get_variable("v", [], initializer=tf.compat.v1.zeros_initializer())
value = make(Dataset.range(3)).get_next()
init = tf.compat.v1.global_variables_initializer()
count = len(tf.compat.v1.get_default_graph().get_operations())
inner = session_module.BaseSession._call_tf_sessionrun


def seen(self, options, feeds, fetches, targets, metadata):
    print(len(fetches), len(targets))
    return inner(self, options, feeds, fetches, targets, metadata)


session_module.BaseSession._call_tf_sessionrun = seen
with tf.compat.v1.Session() as session:
    session.run([init, value])
    session.run(value)
print(len(tf.compat.v1.get_default_graph().get_operations()) == count)
"""
    outcome = worlds[world].run(job(tmp_path / "one", FIRST_USE, body))
    assert series([outcome]).split("\n") == ["0 1", "1 1", "1 0", "True", ""]


@pytest.mark.parametrize("world", available_worlds())
def test_several_threads_initialize_once(world: str, worlds: Worlds, tmp_path: Path) -> None:
    body = """
import threading

value = make(Dataset.range(400)).get_next()
others = [value + number for number in range(20)]
with tf.compat.v1.Session() as session:
    found = []

    def run(other):
        for _ in range(20):
            found.append(session.run([other, value])[1])

    threads = [threading.Thread(target=run, args=(one,)) for one in others]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
print(sorted(found) == list(range(400)))
"""
    outcome = worlds[world].run(job(tmp_path / "one", FIRST_USE, body))
    assert series([outcome]) == "True\n"


@pytest.mark.parametrize("world", available_worlds())
def test_what_cannot_be_initialized_is_tried_again(world: str, worlds: Worlds, tmp_path: Path) -> None:
    body = """
fed = tf.compat.v1.placeholder_with_default(-1, [])
values = Dataset.range(5).batch(tf.cast(fed, tf.int64))
value = make(values).get_next()
with tf.compat.v1.Session() as session:
    for _ in range(2):
        try:
            session.run(value)
        except tf.errors.InvalidArgumentError as error:
            print(type(error).__name__)
"""
    outcome = worlds[world].run(job(tmp_path / "one", FIRST_USE, body))
    assert series([outcome]) == "InvalidArgumentError\n" * 2


def test_the_text_is_short_and_is_python_2_too() -> None:
    """No annotation, f-string, keyword-only argument, or other syntax that Python 2 lacks."""
    assert len(TEXT.splitlines()) < 120
    assert max(map(len, TEXT.splitlines())) <= 110
    assert TEXT.isascii()
    new = (ast.AnnAssign, ast.JoinedStr, ast.NamedExpr, ast.YieldFrom, ast.Nonlocal, ast.AsyncFunctionDef)
    for node in ast.walk(ast.parse(TEXT)):
        assert not isinstance(node, new)
        if isinstance(node, ast.FunctionDef):
            assert not node.args.kwonlyargs and node.returns is None
        if isinstance(node, ast.Call):
            places = [isinstance(one, ast.Starred) for one in node.args]
            assert places == sorted(places)
        if isinstance(node, (ast.List, ast.Tuple)):
            assert not any(isinstance(one, ast.Starred) for one in node.elts)
        if isinstance(node, ast.Raise):
            assert node.cause is None
    assert not re.search(r"\bsuper\(\)|\bprint\b", TEXT)
