"""The fixes of a SARIF log, read by the rules of SARIF 2.1.0.

A region's columns are counted in the run's `columnKind`, its lines end at one of the `newlineSequences`, and
its end is exclusive. A replacement without inserted content would only delete.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from typing import Any
from urllib.parse import unquote

from fidelity import Tree, decoded

Replacement = tuple[int, int, int, int, str]


def applied(tree: Tree, log: dict[str, Any], level: Callable[[dict[str, Any]], bool]) -> Tree:
    """The tree after the first fix of each result that is not suppressed and whose fix passes `level`."""
    (run,) = log["runs"]
    assert run["columnKind"] == "unicodeCodePoints"
    newline = re.compile("|".join(map(re.escape, run["newlineSequences"])))
    changes: dict[str, set[Replacement]] = {}
    for result in run["results"]:
        for fix in result.get("fixes", ())[:1]:
            if not result.get("suppressions") and level(fix):
                for change in fix["artifactChanges"]:
                    path = unquote(change["artifactLocation"]["uri"])
                    changes.setdefault(path, set()).update(map(replacement, change["replacements"]))
    new = dict.fromkeys(changes.keys() - tree.keys(), b"")
    return {path: edited(content, changes.get(path, ()), newline) for path, content in (tree | new).items()}


def replacement(said: dict[str, Any]) -> Replacement:
    region = said["deletedRegion"]
    first, column = region["startLine"], region["startColumn"]
    return first, column, region["endLine"], region["endColumn"], said["insertedContent"]["text"]


def edited(content: bytes, replacements: Iterable[Replacement], newline: re.Pattern[str]) -> bytes:
    bom, text, encoding = decoded(content)
    starts = [0, *(match.end() for match in newline.finditer(text))]
    for first, left, last, right, new in sorted(replacements, reverse=True):
        text = text[: starts[first - 1] + left - 1] + new + text[starts[last - 1] + right - 1 :]
    return bom + text.encode(encoding)
