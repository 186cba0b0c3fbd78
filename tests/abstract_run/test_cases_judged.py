"""The fixtures before the judge: their fixes are right, and spoilt ones are not borne out."""

from __future__ import annotations

import re
from collections.abc import Iterator

import pytest
from fidelity import Tree
from fixture_cases import Case

from abstract_run.judged import JUDGED, changed_lines, scripts, verdict_of

_INITIALIZES = re.compile(rb"initializer\)|tables_initializer|\.initializer")
MOST_LOST = 1 / 10


def test_right_fixes_are_borne_out() -> None:
    verdicts = {case.name: verdict_of(scripts(case.before), scripts(case.after)) for case in JUDGED}
    assert {name: one.reason for name, one in verdicts.items() if one.kind == "refuted"} == {}
    lost = {name: one.reason for name, one in verdicts.items() if one.kind == "lost"}
    assert len(lost) <= MOST_LOST * len(verdicts), lost


@pytest.mark.parametrize("case", JUDGED, ids=[case.name for case in JUDGED])
def test_spoilt_fixes_are_not(case: Case) -> None:
    """Each line that a fix adds to initialize something is needed."""
    before, after = scripts(case.before), scripts(case.after)
    if verdict_of(before, after).kind == "verified":
        kept = [
            place
            for place, spoilt in spoilt_versions(before, after)
            if verdict_of(before, spoilt).kind == "verified"
        ]
        assert kept == []


def spoilt_versions(before: Tree, after: Tree) -> Iterator[tuple[str, Tree]]:
    """The fixed files without one of the added lines, with the place of that line."""
    for name, text in after.items():
        lines = text.splitlines(keepends=True)
        for first, last in changed_lines(before[name], text).after:
            for number in range(first - 1, last):
                line = lines[number]
                if not _INITIALIZES.search(line) or b"make_initializable" in line:
                    continue
                indent = line[: len(line) - len(line.lstrip())]
                spoilt = b"".join([*lines[:number], indent + b"pass\n", *lines[number + 1 :]])
                try:
                    compile(spoilt, name, "exec")
                except (SyntaxError, ValueError):
                    continue
                yield f"{name}:{number + 1}", after | {name: spoilt}
