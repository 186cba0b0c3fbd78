"""From the verdicts of a run to findings: places in files, and sentences."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator

from npu_migrate.findings import Finding, Related
from npu_migrate.places import Place, Span
from npu_migrate.rehearsal.protocol import Line, Verdict
from npu_migrate.rehearsal.wording import message
from npu_migrate.sources.discovery import key_of
from npu_migrate.sources.source import Source

Sources = Callable[[str], Source | None]
"""The file of a key; None for one that cannot be read."""


def findings(verdicts: Iterable[Verdict], script: str, sources: Sources) -> Iterator[Finding]:
    """One finding for each verdict, and of those that say the same at the same place only the first.

    `script` is the key of the script that was run; a verdict without a place stands on its first line.
    """
    seen: set[tuple[str, str, Place]] = set()
    for verdict in verdicts:
        place = _place(verdict.place or Line(script, 1), sources)
        said = message(verdict)
        if (verdict.code, said, place) in seen:
            continue
        seen.add((verdict.code, said, place))
        yield Finding(
            verdict.code,
            verdict.severity,
            said,
            place,
            related=tuple(
                Related(_place(one, sources), f"the {one.role} is made here" if one.role else "see here")
                for one in verdict.related
            ),
            programs=(script,),
        )


def files_of(verdicts: Iterable[Verdict]) -> frozenset[str]:
    """The keys of the files that `verdicts` speak of."""
    lines = (line for one in verdicts for line in (one.place, *one.related) if line is not None)
    return frozenset(key_of(line.path) for line in lines)


def _place(line: Line, sources: Sources) -> Place:
    key = key_of(line.path)
    source = sources(key)
    return Place(key, (line.line, 0, line.line, 0) if source is None else _whole_line(source, line.line))


def _whole_line(source: Source, number: int) -> Span:
    """The text of a line without the white space around it; an event knows the line only."""
    number = min(number, source.lines.count)
    text = source.lines.line(number)
    start = len(text[: len(text) - len(text.lstrip())].encode("utf-8", "surrogatepass"))
    end = len(text.rstrip().encode("utf-8", "surrogatepass"))
    return number, min(start, end), number, end
