"""Comments that accept a finding: ``# npu-migrate: ignore[NPU101]`` and ``# npu-migrate: ignore-file``.

A comment holds for findings on its own line, and on the first line of a statement for the findings in
that statement (of a compound statement only its header). It may stand among other comments of the line, and
words behind it are its reason. Files without the words ``npu-migrate:`` cost one substring test.
"""

from __future__ import annotations

import ast
import io
import re
import tokenize
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

from npu_migrate.findings import IDLE_COMMENT, Applicability, Finding, Rewrite, Severity
from npu_migrate.index.parsing import UNPARSABLE, parse
from npu_migrate.intents import ReplaceComment
from npu_migrate.places import Place, Span
from npu_migrate.sources.source import Source

MARKER = "npu-migrate:"

_COMMENT = re.compile(rf"#\s*{MARKER}\s*(?P<verb>[\w-]*)(?:\s*\[(?P<codes>[^\]]*)\])?")
_NEXT_COMMENT = re.compile(rf"\s+#(?!\d)|#\s*{MARKER}|\s*$")
_CODE = re.compile(r"NPU\d*")
_BEFORE_CODE = frozenset({tokenize.ENCODING, tokenize.COMMENT, tokenize.NL, tokenize.NEWLINE})


@dataclass(frozen=True, slots=True)
class Suppression:
    """One comment: `codes` are codes or prefixes (none means all); `problem` says why it cannot hold.

    `text` is what stands at `span`. `reasoned` is the same place with the words behind it that belong to it.
    """

    span: Span
    codes: tuple[str, ...]
    whole_file: bool
    problem: str | None
    text: str
    reasoned: Span

    def covers(self, code: str) -> bool:
        """Whether the comment names `code`."""
        return self.problem is None and (not self.codes or code.startswith(self.codes))


@dataclass(frozen=True, slots=True)
class Verdict:
    """`kept` and `suppressed` findings of one file, and the NPU904 findings about its comments."""

    kept: tuple[Finding, ...]
    suppressed: tuple[Finding, ...]
    unused: tuple[Finding, ...]


class SeenInRuns(NamedTuple):
    """The codes that a rehearsal may find where rules do not: those that `only` it has, and those that rules
    have `also`, but cannot tell from the text in each case. A comment may be there for either."""

    only: frozenset[str] = frozenset()
    also: frozenset[str] = frozenset()

    def need(self, code: str) -> bool:
        """Whether a comment that names `code`, or a prefix of codes, is not the business of rules."""
        return any(one.startswith(code) for one in self.only)

    def may_need(self, codes: Iterable[str]) -> bool:
        """Whether a comment for one of these codes, or prefixes of codes, may be needed in a rehearsal."""
        return any(one.startswith(tuple(codes)) for one in self.only | self.also)


NOTHING_IN_RUNS = SeenInRuns()


class _Use(NamedTuple):
    comment: Suppression
    code: str


def suppress(
    source: Source,
    findings: Sequence[Finding],
    ran: Callable[[str | None], bool],
    in_runs: SeenInRuns = NOTHING_IN_RUNS,
) -> Verdict:
    """Sort the findings of one file by whether a comment in it suppresses them.

    `ran` tells whether findings of a code or prefix would have been found, ``None`` standing for every
    code; only a comment of which that holds can be called unused. `in_runs` are what only a rehearsal finds.
    """
    comments = read_suppressions(source)
    if not comments:
        return Verdict(tuple(findings), (), ())
    first_line = first_lines(source.text)
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
    unused = (
        _unused(source.key, comment, {use.code for use in uses if use.comment is comment}, ran, in_runs)
        for comment in comments
    )
    return Verdict(tuple(kept), tuple(suppressed), tuple(one for one in unused if one is not None))


def read_suppressions(source: Source) -> tuple[Suppression, ...]:
    """The suppression comments of a file, in order; those in a file that breaks off only up to there."""
    if MARKER not in source.text:
        return ()
    found: list[Suppression] = []
    code_seen = False
    docstring_allowed = True
    for token in _tokens(source):
        if token.type == tokenize.COMMENT:
            offset = source.lines.bounds(token.start[0])[0] + token.start[1]
            found += (
                _suppression(match, source, offset, code_seen) for match in _COMMENT.finditer(token.string)
            )
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


def _suppression(match: re.Match[str], source: Source, offset: int, code_seen: bool) -> Suppression:
    """What a comment says that begins at `offset`; `match` is the part of it that speaks to this tool."""
    verb, listed = match["verb"], match["codes"]
    codes = tuple(code.upper() for code in _listed(listed or ""))
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
    behind = _NEXT_COMMENT.search(match.string, match.end())
    start, end, reasoned = (
        source.lines.ast_position(offset + index)
        for index in (match.start(), match.end(), behind.start() if behind else len(match.string))
    )
    return Suppression(
        (*start, *end), codes, verb == "ignore-file", problem, match[0], (*start, *max(end, reasoned))
    )


def _listed(codes: str) -> list[str]:
    return [code.strip() for code in codes.split(",") if code.strip()]


def _unused(
    key: str,
    comment: Suppression,
    used: set[str],
    ran: Callable[[str | None], bool],
    in_runs: SeenInRuns,
) -> Finding | None:
    """The finding about a comment that cannot hold, or suppresses nothing."""
    idle: tuple[str, ...] = ()
    if comment.problem is not None:
        message = f"this suppression has no effect: {comment.problem}"
    elif comment.codes:
        idle = tuple(
            code
            for code in comment.codes
            if ran(code) and not in_runs.need(code) and not any(one.startswith(code) for one in used)
        )
        if not idle:
            return None
        verb = "is" if len(idle) == 1 else "are"
        message = f"this suppression is not needed: {', '.join(idle)} {verb} not found here"
    elif used or not ran(None):
        return None
    else:
        message = "this suppression is not needed: nothing is found here"
    rewrite = _removal(key, comment, idle)
    if comment.problem is None and in_runs.may_need(idle or ("NPU",)):
        message += "; a rehearsal may find it"
        rewrite = replace(rewrite, applicability=Applicability.UNSAFE)
    return Finding(IDLE_COMMENT, Severity.INFO, message, Place(key, comment.span), rewrite=rewrite)


def _removal(key: str, comment: Suppression, idle: Sequence[str]) -> Rewrite:
    """What removes a comment, or the `idle` ones of its codes. Safe if no words of its author are lost."""
    if comment.problem is None and set(idle) != set(comment.codes):
        change = ReplaceComment(Place(key, comment.span), with_codes(comment, without=idle))
        return Rewrite(Applicability.SAFE, f"Remove {', '.join(idle)} from the comment", (change,))
    change = ReplaceComment(Place(key, comment.reasoned))
    if comment.problem is not None:
        return Rewrite(Applicability.UNSAFE, "Remove the comment, if it was not misspelt", (change,))
    if comment.reasoned != comment.span:
        return Rewrite(Applicability.UNSAFE, "Remove the comment and its reason", (change,))
    return Rewrite(Applicability.SAFE, "Remove the comment", (change,))


def with_codes(comment: Suppression, without: Sequence[str] = (), added: Sequence[str] = ()) -> str:
    """The text of a comment that lists codes, after some are taken from its list and others added."""
    head, _, listed = comment.text.rstrip("]").partition("[")
    kept = [code for code in _listed(listed) if code.upper() not in without]
    return f"{head}[{', '.join((*kept, *added))}]"


def first_lines(text: str) -> Callable[[tuple[int, int]], int]:
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
