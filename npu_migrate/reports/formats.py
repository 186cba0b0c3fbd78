"""The output formats, by the name that ``--format`` takes. Each is imported when it is used."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from importlib import import_module
from types import MappingProxyType
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from npu_migrate.findings import Report
    from npu_migrate.reports.surroundings import Surroundings

    Render = Callable[[Report, Surroundings], str]


@dataclass(frozen=True, slots=True)
class Format:
    """One output format.

    `function` names what makes it, as ``module.function`` below this package. `shows_edits` tells whether
    it carries the edits of the fixes, which then have to be planned to the end. One that is `for_people` has
    colours on a terminal. One that is `dated` tells when it was made, so none is given a second time. One
    that is `spoken` is read by people in the end, so it is in their language; others only if it is asked for.
    """

    function: str
    shows_edits: bool
    for_people: bool = False
    dated: bool = False
    spoken: bool = False

    def render(self, report: Report, surroundings: Surroundings) -> str:
        """The report as text, ending with a newline unless it is empty."""
        module, _, name = self.function.rpartition(".")
        render: Render = getattr(import_module(f"npu_migrate.reports.{module}"), name)
        return render(report, surroundings)


FORMATS: Mapping[str, Format] = MappingProxyType(
    {
        "text": Format("text.text_report", shows_edits=False, for_people=True, spoken=True),
        "concise": Format("text.concise_report", shows_edits=False, for_people=True, spoken=True),
        "json": Format("json.json_report", shows_edits=True),
        "sarif": Format("sarif.sarif_report", shows_edits=True),
        "github": Format("github.github_report", shows_edits=False),
        "gitlab": Format("gitlab.gitlab_report", shows_edits=False),
        "junit": Format("junit.junit_report", shows_edits=False),
        "csv": Format("csv.csv_report", shows_edits=True),
        "html": Format("html.html_report", shows_edits=True, dated=True, spoken=True),
        "markdown": Format("migration.markdown.markdown_report", shows_edits=False, spoken=True),
        "github-review": Format("reviews.github_review.github_review", shows_edits=True, spoken=True),
        "rdjson": Format("reviews.rdjson.rdjson_report", shows_edits=True),
    }
)
