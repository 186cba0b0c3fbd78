"""Texts before and after an edit, brought before the judge."""

from __future__ import annotations

from collections.abc import Mapping
from difflib import SequenceMatcher
from pathlib import Path
from textwrap import dedent

from npu_migrate.abstract_run.coverage import LineRange
from npu_migrate.abstract_run.judging import Originals, Verdict, judge
from npu_migrate.programs.programs import relevant_files
from npu_migrate.project.editing import edited
from npu_migrate.project.project import Project
from npu_migrate.sources.tree import SourceTree
from npu_migrate.training.libraries import LIBRARIES

_ROOT = Path("/project")
_FOLDER = "/project"


def project_of(files: Mapping[str, bytes]) -> Project:
    """A project of files that are nowhere on disk."""
    keys = {name: f"{_FOLDER}/{name}" for name in sorted(files)}
    tree = SourceTree(_ROOT, tuple(keys.values()), ())
    tree = tree.with_contents({key: files[name] for name, key in keys.items()})
    return Project(tree, relevant_files(tree), LIBRARIES)


def verdict_of(before: Mapping[str, bytes], after: Mapping[str, bytes]) -> Verdict:
    """What the judge says of an edit that makes `after` of the files `before`."""
    old = project_of(before)
    new = edited(old, old.tree.with_contents({f"{_FOLDER}/{name}": text for name, text in after.items()}))
    changes = {
        f"{_FOLDER}/{name}": changed_lines(text, after[name])
        for name, text in before.items()
        if after[name] != text
    }
    entries = sorted({entry for key in changes for entry in old.programs_of(key)})
    return judge(Originals(old), new, entries, changes)


def changed_lines(old: bytes, new: bytes) -> tuple[LineRange, ...]:
    """The lines of `new` that `old` has not."""
    before, after = old.decode("utf-8", "replace").splitlines(), new.decode("utf-8", "replace").splitlines()
    matcher = SequenceMatcher(None, before, after, autojunk=False)
    return tuple(
        (start + 1, end) for tag, _, _, start, end in matcher.get_opcodes() if tag != "equal" and end > start
    )


ONE_SHOT = "ds.make_one_shot_iterator()"
INITIALIZABLE = "ds.make_initializable_iterator()"
REGISTER = "tf.add_to_collection(tf.GraphKeys.TABLE_INITIALIZERS, it.initializer)"
HEAD = "import tensorflow as tf\nds = tf.data.Dataset.range(3)\n"


def migrated(script: str, **lines: str) -> Verdict:
    """The verdict on a script in which ``ITERATOR`` becomes initializable and lines are added.

    ``ADDED`` or another word in capitals on a line of its own stands for a line that `lines` gives, and that
    is not there before.
    """
    text = HEAD + dedent(script).lstrip("\n")
    before = text.replace("ITERATOR", ONE_SHOT)
    after = text.replace("ITERATOR", INITIALIZABLE)
    for word, line in lines.items():
        before = "".join(one for one in before.splitlines(keepends=True) if one.strip() != word)
        after = after.replace(word, line)
    return verdict_of({"train.py": before.encode()}, {"train.py": after.encode()})
