"""Safe fixes before the judge: what becomes of those that it bears out, refutes, or cannot follow."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest
from command import folder_with, tool
from fidelity import read_tree
from fixture_cases import FIXTURES, Case
from source_trees import tree_of

from npu_migrate.abstract_run.judging import Originals
from npu_migrate.engine.diagnosing import CompiledFix
from npu_migrate.engine.fixes.fixing import FixPlan
from npu_migrate.engine.fixes.proposals import Proposals
from npu_migrate.engine.fixes.verifying import Planners, plan_verified
from npu_migrate.engine.job import Analysis
from npu_migrate.findings import Applicability, Finding, Rewrite, Severity
from npu_migrate.places import Place
from npu_migrate.programs.programs import relevant_files
from npu_migrate.project.editing import edited
from npu_migrate.project.project import Project
from npu_migrate.rewrite.edits import OffsetEdit
from npu_migrate.sources.tree import SourceTree
from npu_migrate.training.libraries import LIBRARIES

SAFE, UNSAFE = Applicability.SAFE, Applicability.UNSAFE
Change = tuple[str, str]
"""A text that stands in the script once, and what it becomes."""

SCRIPT = """\
import tensorflow as tf

ds = tf.data.Dataset.range(3)
it = ds.make_one_shot_iterator()
x = it.get_next()
sess = tf.Session()
# here
sess.run(x)
"""
INITIALIZABLE = ("make_one_shot_iterator", "make_initializable_iterator")
INITIALIZED = ("# here", "sess.run(it.initializer)")

TWO = """\
import tensorflow as tf

ds = tf.data.Dataset.range(3)
first = ds.make_one_shot_iterator()
x = first.get_next()
second = tf.data.make_one_shot_iterator(ds)
y = second.get_next()
sess = tf.Session()
# here
sess.run(x)
# there
sess.run(y)
sess.run(x)
"""
REGISTER = "\ntf.add_to_collection(tf.GraphKeys.TABLE_INITIALIZERS, {}.initializer)"
FIRST = (
    ("ds.make_one_shot_iterator()", "ds.make_initializable_iterator()" + REGISTER.format("first")),
    ("# here", "sess.run(tf.tables_initializer())"),
)
SECOND = (
    (
        "tf.data.make_one_shot_iterator(ds)",
        "tf.data.make_initializable_iterator(ds)" + REGISTER.format("second"),
    ),
    ("# there", "sess.run(tf.tables_initializer())"),
)

Planned = tuple[tuple[Finding, ...], FixPlan]
Plan = Callable[..., Planned]


@pytest.fixture
def planned(tmp_path: Path) -> Plan:
    """Plans fixes, each of which makes some changes to a script."""

    def plan(
        script: str, *fixes: Sequence[Change], only_verified: bool = False, code: str = "NPU101"
    ) -> Planned:
        tree = tree_of(tmp_path, {"train.py": script})
        (key,) = tree.targets
        edits = [tuple(edit(key, script, change) for change in changes) for changes in fixes]
        found = tuple(
            Finding(
                code,
                Severity.WARNING,
                f"finding {number}",
                Place(key, (number + 1, 0, number + 1, 1)),
                rewrite=Rewrite(SAFE, "Mend it", ()),
            )
            for number in range(len(fixes))
        )
        project = Project(tree, relevant_files(tree), LIBRARIES)

        def plan_fixes(_: SourceTree, analysis: Analysis, __: object) -> FixPlan:
            rewrites = [one.rewrite for one in analysis.findings]
            return FixPlan(
                tuple(
                    CompiledFix(one.applicability, one.title, own)
                    for one, own in zip(rewrites, edits, strict=True)
                    if one is not None
                ),
                {},
            )

        return plan_verified(
            Proposals(Originals(project), ()),
            tree,
            Analysis(found, frozenset({key}), frozenset(), 0),
            lambda _: Analysis((), frozenset(), frozenset(), 0),
            Planners(lambda tree, analysis, again, _: plan_fixes(tree, analysis, again), plan_fixes),
            lambda later: project if later is tree else edited(project, later),
            only_verified=only_verified,
        )

    return plan


def edit(key: str, script: str, change: Change) -> OffsetEdit:
    old, new = change
    assert script.count(old) == 1
    start = script.index(old)
    return OffsetEdit(key, start, start + len(old), new)


def test_a_right_fix_is_verified(planned: Plan) -> None:
    (finding,), plan = planned(SCRIPT, (INITIALIZABLE, INITIALIZED))
    assert finding.message == "finding 0"
    assert [(fix.applicability, fix.verified) for fix in plan.fixes if fix] == [(SAFE, True)]


def test_a_fix_that_breaks_the_program_is_none_and_its_finding_tells_why(planned: Plan) -> None:
    (finding,), plan = planned(SCRIPT, (INITIALIZABLE, ("# here", "\n\nsess.run(tf.tables_initializer())")))
    reason = "an element is taken before the iterator's initializer has run in this session"
    assert finding.message == f"finding 0; a fix would break the program: {reason}"
    assert not any(plan.fixes)
    assert finding.related[-1].message == reason
    assert finding.related[-1].place.span[0] == SCRIPT.splitlines().index("sess.run(x)") + 1


@pytest.mark.parametrize("only_verified", [False, True])
def test_what_cannot_be_followed_stays_safe_unless_all_must_be_verified(
    planned: Plan, *, only_verified: bool
) -> None:
    script = SCRIPT.replace("sess.run(x)", "import helpers\nhelpers.run(sess, x)")
    (finding,), plan = planned(script, (INITIALIZABLE, INITIALIZED), only_verified=only_verified)
    assert finding.message == "finding 0"
    expected = UNSAFE if only_verified else SAFE
    assert [(fix.applicability, fix.verified) for fix in plan.fixes if fix] == [(expected, False)]


def test_a_fix_of_another_rule_is_not_judged(planned: Plan) -> None:
    _, plan = planned(SCRIPT, (("# here", "sess.run(None)"),), code="NPU104", only_verified=True)
    assert [(fix.applicability, fix.verified) for fix in plan.fixes if fix] == [(SAFE, None)]


@pytest.mark.parametrize("fix", [FIRST, SECOND])
def test_either_of_two_fixes_is_right(planned: Plan, fix: Sequence[Change]) -> None:
    _, plan = planned(TWO, fix)
    assert [one.verified for one in plan.fixes if one] == [True]


def test_both_together_are_wrong(planned: Plan) -> None:
    findings, plan = planned(TWO, FIRST, SECOND)
    assert [(fix.applicability, fix.verified) for fix in plan.fixes if fix] == [(UNSAFE, False)] * 2
    assert all("the data starts anew" in finding.message for finding in findings)


# -- the command line -----------------------------------------------------------------------------------

FOLLOWED = Case(FIXTURES / "NPU101-one-shot-iterator" / "opened-after-building")
NOT_FOLLOWED = Case(FIXTURES / "NPU101-one-shot-iterator" / "annotated-and-typed")


def fixes_in(report: bytes) -> list[tuple[str, bool]]:
    return [
        (one["fix"]["applicability"], one["fix"]["verified"])
        for one in json.loads(report)["findings"]
        if one["fix"] is not None
    ]


@pytest.mark.parametrize(("case", "verified"), [(FOLLOWED, True), (NOT_FOLLOWED, False)])
def test_json_says_what_is_verified_also_from_memory(case: Case, *, verified: bool) -> None:
    with folder_with(case.before):
        reports = [tool("train.py", "--format", "json") for _ in range(2)]
    assert [fixes_in(report) for report in reports] == [[("safe", verified)]] * 2


@pytest.mark.parametrize(("case", "changes"), [(FOLLOWED, True), (NOT_FOLLOWED, False)])
def test_only_verified_fixes_are_written(case: Case, *, changes: bool) -> None:
    with folder_with(case.before) as folder:
        tool(".", "--write", "--only-verified", "--no-cache")
        assert (read_tree(folder) == case.after) is changes
        assert (read_tree(folder) == case.before) is not changes


def test_the_setting_does_the_same() -> None:
    settings = {"pyproject.toml": b"[tool.npu-migrate]\nonly-verified = true\n"}
    with folder_with({**NOT_FOLLOWED.before, **settings}):
        assert fixes_in(tool(".", "--format", "json", "--no-cache")) == [("unsafe", False)]


def test_a_text_report_tells_what_json_tells() -> None:
    with folder_with(NOT_FOLLOWED.before):
        assert b"= unsafe fix:" in tool(".", "--only-verified", "--no-cache")
        assert b"= unsafe fix:" not in tool(".", "--no-cache")
