"""The Markdown of the rule pages as HTML.

These pages are our own and use few forms: headings, paragraphs, lists, tables, fenced code, and code and bold
within a line. A test compares the result with that of a complete renderer for every rule.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from markupsafe import Markup, escape

_FENCE = "```"
_INLINE = re.compile(r"`([^`]+)`|\*\*([^*]+)\*\*")
_BAR = re.compile(r"(?<!\\)\|")
"""What ends a cell of a table: a bar that is not escaped."""


def to_html(text: str, deeper: int) -> Markup:
    """`text` as HTML; a heading of level 2 becomes one of level 2 + `deeper`."""
    return Markup("").join(_blocks(text.strip().split("\n"), deeper))


def _blocks(lines: Sequence[str], deeper: int) -> Iterator[Markup]:
    at = 0
    while at < len(lines):
        begin = at
        if lines[begin].startswith(_FENCE):
            at = lines.index(_FENCE, begin + 1) + 1
            code = "".join(f"{line}\n" for line in lines[begin + 1 : at - 1])
            yield Markup("<pre><code>{}</code></pre>\n").format(code)
            continue
        while at < len(lines) and lines[at] and not lines[at].startswith(_FENCE):
            at += 1
        if at > begin:
            yield _block(lines[begin:at], deeper)
        else:
            at += 1


def _block(lines: Sequence[str], deeper: int) -> Markup:
    first = lines[0]
    if first.startswith("#"):
        marks, _, title = first.partition(" ")
        level = len(marks) + deeper
        return Markup("<h{0}>{1}</h{0}>\n").format(level, _inline(title))
    if first.startswith("- "):
        items = re.split(r"^- ", "\n".join(lines), flags=re.MULTILINE)[1:]
        listed = (_item(item) for item in items)
        return Markup("<ul>\n{}</ul>\n").format(Markup("").join(listed))
    if first.startswith("|"):
        return _table(lines)
    return Markup("<p>{}</p>\n").format(_inline("\n".join(lines)))


def _item(text: str) -> Markup:
    return Markup("<li>{}</li>\n").format(
        _inline("\n".join(line.strip() for line in text.split("\n")).strip())
    )


def _table(lines: Sequence[str]) -> Markup:
    head, _, *body = (
        [cell.strip().replace("\\|", "|") for cell in _BAR.split(line.strip("|"))] for line in lines
    )
    return Markup("<table>\n<thead>\n{}</thead>\n<tbody>\n{}</tbody>\n</table>\n").format(
        _row("th", head), Markup("").join(_row("td", row) for row in body)
    )


def _row(tag: str, cells: Sequence[str]) -> Markup:
    inner = Markup("").join(Markup("<{0}>{1}</{0}>\n").format(tag, _inline(cell)) for cell in cells)
    return Markup("<tr>\n{}</tr>\n").format(inner)


def _inline(text: str) -> Markup:
    pieces: list[Markup] = []
    done = 0
    for match in _INLINE.finditer(text):
        pieces.append(escape(text[done : match.start()]))
        code, bold = match.groups()
        if code is not None:
            pieces.append(Markup("<code>{}</code>").format(code.replace("\n", " ")))
        else:
            pieces.append(Markup("<strong>{}</strong>").format(_inline(bold)))
        done = match.end()
    return Markup("").join((*pieces, escape(text[done:])))
