"""How the findings in small models for the NPU compare with what a reviewer expects.

``python tests/npu_models_report.py`` prints the figures, with names of folders also the findings in them. A
folder of `npu_models/` is one small program that uses the NPU as published models do. A comment
``# << CODE ...`` marks each line on which a reviewer expects findings.
"""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import npu_migrate

FOLDER = Path(__file__).with_name("npu_models")
MARK = "# <<"


@dataclass(frozen=True, order=True)
class Spot:
    """A finding as a reviewer writes it down: a code on a line."""

    file: str
    line: int
    code: str

    def __str__(self) -> str:
        return f"{self.file}:{self.line} {self.code}"


@dataclass(frozen=True)
class Model:
    """One folder."""

    folder: Path

    @property
    def name(self) -> str:
        return self.folder.name

    @cached_property
    def expected(self) -> Counter[Spot]:
        """What the marks in the folder's files say."""
        return Counter(
            spot
            for file in sorted(self.folder.rglob("*.py"))
            for spot in _marked(file.relative_to(self.folder).as_posix(), file.read_text(encoding="utf-8"))
        )

    @cached_property
    def diagnostics(self) -> tuple[npu_migrate.Diagnostic, ...]:
        """What the tool finds."""
        return npu_migrate.check([self.folder], root=self.folder).diagnostics

    @cached_property
    def found(self) -> Counter[Spot]:
        return Counter(Spot(self._own(one.path), one.range.start.line, one.code) for one in self.diagnostics)

    def _own(self, path: str) -> str:
        return Path(path).resolve().relative_to(self.folder.resolve()).as_posix()

    @property
    def missing(self) -> Counter[Spot]:
        return self.expected - self.found

    @property
    def unexpected(self) -> Counter[Spot]:
        return self.found - self.expected


def models() -> tuple[Model, ...]:
    """All folders, in the order of their names."""
    return tuple(Model(path) for path in sorted(FOLDER.iterdir()) if path.is_dir())


def _marked(file: str, text: str) -> Iterator[Spot]:
    for number, line in enumerate(text.splitlines(), 1):
        if MARK in line:
            yield from (Spot(file, number, code) for code in line.split(MARK)[1].split())


def report(chosen: Iterable[Model]) -> Iterator[str]:
    """The figures, in lines; before them whatever is not as expected."""
    judged = tuple(chosen)
    for model in judged:
        yield from (f"unexpected {model.name}/{spot}" for spot in sorted(model.unexpected.elements()))
        yield from (f"missing    {model.name}/{spot}" for spot in sorted(model.missing.elements()))
    found = sum(model.found.total() for model in judged)
    unexpected = sum(model.unexpected.total() for model in judged)
    missing = sum(model.missing.total() for model in judged)
    right = sum(not model.expected for model in judged)
    codes = {spot.code for model in judged for spot in model.expected}
    yield f"{len(judged)} folders, {right} of them without anything to find; {len(codes)} rules"
    yield f"{found} findings: {found - unexpected} expected, {unexpected} unexpected; {missing} missing"


def main(names: list[str]) -> None:
    chosen = [model for model in models() if not names or model.name in names]
    if names:
        for one in (one for model in chosen for one in model.diagnostics):
            print(f"{one.path}:{one.range.start.line} {one.code} {one.severity.value}: {one.message}")
    print("\n".join(report(chosen)))


if __name__ == "__main__":
    main(sys.argv[1:])
