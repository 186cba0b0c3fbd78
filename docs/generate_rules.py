#!/usr/bin/env python3
"""Writes the rule pages of the documentation:  python docs/generate_rules.py

The pages are made from the catalogue in the package, so they say what ``npu-migrate --explain`` says. They
are kept in the repository; a test fails when they are not up to date.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable
from pathlib import Path

REPOSITORY = Path(__file__).resolve().parents[1]
FOLDER = Path(__file__).with_name("rules")
sys.path.insert(0, str(REPOSITORY))

from npu_migrate.reports.catalogue import rule_page  # noqa: E402 - after the path is known
from npu_migrate.rules import ALL_RULES  # noqa: E402
from npu_migrate.rules.rule import Rule  # noqa: E402

GROUPS = {
    "NPU1": "Data input",
    "NPU2": "Iteration offload",
    "NPU3": "Training acceleration",
    "NPU4": "Loss scaling",
    "NPU5": "Rec SDK `init`",
    "NPU6": "Options of the NPU",
    "NPU9": "The tool itself",
}
"""The first characters of the codes, with the heading of each group in the index."""

INTRODUCTION = """\
# Rules

Each rule has a code that never changes its meaning. `npu-migrate --explain CODE` prints the page of a rule
in the terminal. The labels of the sources are explained in [Sources](../sources.md).

**Severity.** *error*: the script fails or trains wrongly on the NPU, by the vendor's documents or by what
the runtime does. *warning*: likely wrong. *info*: advice. When a finding rests only on the default of a flag
or of an argument, its severity is one step lower and its message says where the default is.

**Fix.** *safe*: the script still runs and computes the same on the CPU, and on the NPU it does what it
already asks for. *unsafe*: right only under an assumption, which the message states; applied only with
`--unsafe-fixes`. *manual*: there is no edit, the message says what to do.
"""

HEADER = """
## {prefix}xx {title}

| code | name | finds | severity | fix |
|---|---|---|---|---|"""


def pages(rules: Iterable[Rule]) -> dict[str, str]:
    """The text of each page, by file name."""
    ordered = sorted(rules, key=lambda rule: rule.code)
    return {"index.md": index(ordered)} | {f"{rule.code}.md": rule_page(rule) for rule in ordered}


def index(rules: Iterable[Rule]) -> str:
    """The page that lists all rules, group by group."""
    parts = [INTRODUCTION]
    rules = list(rules)
    for prefix, title in GROUPS.items():
        members = [rule for rule in rules if rule.code.startswith(prefix)]
        if members:
            parts += [HEADER.format(prefix=prefix, title=title), *map(_row, members)]
    return "\n".join(parts) + "\n"


def _row(rule: Rule) -> str:
    cells = (f"[{rule.code}]({rule.code}.md)", rule.name, rule.summary, rule.severity, rule.fix)
    return f"| {' | '.join(cell.replace('|', chr(92) + '|') for cell in cells)} |"


def main() -> None:
    """Write all pages and remove those of rules that are gone."""
    FOLDER.mkdir(exist_ok=True)
    wanted = pages(ALL_RULES)
    for old in FOLDER.glob("*.md"):
        if old.name not in wanted:
            old.unlink()
    for name, text in wanted.items():
        (FOLDER / name).write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
