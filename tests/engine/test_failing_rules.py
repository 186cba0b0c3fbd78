"""A rule with a mistake: the run goes on, and says for which files it could not be asked."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from dataclasses import replace

from command import folder_with

from npu_migrate.engine.analysis import Splitter
from npu_migrate.engine.installed import installed_machinery
from npu_migrate.engine.request import Request, prepare
from npu_migrate.engine.run import run
from npu_migrate.findings import Applicability, Diagnostic, Finding, Severity
from npu_migrate.places import Place
from npu_migrate.project.once import once_in_cycles
from npu_migrate.project.project import Project
from npu_migrate.rules import ALL_RULES
from npu_migrate.rules.rule import Rule

SCRIPT = b"""\
import tensorflow as tf
ds = tf.data.Dataset.from_tensor_slices([1.0]).repeat()  # npu-migrate: ignore[NPU404]
x = ds.make_one_shot_iterator().get_next()
with tf.Session() as sess:
    print(sess.run(x))
"""
TWO = {"good.py": SCRIPT, "bad.py": SCRIPT}


def test_a_rule_that_fails_on_one_file_costs_its_findings_there() -> None:
    found = diagnostics_of([rule("NPU999", greets_good_files)])
    assert [(one.path, one.code) for one in found if one.code != "NPU904"] == [
        ("bad.py", "NPU903"),
        ("bad.py", "NPU101"),
        ("good.py", "NPU999"),
        ("good.py", "NPU101"),
    ]
    (failure,) = (one for one in found if one.code == "NPU903")
    assert failure.severity is Severity.ERROR
    assert failure.message.startswith("not checked for NPU999: the rule failed (KeyError in ")
    assert "test_failing_rules.py, line " in failure.message


def test_rules_that_fail_on_a_file_are_told_together() -> None:
    found = diagnostics_of([rule("NPU998", fails_at_once), rule("NPU999", greets_good_files)])
    failures = [one.message for one in found if one.code == "NPU903"]
    assert [message.partition(":")[0] for message in failures] == [
        "not checked for NPU998, NPU999",
        "not checked for NPU998",
    ]
    assert all("RecursionError" in message for message in failures)


def test_a_rule_that_fails_on_files_together_only_costs_nothing() -> None:
    found = diagnostics_of([rule("NPU999", fails_on_several_files)])
    assert [one.code for one in found].count("NPU999") == 2
    assert "NPU903" not in {one.code for one in found}


def test_a_comment_may_be_for_what_a_failed_rule_would_have_found() -> None:
    def removals(*further: Rule) -> dict[str, Applicability | None]:
        found = diagnostics_of([*further])
        return {one.path: applicability(one) for one in found if one.code == "NPU904"}

    assert removals() == {"bad.py": Applicability.SAFE, "good.py": Applicability.SAFE}
    failed = removals(rule("NPU999", greets_good_files))
    assert failed == {"bad.py": Applicability.UNSAFE, "good.py": Applicability.SAFE}


def test_an_answer_that_failed_is_no_answer() -> None:
    """What stands for the answer while it is worked out must not stay when that fails."""
    failing = iter([True])
    answers: set[int] = set()

    @once_in_cycles(0)
    def ask(project: Project) -> int:
        if next(failing, False):
            raise ValueError
        return 7

    def check(project: Project) -> Iterable[Finding]:
        with suppress(ValueError):
            answers.add(ask(project))
        answers.add(ask(project))
        return ()

    diagnostics_of([rule("NPU999", check)])
    assert answers == {7}


def diagnostics_of(further: list[Rule]) -> tuple[Diagnostic, ...]:
    """What all rules and `further` ones find in two scripts."""
    rules = (*ALL_RULES, *further)
    machinery = replace(
        installed_machinery(),
        rules=rules,
        new_splitter=lambda src, options, progress, index: Splitter(src, options, progress, index, rules),
    )
    with folder_with(TWO):
        return run(prepare(Request((".",)), machinery)).report.diagnostics


def rule(code: str, check: Callable[[Project], Iterable[Finding]]) -> Rule:
    return Rule(code, "test", "A rule for tests.", "info", "manual", (), "", check)


def greets_good_files(project: Project) -> Iterator[Finding]:
    for key in sorted(project.targets):
        if key.endswith("bad.py"):
            raise KeyError(key)
        yield hello(key)


def fails_at_once(project: Project) -> Iterator[Finding]:
    return fails_at_once(project)


def fails_on_several_files(project: Project) -> Iterator[Finding]:
    (key,) = project.targets
    yield hello(key)


def hello(key: str) -> Finding:
    return Finding("NPU999", Severity.INFO, "hello", Place(key, (1, 0, 1, 0)))


def applicability(diagnostic: Diagnostic) -> Applicability | None:
    return None if diagnostic.fix is None else diagnostic.fix.applicability
