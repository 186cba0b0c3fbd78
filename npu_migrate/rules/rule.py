"""What a rule is: a code, a name, the texts a user reads, and a check over the project's facts."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from npu_migrate.findings import Finding, Related, Rewrite
from npu_migrate.places import Place

if TYPE_CHECKING:
    from npu_migrate.project.project import Project
    from npu_migrate.training.pipelines.owners import FindOwners


class Proposed(NamedTuple):
    """Rewrites to be tried for the finding at a place, in this order; its message and related places if one
    is borne out."""

    place: Place
    message: str
    rewrites: tuple[Rewrite, ...]
    related: tuple[Related, ...] = ()


@dataclass(frozen=True, slots=True)
class Rule:
    """One entry of the catalogue.

    `severity` and `fix` are the words of the catalogue table ("error, or warning for a default");
    `documentation` is the Markdown page, taken from the rule module's docstring; `sources` are labels of
    the vendor facts. `check` is a pure function over the project; ``None`` for the codes that the engine
    itself reports (NPU9xx). `check_file` gives the findings of one file, with fixes for those sessions that
    somebody else has seen to run the pipelines; ``None`` where fixes don't depend on that. `propose` gives
    what may be tried for the findings of one file; it is asked only where an abstract run can judge that.
    """

    code: str
    name: str
    summary: str
    severity: str
    fix: str
    sources: tuple[str, ...]
    documentation: str
    check: Callable[[Project], Iterable[Finding]] | None = None
    check_file: Callable[[Project, str, FindOwners], Iterable[Finding]] | None = None
    propose: Callable[[Project, str], Iterable[Proposed]] | None = None
