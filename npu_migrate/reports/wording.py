"""Words that several reports share: numbers of things, and what there is to say of a fix."""

from __future__ import annotations

from collections.abc import Iterable

from npu_migrate.findings import Applicability, Diagnostic, Fix, Severity


def number_of(number: int, noun: str) -> str:
    """A number and its noun: ``1 file``, ``2 files``."""
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


def severities_in_words(found: Iterable[Diagnostic]) -> str:
    """How many findings of each severity there are, the worst first: ``1 error, 2 info``; empty for none."""
    severities = [one.severity for one in found]
    numbers = ((severities.count(one), one) for one in reversed(Severity))
    return ", ".join(
        f"{number} info" if one is Severity.INFO else number_of(number, one.label)
        for number, one in numbers
        if number
    )


def fix_title(fix: Fix) -> str:
    """What a fix does, and whether it is safe: ``Unsafe fix: Rename it``."""
    return f"{'Fix' if fix.applicability is Applicability.SAFE else 'Unsafe fix'}: {fix.title}"


def not_asked_for(fix: Fix) -> str:
    """What is said of an unsafe fix that is not suggested, because nobody has asked for unsafe ones."""
    return f"{fix_title(fix)}. It is suggested with --unsafe-fixes only."


def write_command(fix: Fix) -> str:
    """The command that applies a fix."""
    safe = fix.applicability is Applicability.SAFE
    return "npu-migrate --write" if safe else "npu-migrate --write --unsafe-fixes"
