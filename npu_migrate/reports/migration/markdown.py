"""The migration of each program as Markdown, for an issue, a wiki or a pull request."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from npu_migrate.findings import Report
from npu_migrate.languages.saying import Say
from npu_migrate.reports.migration.programs import Migration, Step, migrations, place_of, unanalysed
from npu_migrate.reports.surroundings import Surroundings
from npu_migrate.reports.text import printable
from npu_migrate.reports.wording import number_of

_MOST_PROGRAMS = 10
_MOST_PLACES = 10
_SPECIAL = re.compile(r"([\\`*_{}\[\]<>#|~])")

NOTHING = "Nothing is to be done in the files that were analysed."
SECTIONS = (
    ("safe", "Done by `--write`"),
    ("unsafe", "Offered, with `--write --unsafe-fixes`: read these before you take them"),
    ("manual", "For a person to decide"),
)


def markdown_report(report: Report, surroundings: Surroundings) -> str:
    """The document. Text of the analysed files is escaped, so that it cannot be markup."""
    folder = surroundings.folder.rpartition("/")[2]
    return "".join(f"{line}\n" for line in _lines(report, folder, surroundings.say))


def _lines(report: Report, folder: str, say: Say) -> Iterator[str]:
    found = migrations(report)
    yield f"# {say(f'Migration of {escaped(folder)} to the NPU')}"
    yield ""
    yield say(_overview(report, found))
    if report.files.failed:
        yield ""
        failed = number_of(report.files.failed, "file")
        yield say(f"{failed} could not be analysed: see the NPU9xx findings.")
    left_out = unanalysed(report)
    if left_out:
        yield ""
        yield from (f"- {say.headed(code(place_of(one)), escaped(one.message))}" for one in left_out)
    for one in found:
        yield from _program(one, say)


def _overview(report: Report, found: Sequence[Migration]) -> str:
    if not found:
        return NOTHING if report.files.analysed else "Nothing was analysed."
    programs = sum(len(one.programs) for one in found)
    steps = {
        place for one in found for step in (*one.safe, *one.unsafe, *one.manual) for place in step.places
    }
    files = number_of(report.files.analysed, "file")
    found_in, places = number_of(programs, "program"), number_of(len(steps), "place")
    return f"{found_in} of {files} {'has' if programs == 1 else 'have'} {places} to look at."


def _program(one: Migration, say: Say) -> Iterator[str]:
    yield ""
    yield f"## {programs_in_words([code(name) for name in one.programs], say)}"
    if one.kinds:
        yield ""
        yield say(f"What it is: {kinds_in_words(one)}.")
    for name, title in SECTIONS:
        steps: tuple[Step, ...] = getattr(one, name)
        if steps:
            yield ""
            yield f"### {say(title)}"
            yield ""
            yield from (_step(number, step, say) for number, step in enumerate(steps, 1))
    yield ""
    yield f"### {say('The launcher has to export')}"
    yield ""
    yield from (f"- {say.headed(f'`{name}`', say(meaning))}" for name, meaning in one.exports)


def _step(number: int, step: Step, say: Say) -> str:
    shown = say.listed(code(place) for place in step.places[:_MOST_PLACES])
    more = len(step.places) - _MOST_PLACES
    rest = say(f" and {more} more") if more > 0 else ""
    about = f"{escaped(step.text)}{say.aside(say.listed(step.codes))}"
    return f"{number}. {say.headed(about, f'{shown}{rest}')}"


def programs_in_words(names: Sequence[str], say: Say) -> str:
    """The names of programs that need the same, the first ones."""
    shown = ", ".join(names[:_MOST_PROGRAMS])
    more = len(names) - _MOST_PROGRAMS
    return say(f"{shown} and {more} more") if more > 0 else shown


def kinds_in_words(one: Migration) -> str:
    """What a program is, as the end of a sentence."""
    return "; ".join(one.kinds)


def escaped(text: str) -> str:
    """`text` on one line, without a character that Markdown takes for more than itself."""
    return _SPECIAL.sub(r"\\\1", printable(text))


def code(text: str) -> str:
    """`text` on one line as code, whatever accents it holds."""
    shown = printable(text)
    ticks = "`" * (max((len(run) for run in re.findall(r"`+", shown)), default=0) + 1)
    return f"{ticks} {shown} {ticks}" if len(ticks) > 1 else f"`{shown}`"
