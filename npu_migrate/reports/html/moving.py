"""What the page says of moving programs from a GPU: their steps, and the functions that they call."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from npu_migrate.findings import ApiUse, Report
from npu_migrate.languages.saying import Say
from npu_migrate.reports.api_use import ORDER
from npu_migrate.reports.migration.markdown import SECTIONS, kinds_in_words, programs_in_words
from npu_migrate.reports.migration.programs import Step, migrations, speaks_of_moving

_MOST_PLACES = 10
_API_PLACES = 3


@dataclass(frozen=True, slots=True)
class ShownStep:
    """A step, its first places, and how many there are besides."""

    step: Step
    places: tuple[str, ...]
    more: int


@dataclass(frozen=True, slots=True)
class ShownMigration:
    """Programs that need the same: `sections` are titles and steps, `exports` variables and meanings."""

    programs: str
    kinds: str
    sections: tuple[tuple[str, tuple[ShownStep, ...]], ...]
    exports: tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class ApiGroup:
    """The functions with one verdict: each with its first places."""

    verdict: str
    calls: int
    uses: tuple[tuple[ApiUse, str], ...]


def shown_migrations(report: Report, say: Say) -> tuple[ShownMigration, ...]:
    """The migration of each program; nothing for a report that does not speak of moving any."""
    if not speaks_of_moving(report):
        return ()
    return tuple(
        ShownMigration(
            programs_in_words(one.programs, say),
            say(kinds_in_words(one)),
            tuple(
                (say(title).replace("`", ""), tuple(map(_shown, steps)))
                for name, title in SECTIONS
                if (steps := getattr(one, name))
            ),
            tuple((name, say(meaning)) for name, meaning in one.exports),
        )
        for one in migrations(report)
    )


def _shown(step: Step) -> ShownStep:
    return ShownStep(step, step.places[:_MOST_PLACES], max(len(step.places) - _MOST_PLACES, 0))


def api_groups(uses: Sequence[ApiUse], say: Say) -> tuple[ApiGroup, ...]:
    """The functions by their verdicts, that which asks most of the reader first."""
    groups = [[use for use in uses if use.verdict == verdict] for verdict in ORDER]
    return tuple(
        ApiGroup(
            found[0].verdict,
            sum(len(use.places) for use in found),
            tuple((use, _places(use, say)) for use in found),
        )
        for found in groups
        if found
    )


def _places(use: ApiUse, say: Say) -> str:
    shown = [f"{path}:{line}" for path, line in use.places[:_API_PLACES]]
    return say.listed(shown, more=len(use.places) > _API_PLACES)
