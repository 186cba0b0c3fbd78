"""How often each rule found something."""

from __future__ import annotations

from collections import Counter

from npu_migrate.findings import Report


def statistics_report(report: Report) -> str:
    """One line for each rule with findings that count: number, code, fixable mark and name.

    The most frequent rule comes first. ``[*]`` stands where each finding of the rule has a safe or unsafe
    fix, ``[-]`` where only some have one. Empty when nothing was found.
    """
    totals = Counter((one.code, one.name) for one in report.counted)
    fixable = Counter((one.code, one.name) for one in report.counted if one.fix is not None)
    width = len(str(max(totals.values(), default=0)))
    return "".join(
        f"{count:>{width}}  {rule[0]} {_mark(count, fixable[rule])} {rule[1]}\n"
        for rule, count in sorted(totals.items(), key=lambda item: (-item[1], item[0]))
    )


def _mark(count: int, fixable: int) -> str:
    if fixable == count:
        return "[*]"
    return "[-]" if fixable else "[ ]"
