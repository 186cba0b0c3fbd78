"""A server with a rule that fails for every file that says so."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from npu_migrate import rules
from npu_migrate.engine import analysis
from npu_migrate.findings import Finding
from npu_migrate.lsp.command import main
from npu_migrate.project.project import Project


def fail(project: Project) -> Iterable[Finding]:
    """A check that has a fault."""
    print("a rule prints")
    if any(project.mentions(f"FAULT {number}") for number in range(3)):
        raise ZeroDivisionError("a fault")
    return ()


if __name__ == "__main__":
    faulty = tuple(replace(rule, check=fail) if rule.code == "NPU512" else rule for rule in rules.ALL_RULES)
    analysis.ALL_RULES = faulty
    main()
