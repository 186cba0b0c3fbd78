"""The values that travel from rules to reports: severities, findings, edits, diagnostics, reports.

Rules yield `Finding`s, whose places are ``ast`` coordinates and whose `Rewrite` is a list of intents.
The engine turns each of them into a `Diagnostic`, whose places are 1-based lines and code-point columns
and whose `Fix` is a set of text edits. Every output format is made from diagnostics alone.
"""

from __future__ import annotations

import enum
from collections.abc import Mapping
from dataclasses import dataclass, field

from npu_migrate.intents import Intent
from npu_migrate.places import CellPlace, LineSpan, Place, Range

NOT_ANALYSED = frozenset({"NPU901", "NPU902", "NPU903"})
"""Codes that say that something could not be analysed. No comment can accept what nobody has seen."""

PARTLY_ANALYSED = "NPU903"
"""The one of these codes that says that a part of a file was not analysed, and what."""

IDLE_COMMENT = "NPU904"
"""The code that says that a suppression comment suppresses nothing."""

REFUSED_FIX = "NPU905"
"""The code that says why the fix of another finding at the same place is not applied."""


VERIFIABLE = frozenset({"NPU101", "NPU102", "NPU103", "NPU108", "NPU110"})
"""The codes whose fixes an abstract run of the program can bear out or refute."""


class Severity(enum.IntEnum):
    """How bad a finding is; larger is worse."""

    INFO = 1
    WARNING = 2
    ERROR = 3

    @property
    def label(self) -> str:
        """The word that reports show: ``error``, ``warning`` or ``info``."""
        return self.name.lower()

    def lowered(self) -> Severity:
        """One step down, for findings that rest on a default value only; ``INFO`` stays ``INFO``."""
        return Severity(max(self - 1, Severity.INFO))


class Applicability(enum.Enum):
    """Whether a fix may be applied without being read first."""

    SAFE = "safe"
    UNSAFE = "unsafe"


@dataclass(frozen=True, slots=True)
class Related:
    """Another place that explains a finding, e.g. the flag whose default decides it."""

    place: Place
    message: str


@dataclass(frozen=True, slots=True)
class Rewrite:
    """What should change to mend a finding: intents, not text. All of them are applied, or none.

    A proposal has to be borne out by an abstract run of the edited program: it is not enough that nothing is
    known against it. `proposal` is its number, 0 for what is no proposal.
    """

    applicability: Applicability
    title: str
    intents: tuple[Intent, ...]
    proposal: int = 0


@dataclass(frozen=True, slots=True)
class Finding:
    """What a rule found: one per code and place.

    `programs` are the keys of the entry scripts in which it holds; `sources` are labels of the vendor
    facts the rule rests on. `proposals` are what a later pass may do where the first one has chosen one.
    Its fix is `withdrawn` where an abstract run has shown that it breaks the program: no later pass makes it.
    """

    code: str
    severity: Severity
    message: str
    place: Place
    related: tuple[Related, ...] = ()
    rewrite: Rewrite | None = None
    programs: tuple[str, ...] = ()
    proposals: tuple[Rewrite, ...] = ()
    withdrawn: bool = False


@dataclass(frozen=True, slots=True)
class TextEdit:
    """Replace `range` of the file as it was read by `text` (which carries the file's own newline)."""

    path: str
    range: Range
    text: str


@dataclass(frozen=True, slots=True)
class Fix:
    """The edits that mend one diagnostic, complete: it needs no other diagnostic's edits.

    It is `verified` if an abstract run of the edited program has borne it out; None where none was asked.
    """

    applicability: Applicability
    title: str
    edits: tuple[TextEdit, ...]
    verified: bool | None = None


@dataclass(frozen=True, slots=True)
class RelatedRange:
    """`Related` in report coordinates, as in a `Diagnostic`."""

    path: str
    range: Range
    message: str
    cell: CellPlace | None = None


@dataclass(frozen=True, slots=True)
class Diagnostic:
    """A finding as reports show it. Paths are relative to the working directory, with ``/``.

    `range` is where it stands in the file; `cell` is the same for people, when the file is a notebook.
    `source_line` is the Python text of the first line, without its newline. A finding that is `suppressed` by
    a comment or `baselined` by a file of accepted findings does not count.
    """

    code: str
    name: str
    severity: Severity
    message: str
    path: str
    range: Range
    related: tuple[RelatedRange, ...]
    fingerprint: str
    suppressed: bool
    programs: tuple[str, ...]
    fix: Fix | None
    sources: tuple[str, ...]
    source_line: str
    cell: CellPlace | None = None
    baselined: bool = False

    @property
    def counts(self) -> bool:
        """Whether it decides the exit code and is to be worked on."""
        return not self.suppressed and not self.baselined


@dataclass(frozen=True, slots=True)
class FileCounts:
    """What became of the files.

    `discovered` lie inside PATH; `skipped_by_gate` of them concern no rule; `context` lie outside PATH and
    were read for the cross-file facts; `analysed` were searched for findings; `failed` could not be read
    or parsed; `changed` were (or, in a diff, would be) rewritten.
    """

    discovered: int = 0
    skipped_by_gate: int = 0
    context: int = 0
    analysed: int = 0
    failed: int = 0
    changed: int = 0


@dataclass(frozen=True, slots=True)
class Review:
    """The change that a report is limited to.

    `top` is the absolute path of the repository, with ``/``. `hunks` are, by path, the lines that a diff of
    the change shows with three lines of context. `elsewhere` counts the findings that count but do not belong
    to the change, and are not in the report. With `new_only` what was there before does not belong to it,
    even if the change touched it.
    """

    top: str
    hunks: Mapping[str, tuple[LineSpan, ...]]
    elsewhere: int
    new_only: bool = False


@dataclass(frozen=True, slots=True)
class BaselineCounts:
    """What a file of accepted findings came to.

    `file` is its path as users see it; it accepts `accepted` findings, of which `gone` are no longer there.
    `elsewhere` tells that this is so because none of its files is there: they may be those of another root.
    """

    file: str
    accepted: int
    gone: int
    elsewhere: bool = False


@dataclass(frozen=True, slots=True)
class ApiUse:
    """One function or class of TensorFlow that a project calls, and what is known of it on the NPU.

    `verdict` is a word of `npu_migrate.knowledge.api_support`, or ``not checked``: nobody has looked at the
    name. `places` are the paths and lines of its calls, in order; the paths are keys until they are shown.
    """

    name: str
    verdict: str
    advice: str
    source: str
    code: str
    product: str
    date: str
    places: tuple[tuple[str, int], ...]


@dataclass(frozen=True, slots=True)
class Difference:
    """The first place where two runs of a script differ.

    `kind` is ``"fetched"`` for a tensor, ``"printed"`` for a line of output, ``"runs"`` where one of them has
    fewer session runs. `step` counts the session runs that fetch something, or the lines, from 1. `what` is
    the name of the tensor; `expected` and `found` are the two values as text. `path` and `line` tell which
    statement of the migrated script it was, where that is known.
    """

    kind: str
    step: int
    what: str
    expected: str
    found: str
    path: str | None = None
    line: int | None = None


@dataclass(frozen=True, slots=True)
class Compared:
    """What comparing two runs came to: `steps` session runs were equal in all that they fetched."""

    steps: int
    first_difference: Difference | None


@dataclass(frozen=True, slots=True)
class Rehearsal:
    """What there is to say of a report whose findings were seen in a run: how many session runs it had."""

    runs: int
    compared: Compared | None = None


@dataclass(frozen=True, slots=True)
class Report:
    """The result of a run: diagnostics in order of path, position and code, and the counts.

    `newly_suppressed` counts the findings for which the run has written a comment.
    `review` is there when the diagnostics are only those of a change, `baseline` when some findings may be
    accepted in a file, `rehearsal` when all were seen in a run of a script.
    """

    diagnostics: tuple[Diagnostic, ...]
    files: FileCounts = field(default_factory=FileCounts)
    fixed_safe: int = 0
    fixed_unsafe: int = 0
    newly_suppressed: int = 0
    review: Review | None = None
    baseline: BaselineCounts | None = None
    rehearsal: Rehearsal | None = None

    @property
    def counted(self) -> tuple[Diagnostic, ...]:
        """The diagnostics that are neither suppressed nor baselined."""
        return tuple(one for one in self.diagnostics if one.counts)
