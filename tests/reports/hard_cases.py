"""Reports that are hard to write down: odd file names, odd messages, many findings, none at all."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import replace
from functools import cache

from command import case_folder, folder_with, tool
from fidelity import Tree
from fixture_cases import all_cases

from npu_migrate.findings import (
    Applicability,
    BaselineCounts,
    Diagnostic,
    FileCounts,
    Fix,
    RelatedRange,
    Report,
    Severity,
    TextEdit,
)
from npu_migrate.places import CellPlace, Position, Range
from npu_migrate.reports.formats import FORMATS
from npu_migrate.reports.surroundings import Surroundings
from npu_migrate.rules import ALL_RULES
from npu_migrate.sources.source import from_text

SCRIPT = """\
import tensorflow as tf

dataset = tf.data.Dataset.range(8)
名 = "🚀"; batch = dataset.make_one_shot_iterator().get_next()  # 名
with tf.Session() as sess:
    print(sess.run(batch))
"""
NAMES = (
    "with blank.py",
    "中文/训练 🚀.py",
    "100%25 #1?&;.py",
    "a:b,c::d.py",
    "new\nline\r.py",
    "escape\x1b[31m.py",
    "not-utf8-\udcff.py",
    "=SUM(1).py",
    "@at.py",
    "quote'\"<&>.py",
    "dots..py",
)


def notebook(script: str) -> bytes:
    """A notebook whose second cell holds the script."""
    cells = [
        {"cell_type": "markdown", "metadata": {}, "source": ["# 名\n"]},
        {
            "cell_type": "code",
            "execution_count": None,
            "metadata": {},
            "outputs": [],
            "source": script.splitlines(keepends=True),
        },
    ]
    return json.dumps(
        {"cells": cells, "metadata": {}, "nbformat": 4, "nbformat_minor": 5}, indent=1, ensure_ascii=False
    ).encode()


HARD: Tree = {
    **{name: SCRIPT.encode() for name in NAMES},
    "latin.py": b"# coding: latin-1\n# \xe9\n" + SCRIPT.replace("名", "n").replace("🚀", "").encode(),
    "old mac.py": SCRIPT.replace("\n", "\r").encode(),
    "suppressed.py": SCRIPT.replace("# 名", "# npu-migrate: ignore").encode(),
    "note book.ipynb": notebook(SCRIPT),
    "python2.py": SCRIPT.replace("print(sess", "print sess").encode(),
    "bytes.py": SCRIPT.encode() + b"# \xff\n",
}
"""A project with such names, two files that cannot be analysed and two places that are suppressed or not."""

ONE = Diagnostic(
    code="NPU101",
    name="one-shot-iterator",
    severity=Severity.ERROR,
    message="it fails",
    path="train.py",
    range=Range(Position(4, 9), Position(4, 12)),
    related=(RelatedRange("flags.py", Range(Position(3, 1), Position(3, 5)), "the default is set here"),),
    fingerprint="0123456789abcdef" * 2,
    suppressed=False,
    programs=("train.py",),
    fix=Fix(
        Applicability.SAFE,
        "Initialize it",
        (TextEdit("train.py", Range(Position(5, 1), Position(5, 1)), "sess.run(x)\r\n"),),
    ),
    sources=("SEED-ITER",),
    source_line='名 = "🚀"; batch = dataset.make_one_shot_iterator()',
)
MESSAGES = (
    "100 steps, 3 workers",
    "line\nline\r\nline\rline\u2028line",
    "bell\x07 escape\x1b[31m nul\x00 c1\x9b delete\x7f",
    "lone \udcff and \ud83d, no characters \ufffe\uffff",
    "![CDATA[ ]]> <b>&amp;</b> \"'",
    "::error::not one %0A, 100%, a,b=c:d",
    "=HYPERLINK(1)",
    "[not a link](1), {0}, {1}",
    "中文 🚀",
)


def many(number: int) -> Report:
    """A report of so many findings in a tenth as many files."""
    found = (
        replace(
            ONE,
            path=f"folder {at // 10:05}/train.py",
            range=Range(Position(at % 10 + 1, 1), Position(at % 10 + 2, 1)),
            fingerprint=f"{at:032x}",
            fix=None,
        )
        for at in range(number)
    )
    return Report(tuple(found), FileCounts(discovered=number // 10, analysed=number // 10))


REPORTS = {
    "messages": Report(
        tuple(
            replace(
                ONE,
                message=message,
                fingerprint=f"{number:032x}",
                range=Range(Position(number + 1, 1), Position(number + 1, 2)),
                related=(replace(ONE.related[0], message=message),),
            )
            for number, message in enumerate(MESSAGES)
        )
    ),
    "nothing": Report((), FileCounts(discovered=1, analysed=1)),
    "failed": Report(
        tuple(
            replace(
                ONE,
                code=code,
                name=name,
                path=f"{name}.py",
                range=Range(Position(1, 1), Position(1, 1)),
                related=(),
                fix=None,
                programs=(),
                fingerprint=f"{number:032x}",
            )
            for number, (code, name) in enumerate(
                [("NPU901", "syntax-error"), ("NPU902", "undecodable-file"), ("NPU903", "not-analysed")]
            )
        ),
        FileCounts(discovered=3, failed=3),
    ),
    "marked": Report(
        (
            ONE,
            replace(ONE, suppressed=True, fingerprint="1" * 32),
            replace(ONE, baselined=True, fingerprint="2" * 32),
            replace(ONE, suppressed=True, baselined=True, fingerprint="3" * 32),
        ),
        baseline=BaselineCounts("accepted.json", 2, 0),
    ),
    "notebook": Report(
        (
            replace(
                ONE,
                path="train.ipynb",
                cell=CellPlace(3, Range(Position(2, 5), Position(2, 8))),
                related=(),
                fix=None,
            ),
        )
    ),
    "outside": Report((replace(ONE, path="../../other/a b.py"), replace(ONE, path="../c.py"))),
}
"""By name; what the findings themselves cannot bring about in a project."""


def rendered(report: Report, form: str, folder: str = "/home/me/a project") -> str:
    """The report in one format, with files that all hold `SCRIPT`."""
    source = from_text("train.py", SCRIPT)
    return FORMATS[form].render(report, Surroundings(ALL_RULES, lambda path: source, folder))


@cache
def of_fixtures(form: str) -> str:
    """What the tool prints about the scripts of all cases together; what it finds is kept for the others."""
    with case_folder(
        {f"{case.name}/{path}": data for case in all_cases() for path, data in case.before.items()}
    ):
        return shown(form)


def of_hard_names(form: str) -> str:
    """What the tool prints about the project with odd names, seen from a folder beside it."""
    return printed({**{f"project/{path}": data for path, data in HARD.items()}, "here/a.py": b"\n"}, form)


def printed(tree: Tree, form: str, arguments: Iterable[str] = (".",)) -> str:
    with folder_with(tree):
        return shown(form, arguments)


def shown(form: str, arguments: Iterable[str] = (".",)) -> str:
    return tool("--quiet", "--format", form, *arguments).decode("utf-8")
