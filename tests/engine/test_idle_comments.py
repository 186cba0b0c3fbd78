"""The fix of NPU904 among the fixes of others. The rules are toys, fixes are planned as always.

``OLD`` has a safe fix, ``RISK`` an unsafe one; ``MATE`` has none and is found only beside them.
"""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from shell import Shell
from toy import RULES, WholeTree

from npu_migrate.engine.fixes.fixing import foresee_fixes, plan_fixes
from npu_migrate.engine.job import Analysis, Machinery
from npu_migrate.findings import Applicability, Finding, Rewrite, Severity
from npu_migrate.intents import ReplaceExpression
from npu_migrate.places import Place
from npu_migrate.sources.tree import SourceTree

WORDS = {"OLD": "NPU101", "RISK": "NPU206", "MATE": "NPU102"}
FIXES = {"OLD": (Applicability.SAFE, "NEW"), "RISK": (Applicability.UNSAFE, "RISKED")}


def analyse(tree: SourceTree) -> Analysis:
    found = []
    for key in tree.targets:
        source = tree.source(key)
        for match in re.finditer(r"\b(?:OLD|RISK|MATE)\b", source.text):
            word = match[0]
            place = Place(
                key, (*source.lines.ast_position(match.start()), *source.lines.ast_position(match.end()))
            )
            rewrite = None
            if word in FIXES:
                applicability, new = FIXES[word]
                rewrite = Rewrite(applicability, f"Write {new}", (ReplaceExpression(place, new),))
            elif not re.search(r"\b(?:OLD|RISK)\b", source.text):
                continue
            found.append(Finding(WORDS[word], Severity.ERROR, f"{word} is here", place, rewrite=rewrite))
    return Analysis(tuple(found), frozenset(tree.targets), frozenset(), 0)


MACHINERY = Machinery(
    RULES, lambda src, options, progress, index: lambda *_: (WholeTree(analyse),), plan_fixes, foresee_fixes
)


@pytest.fixture
def shell(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfdbinary: pytest.CaptureFixture[bytes]
) -> Shell:
    return Shell(tmp_path, monkeypatch, capfdbinary)


def written(shell: Shell, text: str, *options: str) -> str:
    """The text after a run that writes."""
    file = shell.folder / "a.py"
    file.write_bytes(text.encode())
    shell("a.py", "--write", *options, machinery=MACHINERY)
    return file.read_bytes().decode()


def written_twice(shell: Shell, text: str, *options: str) -> str:
    """The text after a run that writes, and after which a second one has nothing to do."""
    after = written(shell, text, *options)
    assert written(shell, after, *options) == after
    return after


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("x = OLD  # npu-migrate: ignore[NPU102]\n", "x = NEW\n"),
        ("x = OLD\t \t# npu-migrate: ignore[NPU102]", "x = NEW"),
        ("x = OLD\n# npu-migrate: ignore\n", "x = NEW\n"),
        ("x = OLD\r\n\t# npu-migrate: ignore\r\ny = 1\r\n", "x = NEW\r\ny = 1\r\n"),
        ("x = OLD\r\x0c# npu-migrate: ignore\ry = 1\r", "x = NEW\ry = 1\r"),
        ("x = OLD, 'é'; y = 1  # npu-migrate: ignore[NPU2]  # noqa\n", "x = NEW, 'é'; y = 1  # noqa\n"),
        ("x = OLD  # type: int  # npu-migrate: ignore[NPU2]\n", "x = NEW  # type: int\n"),
        (
            "x = [\n    OLD,  # npu-migrate: ignore[NPU2]# npu-migrate: ignore[NPU3]\n"
            "    # npu-migrate: ignore\n]\n",
            "x = [\n    NEW,\n]\n",
        ),
    ],
)
def test_the_comment_goes_and_nothing_else(shell: Shell, before: str, after: str) -> None:
    assert written_twice(shell, before) == after


def test_a_comment_that_a_fix_makes_needless_goes_with_it(shell: Shell) -> None:
    text = "x = OLD\ny = MATE  # npu-migrate: ignore[NPU102]\n"
    assert written_twice(shell, text) == "x = NEW\ny = MATE\n"
    text = "x = RISK\ny = MATE  # npu-migrate: ignore[NPU102] known\n"
    assert written_twice(shell, text) == text
    assert written_twice(shell, text, "--unsafe-fixes") == "x = RISKED\ny = MATE\n"


def test_a_safe_fix_does_not_take_a_reason_with_it(shell: Shell) -> None:
    """The comment is reported then, and its own fix is unsafe."""
    text = "x = OLD\ny = MATE  # npu-migrate: ignore[NPU102] known\n"
    assert written_twice(shell, text) == "x = NEW\ny = MATE  # npu-migrate: ignore[NPU102] known\n"


def test_a_needed_comment_stays_and_its_finding_is_not_fixed(shell: Shell) -> None:
    text = "x = OLD  # npu-migrate: ignore[NPU101, NPU206]\ny = OLD\n"
    assert written_twice(shell, text) == "x = OLD  # npu-migrate: ignore[NPU101]\ny = NEW\n"


def test_two_comments_on_a_line_both_hold(shell: Shell) -> None:
    text = "x = OLD, RISK  # npu-migrate: ignore[NPU101] a  # npu-migrate: ignore[NPU206] b\n"
    (shell.folder / "a.py").write_text(text)
    assert shell("a.py", "--fail-on", "info", machinery=MACHINERY).code == 0


def test_without_the_other_files_it_is_not_certain(shell: Shell) -> None:
    text = b"x = OLD  # npu-migrate: ignore[NPU206]\n"
    assert shell("-", "--write", stdin=text, machinery=MACHINERY).out == text.replace(b"OLD", b"NEW")
    assert shell("-", "--write", "--unsafe-fixes", stdin=text, machinery=MACHINERY).out == b"x = NEW\n"
    named = ("-", "--write", "--stdin-filename", "a.py")
    assert shell(*named, stdin=text, machinery=MACHINERY).out == b"x = NEW\n"


def test_codes_that_did_not_run_stay(shell: Shell) -> None:
    text = "x = 1  # npu-migrate: ignore[NPU101, NPU206]\ny = 2  # npu-migrate: ignore\n"
    after = "x = 1  # npu-migrate: ignore[NPU206]\ny = 2  # npu-migrate: ignore\n"
    assert written_twice(shell, text, "--select", "NPU1") == after
    assert written_twice(shell, text, "--ignore", "NPU904") == text
