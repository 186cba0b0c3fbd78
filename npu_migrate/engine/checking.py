"""Asking a rule. One that fails costs what it would have found in the files on which it fails."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from npu_migrate.findings import Finding
from npu_migrate.project.editing import edited
from npu_migrate.project.project import Project
from npu_migrate.rules.reached import reached
from npu_migrate.rules.rule import Rule


class Checked(NamedTuple):
    """What a rule found, and what it raised, by the key of the file on which it failed."""

    findings: tuple[Finding, ...]
    failures: Mapping[str, Exception]


def check(project: Project, rule: Rule) -> Checked:
    """The findings of `rule`. If it raises anything, each target is checked by itself."""
    assert rule.check is not None, "the engine itself reports this code"
    try:
        return Checked(tuple(reached(project, rule.check(project))), {})
    except Exception:
        return _file_by_file(project, rule)


def _file_by_file(project: Project, rule: Rule) -> Checked:
    assert rule.check is not None
    findings: list[Finding] = []
    failures: dict[str, Exception] = {}
    for key in sorted((project.ours | project.supporting) & project.targets):
        alone = edited(project, project.tree.focused({key}))
        try:
            findings.extend(reached(alone, rule.check(alone)))
        except Exception as error:
            failures[key] = error
    return Checked(tuple(findings), failures)
