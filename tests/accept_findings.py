#!/usr/bin/env python3
"""Writes `findings.txt` of fixture cases as the tool reports now: read the difference before it is committed.

python tests/accept_findings.py                  # all cases
python tests/accept_findings.py NPU101 NPU2      # those whose path begins so
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from command import folder_with
from fixture_cases import all_cases
from test_fixtures import report_lines, reported


def main(beginnings: Sequence[str]) -> None:
    for case in all_cases():
        if case.name.startswith(tuple(beginnings or [""])):
            with folder_with(case.before):
                lines = report_lines(reported("--no-cache"))
            text = "".join(f"{line}\n" for line in lines)
            (case.folder / "findings.txt").write_text(text, encoding="utf-8", newline="\n")


if __name__ == "__main__":
    main(sys.argv[1:])
