"""What the rules of the group NPU7xx have in common: of which programs they speak, and how it weighs."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import wraps
from typing import NamedTuple

from npu_migrate.findings import Applicability, Finding, Related, Rewrite, Severity
from npu_migrate.index.facts import Call
from npu_migrate.places import Place
from npu_migrate.project.project import Project
from npu_migrate.project.ref import Ref
from npu_migrate.rules.places import last_token
from npu_migrate.training.listed_names import listing_of_added_names
from npu_migrate.training.npu.programs import programs_with_npu
from npu_migrate.training.porting.edit import NO_CHANGE, Edit
from npu_migrate.training.porting.hindrances import hindrances
from npu_migrate.training.porting.programs import npu_programs_of
from npu_migrate.training.porting.staying.test_code import in_test
from npu_migrate.training.porting.to_move import moves_any, ported_programs
from npu_migrate.training.porting.trains import program_trains
from npu_migrate.training.porting.unrecognized.net import unrecognized_trainings
from npu_migrate.training.porting.unrecognized.training_calls import Kind

Check = Callable[[Project], Iterator[Finding]]

ALSO_NEEDED = "{message}; to run on the NPU the program also needs {codes}"
NO_EDIT = "{message}; not changed: {reason}"
LISTED = "{message}; the fix adds a name where the program lists its own"
LISTED_HERE = "the names are listed here"


def of_ported_programs(check: Check) -> Check:
    """A rule's `check`, asked only where some program is to run on the NPU."""

    @wraps(check)
    def asked(project: Project) -> Iterator[Finding]:
        if moves_any(project):
            yield from check(project)

    return asked


class Moved(NamedTuple):
    """The programs of a file that are to be moved, and how much it weighs that something is not moved."""

    programs: tuple[str, ...]
    severity: Severity


def programs_to_move(project: Project, key: str) -> Moved | None:
    """The programs of a file that are to run on the NPU; None if there are none.

    It is an error to train on the CPU, and a warning where importing npu_bridge may help.
    """
    programs = ported_programs(project, key)
    if not programs:
        return None
    known = {*programs_with_npu(project, key)}
    severity = Severity.WARNING if known.issuperset(programs) else Severity.ERROR
    return Moved(programs, severity)


def moving_finding(
    project: Project,
    code: str,
    place: Place,
    moved: Moved,
    message: str,
    title: str,
    edit: Edit,
    related: tuple[Related, ...] = (),
) -> Finding:
    """The finding that something is not on the NPU. Its fix is unsafe if it leaves the program half moved."""
    needed = sorted({one for program in moved.programs for one in hindrances(project, program)} - {code})
    if needed:
        message = ALSO_NEEDED.format(message=message, codes=_joined(needed))
    if edit.obstacle:
        message = NO_EDIT.format(message=message, reason=edit.obstacle)
    applicability = Applicability.UNSAFE if needed else edit.applicability
    rewrite = Rewrite(applicability, title, edit.intents) if edit.intents else None
    finding = Finding(code, moved.severity, message, place, related, rewrite, moved.programs)
    return _unsafe_if_listed(project, finding)


def _unsafe_if_listed(project: Project, finding: Finding) -> Finding:
    """The finding, whose fix is not safe where the program sees a name that it adds."""
    rewrite = finding.rewrite
    listing = None if rewrite is None else listing_of_added_names(project, rewrite.intents)
    if rewrite is None or listing is None:
        return finding
    return replace(
        finding,
        message=LISTED.format(message=finding.message),
        related=(*finding.related, Related(listing.place, LISTED_HERE)),
        rewrite=replace(rewrite, applicability=Applicability.UNSAFE),
    )


class Mending(NamedTuple):
    """What moves programs that train at a place: `message` and `title` are of a finding with this fix."""

    plan: Callable[[Project, Ref, tuple[str, ...]], Edit]
    message: str
    title: str


def unrecognized_findings(
    project: Project,
    code: str,
    kind: Kind,
    message: str,
    mending: Mending | None = None,
    handed_on: str = "",
    by_library: str = "",
) -> Iterator[Finding]:
    """A finding for each place where programs train and nothing of them was recognised that can be moved.

    It has no fix, unless a `mending` needs to recognise no more. `handed_on` is the message where a function
    that trains in a session of its own is handed on, `by_library` where a library opens the session.
    """
    for one in unrecognized_trainings(project):
        moved = programs_to_move(project, one.ref.key) if one.ref.key in project.targets else None
        if one.kind == kind and moved is not None:
            expr = one.ref.expr
            place = last_token(one.ref.key, expr.func if isinstance(expr, Call) else expr)
            moved = moved._replace(programs=one.programs)
            edit = mending.plan(project, one.ref, one.programs) if mending is not None else NO_CHANGE
            if mending is not None and edit.intents:
                yield moving_finding(project, code, place, moved, mending.message, mending.title, edit)
            else:
                said = handed_on if one.opens_session else message
                if one.package:
                    said = by_library.format(library=one.package)
                yield moving_finding(project, code, place, moved, said, "", edit)


def is_test_that_stays(project: Project, ref: Ref) -> bool:
    """Whether the code at `ref` is that of a test, in a run that moves programs: tests stay as they are."""
    return project.options.port and in_test(project, ref)


def is_in_none_that_moves(project: Project, ref: Ref) -> bool:
    """Whether a run that moves programs leaves all with the code at `ref` where they are: none trains."""
    if not project.options.port or npu_programs_of(project, ref.key):
        return False
    return not any(program_trains(project, one) for one in project.programs_of(ref.key))


def programs_that_train(project: Project, ref: Ref) -> tuple[str, ...]:
    """The programs that are to run on the NPU, train, and have the code at `ref`, but for that of tests."""
    if ref.key not in project.targets or in_test(project, ref):
        return ()
    return tuple(one for one in ported_programs(project, ref.key) if program_trains(project, one))


def reported(
    project: Project,
    code: str,
    severity: Severity,
    ref: Ref,
    message: str,
    rewrite: Rewrite | None = None,
    *,
    whole: bool = False,
) -> Iterator[Finding]:
    """The finding about the code at `ref`, if it belongs to a program that is to run on the NPU and trains.

    It is shown at the last word of what is called; with `whole` at the expression.
    """
    programs = programs_that_train(project, ref)
    if programs:
        called = isinstance(ref.expr, Call) and not whole
        place = last_token(ref.key, ref.expr.func) if called and isinstance(ref.expr, Call) else ref.place
        yield _unsafe_if_listed(project, Finding(code, severity, message, place, (), rewrite, programs))


def advised(
    project: Project,
    code: str,
    ref: Ref,
    message: str,
    severity: Severity = Severity.INFO,
    rewrite: Rewrite | None = None,
    *,
    whole: bool = False,
) -> Iterator[Finding]:
    """What is worth knowing when a program is moved, and no news in one that was: the same, with
    ``port`` only.
    """
    if project.options.port:
        yield from reported(project, code, severity, ref, message, rewrite, whole=whole)


def of_moved_programs(project: Project, ref: Ref) -> bool:
    """Whether the code at `ref` belongs to a program that runs on the NPU, or will after this run's fixes.

    What has a kernel on the NPU only must not come into a program that stays on the CPU.
    """
    return not set(programs_that_train(project, ref)).isdisjoint(npu_programs_of(project, ref.key))


def spoken(name: str) -> str:
    """A canonical name as people write it: ``tf.device`` for ``tensorflow.device``."""
    public = name.startswith("tensorflow.") and ".python." not in name
    return name.replace("tensorflow.", "tf.", 1) if public else name


def _joined(codes: list[str]) -> str:
    return " and ".join((", ".join(codes[:-1]), codes[-1])) if len(codes) > 1 else codes[0]
