"""Ten thousand findings are narrowed down, and told, in no time worth speaking of; so are many reasons."""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from pathlib import Path

import pytest
from forms.review import marks

from npu_migrate.engine.diagnosing import Diagnosed
from npu_migrate.engine.installed import installed_machinery
from npu_migrate.engine.job import Outcome
from npu_migrate.engine.request import Request, prepare
from npu_migrate.engine.run import run
from npu_migrate.findings import Diagnostic, RelatedRange, Report, Review, Severity
from npu_migrate.places import LineSpan, Place, Position, Range
from npu_migrate.reports.reviews.github_review import MAX_COMMENTS, review_document
from npu_migrate.reports.reviews.review_text import BODY_LIMIT
from npu_migrate.reports.surroundings import Surroundings
from npu_migrate.review.change import Change, ChangedFile, Touched
from npu_migrate.review.narrowing import only_changed
from npu_migrate.sources.source import from_text

NUMBER = 10_000


def diagnosed(line: int, key: str) -> Diagnosed:
    place = Range(Position(line, 1), Position(line, 6))
    diagnostic = Diagnostic(
        code="NPU101",
        name="one-shot-iterator",
        severity=Severity.ERROR if line % 100 == 0 else Severity.WARNING,
        message=f"message {line}",
        path="big.py",
        range=place,
        related=(),
        fingerprint=f"{line:032x}",
        suppressed=False,
        programs=(),
        fix=None,
        sources=(),
        source_line=f"x = {line}",
    )
    return Diagnosed(diagnostic, None, Place(key, (line, 0, line, 5)))


def test_ten_thousand_findings(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "pyproject.toml").write_text("")
    text = "".join(f"x = {line}\n" for line in range(1, NUMBER + 1))
    (tmp_path / "big.py").write_text(text)
    monkeypatch.chdir(tmp_path)
    job = prepare(Request(paths=("big.py",)), installed_machinery())
    (key,) = job.discovery.tree.targets
    touched = Touched(frozenset(range(1, NUMBER, 2)))
    change = Change(str(tmp_path), {key: ChangedFile(touched, key, text.replace("x", "y").encode())})
    (refine,) = only_changed(job, lambda _: change).refinements

    def found(lines: range) -> Outcome:
        all_of_them = tuple(diagnosed(line, key) for line in lines)
        outcome = run(job)
        report = replace(outcome.report, diagnostics=tuple(one.diagnostic for one in all_of_them))
        return refine(replace(outcome, report=report, diagnosed=all_of_them))

    report = found(range(1, NUMBER + 1)).report
    assert len(report.diagnostics) == NUMBER
    assert report.review is not None and report.review.elsewhere == 0
    moved = [one for one in report.diagnostics if one.message.endswith("; this change causes it")]
    assert len(moved) == NUMBER // 2
    assert all(one.range.start.line % 2 for one in report.diagnostics)
    source = cache(job.discovery.tree.source)
    document = review_document(report, Surroundings(job.rules, source, str(tmp_path)))
    assert len(document["comments"]) == MAX_COMMENTS
    assert all(comment["body"].startswith("**error") for comment in document["comments"])
    assert len(document["body"]) <= BODY_LIMIT
    assert f"npu-migrate finds in this change: 100 errors, {NUMBER - 100} warnings." in document["body"]
    left = NUMBER - MAX_COMMENTS - len(marks(document["body"]))
    assert f"{left} findings more: run npu-migrate to see them." in document["body"]


def test_a_comment_with_a_thousand_reasons_is_cut() -> None:
    found = diagnosed(1, "big.py").diagnostic
    reason = RelatedRange("big.py", found.range, "because of this value and of no other one " * 2)
    found = replace(found, related=(reason,) * 1_000)
    report = Report((found,), review=Review("/top", {"big.py": (LineSpan(1, 1),)}, 0))
    source = from_text("big.py", "x = 1\n")
    (comment,) = review_document(report, Surroundings((), lambda _: source, "/top"))["comments"]
    assert len(comment["body"]) <= BODY_LIMIT
    assert marks(comment["body"]) == [found.fingerprint]
