"""``kill -9`` while files are written: each is the old or the new one, and the next run does the rest."""

from __future__ import annotations

from pathlib import Path
from random import Random

from robustness.killing import BEFORE, FILES, require_whole_files, undisturbed

REPETITIONS = 3
"""`long.py` has time for 100."""


def test_a_killed_run_leaves_whole_files(tmp_path: Path) -> None:
    random = Random(1)
    course = undisturbed(tmp_path)
    assert sum(course.after[path] != content for path, content in BEFORE.items()) == FILES
    for _ in range(REPETITIONS):
        require_whole_files(tmp_path, course, random)
