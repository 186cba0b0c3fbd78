"""The last lines of a run, for standard error: what was found, what can be fixed, what was not looked at."""

from __future__ import annotations

from collections.abc import Iterator

from npu_migrate.findings import Applicability, BaselineCounts, FileCounts, Report, Review
from npu_migrate.languages.saying import Say, english
from npu_migrate.reports.text import printable
from npu_migrate.reports.wording import number_of, severities_in_words


def summary(report: Report, *, unsafe_is_set: bool = False, say: Say = english) -> str:
    """The summary of a run, one or more lines. It never claims more silence than was looked for.

    `unsafe_is_set` tells that the configuration asks for unsafe fixes, so that no option is needed for them.
    `say` translates each line.
    """
    return "".join(f"{say(line)}\n" for line in _lines(report, unsafe_is_set))


def _lines(report: Report, unsafe_is_set: bool) -> Iterator[str]:
    counted = report.counted
    fixed = report.fixed_safe + report.fixed_unsafe
    if fixed:
        yield f"Fixed {number_of(fixed, 'finding')} in {number_of(report.files.changed, 'file')}."
    done = fixed or report.newly_suppressed
    if report.newly_suppressed:
        accepted = number_of(report.newly_suppressed, "finding")
        yield f"Suppressed {accepted} in {number_of(report.files.changed, 'file')}."
    numbers = severities_in_words(counted)
    where = number_of(len({one.path for one in counted}), "file")
    yield f"{'Remaining' if done else 'Found'}: {numbers} in {where}." if numbers else _silence(report, done)
    if report.files.changed and not done:
        yield f"{number_of(report.files.changed, 'file')} would change."
    yield _files(report.files)
    fixable = [one.fix.applicability for one in counted if one.fix]
    safe, unsafe = fixable.count(Applicability.SAFE), fixable.count(Applicability.UNSAFE)
    if safe:
        yield f"{safe} fixable with --write."
    if unsafe:
        options = "--write (unsafe)" if unsafe_is_set else "--write --unsafe-fixes"
        yield f"{unsafe} {'more ' if safe else ''}fixable with {options}."
    suppressed = sum(one.suppressed for one in report.diagnostics)
    if suppressed:
        yield f"{number_of(suppressed, 'finding')} suppressed by comments."
    if report.baseline is not None:
        yield from _baseline(report.baseline, sum(one.baselined for one in report.diagnostics))
    if report.review is not None:
        yield from _review(report.review)


def _baseline(baseline: BaselineCounts, found: int) -> Iterator[str]:
    file = printable(baseline.file)
    if found:
        yield f"{number_of(found, 'finding')} accepted by {file}."
    if baseline.elsewhere:
        yield f"None of the files that {file} names is there; was it written with another --root?"
    elif baseline.gone:
        are = "is" if baseline.gone == 1 else "are"
        yield (
            f"{baseline.gone} of {number_of(baseline.accepted, 'baselined finding')} {are} gone; "
            f"--prune-baseline removes {'it' if baseline.gone == 1 else 'them'} from {file}."
        )


def _review(review: Review) -> Iterator[str]:
    if not review.hunks:
        yield "The change touches none of these files."
    if review.elsewhere:
        are = "is" if review.elsewhere == 1 else "are"
        number = number_of(review.elsewhere, "finding")
        if review.new_only:
            were = "was" if review.elsewhere == 1 else "were"
            yield f"{number} that {were} there before the change {are} not shown."
        else:
            yield f"{number} on lines that the change did not touch {are} not shown."


def _silence(report: Report, done: int) -> str:
    if done:
        return "Nothing remains."
    if not report.files.analysed:
        return "Nothing was analysed."
    if report.review is not None:
        return "No findings belong to the change."
    files = number_of(report.files.analysed, "analysed file")
    if any(one.baselined for one in report.diagnostics):
        return f"No new findings in {files}."
    return f"No findings in {files}."


def _files(files: FileCounts) -> str:
    parts = [f"{files.analysed} analysed"]
    if files.skipped_by_gate:
        parts.append(f"{files.skipped_by_gate} of no concern to any rule")
    if files.failed:
        parts.append(f"{files.failed} could not be analysed (see the NPU9xx findings)")
    context = f"; {files.context} more read for context" if files.context else ""
    return f"{number_of(files.discovered, 'file')}: {', '.join(parts)}{context}."
