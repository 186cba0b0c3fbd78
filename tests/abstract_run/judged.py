"""Texts before and after an edit, brought before the judge."""

from __future__ import annotations

from collections.abc import Mapping
from difflib import SequenceMatcher
from pathlib import Path
from textwrap import dedent

from fidelity import Tree
from fixture_cases import Case, all_cases

from npu_migrate.abstract_run.changes import Changed
from npu_migrate.abstract_run.judging import Originals, Verdict, judge
from npu_migrate.findings import VERIFIABLE
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


def changed_lines(old: bytes, new: bytes) -> Changed:
    """The lines of two texts that are not in the other one."""
    before, after = old.decode("utf-8", "replace").splitlines(), new.decode("utf-8", "replace").splitlines()
    matcher = SequenceMatcher(None, before, after, autojunk=False)
    blocks = [one for one in matcher.get_opcodes() if one[0] != "equal"]
    return Changed(
        tuple((start + 1, end + 1) for _, start, end, _, _ in blocks),
        tuple((start + 1, end) for _, _, _, start, end in blocks if end > start),
    )


ONE_SHOT = "ds.make_one_shot_iterator()"
INITIALIZABLE = "ds.make_initializable_iterator()"
REGISTER = "tf.add_to_collection(tf.GraphKeys.TABLE_INITIALIZERS, it.initializer)"
HEAD = "import tensorflow as tf\nds = tf.data.Dataset.range(3)\n"


def migrated(script: str, **lines: str) -> Verdict:
    """The verdict on a script in which ``ITERATOR`` becomes initializable and lines are added.

    ``ADDED`` or another word in capitals on a line of its own stands for a line that `lines` gives, which is
    not there before.
    """
    text = HEAD + dedent(script).lstrip("\n")
    before = text.replace("ITERATOR", ONE_SHOT)
    after = text.replace("ITERATOR", INITIALIZABLE)
    for word, line in lines.items():
        before = "".join(one for one in before.splitlines(keepends=True) if one.strip() != word)
        after = after.replace(word, line)
    return verdict_of({"train.py": before.encode()}, {"train.py": after.encode()})


def scripts(tree: Tree) -> Tree:
    """The Python files of a tree."""
    return {name: text for name, text in tree.items() if name.endswith(".py")}


def is_judged(case: Case) -> bool:
    """Whether a fixture has a fix that the judge looks at."""
    before, after = scripts(case.before), scripts(case.after)
    return case.name.startswith(tuple(VERIFIABLE)) and before != after and before.keys() == after.keys()


JUDGED = [case for case in all_cases() if is_judged(case)]
"""The fixtures whose fixes are judged."""
