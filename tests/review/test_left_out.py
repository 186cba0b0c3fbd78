"""What two states of a tree have in common is left out of a review, which tells the same without a cache."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType
from typing import NamedTuple

import pytest
from review_repository import Repository, new_repository

pytestmark = [pytest.mark.needs("git"), pytest.mark.long]

ONE_SHOT = """\
import tensorflow as tf

dataset = tf.data.Dataset.range(8)
iterator = dataset.make_one_shot_iterator()
value = iterator.get_next()
train_op = tf.train.AdamOptimizer().minimize(tf.get_variable("w", []) * tf.to_float(value))
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    print(sess.run([value, train_op]))
"""
SUPPRESSED = ONE_SHOT.replace("iterator()", "iterator()  # npu-migrate: ignore[NPU101]")
IMPORTING = ONE_SHOT.replace("dataset = ", "import sizes\ndataset = ").replace("range(8)", "range(sizes.N)")
BROKEN = "import tensorflow as tf\nx = tf.data.Dataset.make_one_shot_iterator(\n"
BEFORE: dict[str, str | bytes] = {
    **{f"{name}/train.py": ONE_SHOT for name in "abc"},
    "d/train.py": SUPPRESSED,
    "e/train.py": IMPORTING,
    "e/sizes.py": "N = 8\n",
    "f/train.py": BROKEN,
}


class Case(NamedTuple):
    """A change of the files in `BEFORE`, by Git and by writing."""

    written: Mapping[str, str | bytes] = MappingProxyType({})
    git: tuple[tuple[str, ...], ...] = ()
    options: tuple[str, ...] = ()


CHANGES = {
    "nothing": Case(),
    "a-line-that-does-not-matter": Case({"a/train.py": ONE_SHOT + "print(1)\n"}),
    "a-finding-more": Case({"a/train.py": ONE_SHOT + "again = dataset.make_one_shot_iterator()\n"}),
    "two-programs": Case(
        {"a/train.py": ONE_SHOT.replace("8", "9"), "b/train.py": "import tensorflow as tf\n"}
    ),
    "an-imported-file": Case({"e/sizes.py": "N = 16\n"}),
    "a-program-more": Case({"g/train.py": ONE_SHOT}),
    "a-module-that-is-meant": Case({"e/sizes/__init__.py": "N = 4\n"}),
    "a-program-less": Case(git=(("rm", "-q", "c/train.py"),)),
    "a-program-elsewhere": Case(git=(("mv", "c", "moved"),)),
    "a-suppression-less": Case({"d/train.py": ONE_SHOT}),
    "a-program-that-was-broken": Case({"f/train.py": ONE_SHOT}),
    "one-that-cannot-be-read": Case({"f/train.py": b"# \xff\nimport tensorflow as tf\n"}),
    "only-what-is-new": Case({"a/train.py": ONE_SHOT.replace("8", "9")}, options=("--new-only",)),
    "accepted-before": Case(
        {"a/train.py": ONE_SHOT.replace("8", "9")}, options=("--baseline", "accepted.json")
    ),
}


@pytest.fixture
def repository(tmp_path: Path) -> Repository:
    repository = new_repository(tmp_path / "repository")
    repository.commit(BEFORE)
    repository.tool(".", "--no-cache", "--write-baseline", "accepted.json")
    return repository


@pytest.mark.parametrize("name", CHANGES)
def test_a_cache_changes_nothing(repository: Repository, tmp_path: Path, name: str) -> None:
    change = CHANGES[name]
    cache = {"NPU_MIGRATE_CACHE_DIR": str(tmp_path / "cache")}
    repository.since(**cache)
    for words in change.git:
        repository.git(*words)
    repository.write(dict(change.written))
    alone = repository.since("HEAD", *change.options, "--no-cache")
    first, second = (repository.since("HEAD", *change.options, **cache) for _ in range(2))
    assert alone.code in (0, 1), alone.err
    assert (first, second) == (alone, alone)


def test_what_is_left_out_is_not_read(repository: Repository, tmp_path: Path) -> None:
    cache = tmp_path / "cache"
    repository.since(NPU_MIGRATE_CACHE_DIR=str(cache))
    for plan in cache.glob("*.part"):
        plan.unlink()
    repository.write({"a/train.py": ONE_SHOT + "print(1)\n"})
    repository.since(NPU_MIGRATE_CACHE_DIR=str(cache))
    # Of the program that has changed, as it is and as it was.
    assert len(list(cache.glob("*.part"))) == 2
