"""The report on the functions of TensorFlow that a project calls."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import asdict

from npu_migrate.findings import ApiUse
from npu_migrate.languages.saying import Say, english
from npu_migrate.reports.text import printable
from npu_migrate.reports.wording import number_of

ORDER = ("unsupported", "needs change", "unknown", "no effect", "not checked")
"""The verdicts, that which asks most of the reader first."""

_PLACES = 3


def api_use_text(uses: Sequence[ApiUse], say: Say = english) -> str:
    """A section for each verdict: how many names and calls, then each name with its first places."""
    if not uses:
        return say("No call of TensorFlow was found.") + "\n"
    lines = [_counted(say("In all"), uses, say)]
    for verdict in ORDER:
        found = [use for use in uses if use.verdict == verdict]
        if found:
            lines += [
                "",
                _counted(say(verdict.capitalize()), found, say),
                *(_line(use, say) for use in found),
            ]
    lines += [
        "",
        say(
            "What is not checked may work or not: nobody has looked at it. "
            "The dates are those of the sources."
        ),
    ]
    return "".join(f"{line}\n" for line in lines)


def _counted(title: str, uses: Iterable[ApiUse], say: Say) -> str:
    found = list(uses)
    calls = sum(len(use.places) for use in found)
    return say.headed(title, say(f"{number_of(len(found), 'name')}, {number_of(calls, 'call')}"))


def _line(use: ApiUse, say: Say) -> str:
    shown = [f"{printable(path)}:{line}" for path, line in use.places[:_PLACES]]
    places = say.listed(shown, more=len(use.places) > _PLACES)
    told = say.clauses(filter(None, (places, use.advice)))
    known = (use.code, use.source, use.date) if use.source else ()
    return f"  {use.name}  {len(use.places)}  {told}{say.aside(say.listed(filter(None, known)))}"


def api_use_json(uses: Sequence[ApiUse]) -> str:
    """A document with the counts of each verdict, and all names with all places."""
    document = {
        "verdicts": {
            verdict: {
                "names": sum(use.verdict == verdict for use in uses),
                "calls": sum(len(use.places) for use in uses if use.verdict == verdict),
            }
            for verdict in ORDER
        },
        "names": [
            {**asdict(use), "places": [{"path": path, "line": line} for path, line in use.places]}
            for use in uses
        ],
    }
    return f"{json.dumps(document, indent=2)}\n"
