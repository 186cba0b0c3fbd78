"""What a report may show beside the diagnostics: the rules, and the files they speak of."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from npu_migrate.findings import Applicability
from npu_migrate.languages.saying import Say, english

if TYPE_CHECKING:
    from npu_migrate.findings import ApiUse, Report
    from npu_migrate.rules.rule import Rule
    from npu_migrate.sources.source import Source

Sources = Callable[[str], "Source | None"]
"""The file of a path as it stands in a report; None for a file that cannot be read."""


@dataclass(frozen=True, slots=True)
class Making:
    """How a report was made: `when`, of which `commit`, with which `settings`.

    The commit is the last one; the files may have changed since. The settings are keys with values in TOML,
    and `settings_file` is the file that they were read from. None stands for no commit, and for no file.
    """

    when: str
    commit: str | None
    settings: Mapping[str, str]
    settings_file: str | None


@dataclass(frozen=True, slots=True)
class Surroundings:
    """`rules` are the catalogue; `source` gives the file of a path as it stands in the report.

    The file is the one that the diagnostics and their edits speak of. Formats ask for it as often as they
    like, one file after the other: whoever gives it remembers the last ones.
    `folder` is the absolute path that the paths of the report are relative to, with ``/``.
    `applicability` tells which fixes the run takes: the safe ones, or the unsafe ones too.
    `posted` are the fingerprints of findings that an earlier review has told already.
    `documentation` is the address of the documentation, if it can be read somewhere.
    `making` is there for formats that are dated. `api` are the functions of TensorFlow that the files call,
    where the report is to list them. `say` translates what a format says by itself; the report and the rules
    are in the language already.
    """

    rules: Sequence[Rule]
    source: Sources
    folder: str
    applicability: Applicability = Applicability.SAFE
    posted: frozenset[str] = frozenset()
    making: Making | None = None
    documentation: str | None = None
    api: tuple[ApiUse, ...] = ()
    say: Say = english
    language: str = "en"

    def page_of(self, code: str) -> str | None:
        """The address of a rule's page; None where there is none."""
        return None if self.documentation is None else f"{self.documentation.rstrip('/')}/rules/{code}/"

    def rules_of(self, report: Report) -> tuple[Rule, ...]:
        """The rules that found something, in order of their codes."""
        codes = {one.code for one in report.diagnostics}
        return tuple(sorted((one for one in self.rules if one.code in codes), key=lambda rule: rule.code))
