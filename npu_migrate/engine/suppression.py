"""Comments that accept a finding: ``# npu-migrate: ignore[NPU101]`` and ``# npu-migrate: ignore-file``.

A comment holds for findings on its own line, and on the first line of a statement for the findings in
that statement (of a compound statement only its header). Files without the words ``npu-migrate:`` cost
one substring test.
"""

from __future__ import annotations

import ast
import io
import re
import tokenize
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from npu_migrate.findings import Finding, Place, Severity, Span
from npu_migrate.index.parsing import UNPARSABLE, parse
from npu_migrate.sources.source import Source

MARKER = "npu-migrate:"

_COMMENT = re.compile(rf"#\s*{MARKER}\s*(?P<verb>[\w-]*)\s*(?:\[(?P<codes>[^\]]*)\])?")
_CODE = re.compile(r"NPU\d*")
_BEFORE_CODE = frozenset({tokenize.ENCODING, tokenize.COMMENT, tokenize.NL, tokenize.NEWLINE})


@dataclass(frozen=True, slots=True)
class Suppression:
    """One comment: `codes` are codes or prefixes (none means all); `problem` says why it cannot hold."""

    span: Span
    codes: tuple[str, ...]
    whole_file: bool
    problem: str | None = None

    def covers(self, code: str) -> bool:
        """Whether the comment names `code`."""
        return self.problem is None and (not self.codes or code.startswith(self.codes))


@dataclass(frozen=True, slots=True)
class Verdict:
    """`kept` and `suppressed` findings of one file, and the NPU904 findings about its comments."""

    kept: tuple[Finding, ...]
    suppressed: tuple[Finding, ...]
    unused: tuple[Finding, ...]


class _Use(NamedTuple):
    comment: Suppression
    code: str


def suppress(source: Source, findings: Sequence[Finding], ran: Callable[[str | None], bool]) -> Verdict:
    """Sort the findings of one file by whether a comment in it suppresses them.

    `ran` tells whether findings of a code or prefix would have been found, ``None`` standing for every
    code; only a comment of which that holds can be called unused.
    """
    comments = read_suppressions(source)
    if not comments:
        return Verdict(tuple(findings), (), ())
    first_line = _first_lines(source.text)
    kept: list[Finding] = []
    suppressed: list[Finding] = []
    uses: set[_Use] = set()
    for finding in findings:
        start = finding.place.span[:2]
        lines = {start[0], first_line(start)}
        matching = [
            comment
            for comment in comments
            if comment.covers(finding.code) and (comment.whole_file or comment.span[0] in lines)
        ]
        (suppressed if matching else kept).append(finding)
        uses.update(_Use(comment, finding.code) for comment in matching)
    unused = [
        Finding("NPU904", Severity.INFO, message, Place(source.key, comment.span))
        for comment in comments
        for message in _complaints(comment, {use.code for use in uses if use.comment is comment}, ran)
    ]
    return Verdict(tuple(kept), tuple(suppressed), tuple(unused))


def read_suppressions(source: Source) -> tuple[Suppression, ...]:
    """The suppression comments of a file, in order; those in a file that breaks off only up to there."""
    if MARKER not in source.text:
        return ()
    found: list[Suppression] = []
    code_seen = False
    docstring_allowed = True
    for token in _tokens(source):
        if token.type == tokenize.COMMENT:
            match = _COMMENT.search(token.string)
            if match:
                offset = source.lines.bounds(token.start[0])[0] + token.start[1]
                start = source.lines.ast_position(offset + match.start())
                end = source.lines.ast_position(offset + match.end())
                found.append(_suppression(match, (*start, *end), code_seen))
        elif token.type == tokenize.STRING and docstring_allowed:
            docstring_allowed = False
        elif token.type not in _BEFORE_CODE:
            code_seen = True
    return tuple(found)


def _tokens(source: Source) -> Iterator[tokenize.TokenInfo]:
    """The tokens of the file, on the lines that ``ast`` counts, up to the first that is not Python."""
    lines = source.lines
    text = "".join(f"{lines.line(number)}\n" for number in range(1, lines.count + 1))
    try:
        yield from tokenize.generate_tokens(io.StringIO(text).readline)
    except (tokenize.TokenError, SyntaxError):
        return


def _suppression(match: re.Match[str], span: Span, code_seen: bool) -> Suppression:
    verb, listed = match["verb"], match["codes"]
    codes = tuple(code.strip().upper() for code in (listed or "").split(",") if code.strip())
    wrong = [code for code in codes if not _CODE.fullmatch(code)]
    problem = None
    if verb not in ("ignore", "ignore-file"):
        problem = f"'{verb}' is not understood; write 'ignore' or 'ignore-file'"
    elif wrong:
        problem = f"{wrong[0]} is not a rule code"
    elif listed is not None and not codes:
        problem = "the list of codes is empty; leave the brackets out to ignore all codes"
    elif verb == "ignore-file" and code_seen:
        problem = "'ignore-file' must stand before the first statement"
    return Suppression(span, codes, verb == "ignore-file", problem)


def _complaints(comment: Suppression, used: set[str], ran: Callable[[str | None], bool]) -> Iterator[str]:
    if comment.problem is not None:
        yield f"this suppression has no effect: {comment.problem}"
    elif not comment.codes:
        if not used and ran(None):
            yield "this suppression is not needed: nothing is found here"
    else:
        idle = [code for code in comment.codes if ran(code) and not any(one.startswith(code) for one in used)]
        if idle:
            yield f"this suppression is not needed: {', '.join(idle)} is not found here"


def _first_lines(text: str) -> Callable[[tuple[int, int]], int]:
    """A function from the position of a finding to the first line of the statement it is in."""
    try:
        tree = parse(text)
    except UNPARSABLE:
        return lambda position: position[0]
    statements = [
        ((node.lineno, node.col_offset), (node.end_lineno or 0, node.end_col_offset or 0))
        for node in ast.walk(tree)
        if isinstance(node, ast.stmt)
    ]

    def first_line(position: tuple[int, int]) -> int:
        return max((start for start, end in statements if start <= position < end), default=position)[0]

    return first_line
