"""Planning fixes over several passes, with small rules made for it."""

from __future__ import annotations

import ast
import itertools
import random
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

import pytest

from npu_migrate.engine.diagnosing import CompiledFix
from npu_migrate.engine.fixes.fixing import FixPlan, plan_fixes
from npu_migrate.findings import Applicability, Finding, Rewrite, Severity
from npu_migrate.intents import (
    AddImport,
    BindExpression,
    InsertStatement,
    Intent,
    KeepInner,
    Rename,
    SetArgument,
    Side,
)
from npu_migrate.places import Place
from npu_migrate.rewrite.edits import apply_edits, by_path
from npu_migrate.sources.source import decode, from_text
from npu_migrate.sources.tree import SourceTree

MAIN, OTHER = "/project/main.py", "/project/other.py"
SAFE, UNSAFE = Applicability.SAFE, Applicability.UNSAFE

Rule = Callable[[str, str, ast.Module], Iterator[Finding]]


@dataclass(frozen=True)
class Result:
    findings: tuple[Finding, ...]


class Analyse:
    """Runs rules over the targets of a tree, and counts how often."""

    def __init__(self, *rules: Rule) -> None:
        self.rules = rules
        self.calls = 0

    def __call__(self, tree: SourceTree) -> Result:
        self.calls += 1
        found = []
        for path in tree.targets:
            text = tree.source(path).text
            for rule in self.rules:
                found += rule(path, text, ast.parse(text))
        return Result(tuple(sorted(found, key=lambda one: (one.place.path, one.place.span, one.code))))


def tree_of(texts: Mapping[str, str]) -> SourceTree:
    sources = {path: from_text(path, text) for path, text in texts.items()}
    return SourceTree(Path("/project"), tuple(sorted(texts)), (), sources)


def place_of(path: str, node: ast.AST) -> Place:
    return Place(path, (node.lineno, node.col_offset, node.end_lineno, node.end_col_offset))


def finding(code: str, place: Place, applicability: Applicability, *intents: Intent) -> Finding:
    rewrite = Rewrite(applicability, f"mend {code}", intents) if intents else None
    return Finding(code, Severity.WARNING, "found", place, rewrite=rewrite)


def calls(tree: ast.Module, name: str) -> Iterator[ast.Call]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Call):
            called = (
                node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", None)
            )
            if called == name:
                yield node


def renaming(code: str, old: str, new: str, applicability: Applicability = SAFE) -> Rule:
    def rule(path: str, text: str, tree: ast.Module) -> Iterator[Finding]:
        for call in calls(tree, old):
            place = place_of(path, call.func)
            yield finding(code, place, applicability, Rename(place, old, new))

    return rule


def binding(code: str, name: str, applicability: Applicability = SAFE) -> Rule:
    """Gives each call of `name` that is not assigned to a name a statement of its own."""

    def rule(path: str, text: str, tree: ast.Module) -> Iterator[Finding]:
        assigned = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Assign)}
        taken = len(re.findall(r"\bn\d+\b = ", text))
        for number, call in enumerate(one for one in calls(tree, name) if id(one) not in assigned):
            place = place_of(path, call)
            yield finding(code, place, applicability, BindExpression(place, f"n{taken + number}"))

    return rule


def argument(code: str, name: str, keyword: str, applicability: Applicability = SAFE) -> Rule:
    def rule(path: str, text: str, tree: ast.Module) -> Iterator[Finding]:
        for call in calls(tree, name):
            if all(one.arg != keyword for one in call.keywords):
                place = place_of(path, call)
                yield finding(code, place, applicability, SetArgument(place, keyword, "1"))

    return rule


def inserting(
    code: str, after: str, new: str, applicability: Applicability = SAFE, imported: str = ""
) -> Rule:
    """Puts `new` behind each statement that is a call of `after`, unless the file has it already."""

    def rule(path: str, text: str, tree: ast.Module) -> Iterator[Finding]:
        for statement in ast.walk(tree):
            if (
                isinstance(statement, ast.Expr)
                and statement.value in set(calls(tree, after))
                and new not in text
            ):
                place = place_of(path, statement)
                imports = [AddImport(path, imported)] if imported else []
                yield finding(code, place, applicability, InsertStatement(place, Side.AFTER, new), *imports)

    return rule


def planned(texts: str | Mapping[str, str], *rules: Rule) -> tuple[Mapping[str, str], Result, FixPlan]:
    texts = {MAIN: texts} if isinstance(texts, str) else texts
    analyse = Analyse(*rules)
    tree = tree_of(texts)
    result = analyse(tree)
    return texts, result, plan_fixes(tree, result, analyse)


def applied(texts: Mapping[str, str], fixes: Iterable[CompiledFix | None]) -> dict[str, str]:
    changed = dict(texts)
    for path, edits in by_path(edit for fix in fixes if fix is not None for edit in fix.edits).items():
        changed[path] = apply_edits(texts[path], edits)
    return changed


def mended(text: str, *rules: Rule, up_to: Applicability = UNSAFE) -> str:
    """`text` after all fixes up to an applicability, which leave nothing to fix."""
    texts, _, plan = planned(text, *rules)
    fixes = [fix for fix in plan.fixes if fix is not None and up_to in (UNSAFE, fix.applicability)]
    after = applied(texts, fixes)
    _, _, again = planned(after, *rules)
    assert not [fix for fix in again.fixes if fix is not None and up_to in (UNSAFE, fix.applicability)]
    for subset in itertools.chain.from_iterable(itertools.combinations(fixes, n) for n in range(1, 4)):
        compile(applied(texts, subset)[MAIN], "<subset>", "exec")
    return after[MAIN]


def test_nothing_found_needs_no_pass() -> None:
    analyse = Analyse(renaming("A", "old", "new"))
    tree = tree_of({MAIN: "x()\n"})
    assert plan_fixes(tree, analyse(tree), analyse) == FixPlan((), {})
    assert analyse.calls == 1


def test_independent_fixes_have_their_own_edits_and_need_one_more_analysis() -> None:
    analyse = Analyse(renaming("A", "old", "new"))
    tree = tree_of({MAIN: "old()\nold()\n", OTHER: "old()\n"})
    plan = plan_fixes(tree, analyse(tree), analyse)
    assert [fix and [edit[:3] for edit in fix.edits] for fix in plan.fixes] == [
        [(MAIN, 0, 3)],
        [(MAIN, 6, 9)],
        [(OTHER, 0, 3)],
    ]
    assert {fix.title for fix in plan.fixes if fix} == {"mend A"}
    assert not plan.refusals
    assert analyse.calls == 2


def test_a_fix_that_had_to_wait_comes_in_a_later_pass() -> None:
    text = "f(E(), E(), E())\n"
    assert mended(text, binding("A", "E")) == "n0 = E()\nn1 = E()\nn2 = E()\nf(n0, n1, n2)\n"


def test_what_a_fix_lays_open_belongs_to_it() -> None:
    rules = renaming("A", "a", "b"), renaming("B", "b", "c"), argument("C", "c", "k")
    assert mended("x = a()\n", *rules) == "x = c(k=1)\n"
    _, result, plan = planned("x = a()\n", *rules)
    assert [one.code for one in result.findings] == ["A"]
    assert len(plan.fixes) == 1


def test_what_a_fix_lays_open_elsewhere_belongs_to_it() -> None:
    def follow(path: str, text: str, tree: ast.Module) -> Iterator[Finding]:
        if "new" in text:
            yield from renaming("B", "follows", "followed")(path, text, tree)

    text = "old()\nfollows()\n"
    assert mended(text, renaming("A", "old", "new"), follow) == "new()\nfollowed()\n"
    _, _, plan = planned(text, renaming("A", "old", "new"), follow)
    assert [len(fix.edits) for fix in plan.fixes if fix] == [2]


def test_a_finding_that_another_fix_removes_has_that_fix() -> None:
    def reduce(path: str, text: str, tree: ast.Module) -> Iterator[Finding]:
        for call in calls(tree, "outer"):
            place = place_of(path, call)
            yield finding("A", place, SAFE, KeepInner(place, place_of(path, call.args[0])))

    rename = renaming("B", "outer", "other", UNSAFE)
    texts, _, plan = planned("x = outer(y)\n", reduce, rename)
    assert plan.fixes[0] is not None
    assert plan.fixes[1] is not None
    assert plan.fixes[0].edits == plan.fixes[1].edits
    assert {fix.applicability for fix in plan.fixes if fix} == {SAFE}
    assert applied(texts, plan.fixes)[MAIN] == "x = y\n"
    assert not plan.refusals


def test_safe_and_unsafe_fixes_at_one_place_stay_apart() -> None:
    text = "import a\nstart()\nf(x)\ng()\n"
    rules = (
        inserting("A", "start", "one()", SAFE, "import b"),
        inserting("B", "start", "two()", UNSAFE, "import c"),
        argument("C", "f", "k"),
        argument("D", "f", "j", UNSAFE),
    )
    assert mended(text, *rules, up_to=SAFE) == "import a\nimport b\nstart()\none()\nf(x, k=1)\ng()\n"
    assert (
        mended(text, *rules) == "import a\nimport b\nimport c\nstart()\none()\ntwo()\nf(x, k=1, j=1)\ng()\n"
    )
    _, result, plan = planned(text, *rules)
    assert [
        (one.code, fix.applicability) for one, fix in zip(result.findings, plan.fixes, strict=True) if fix
    ] == [
        ("A", SAFE),
        ("B", UNSAFE),
        ("C", SAFE),
        ("D", UNSAFE),
    ]
    texts = {MAIN: text}
    assert applied(texts, plan.fixes[1:2])[MAIN] == "import a\nimport c\nstart()\ntwo()\nf(x)\ng()\n"
    assert applied(texts, plan.fixes[3:])[MAIN] == "import a\nstart()\nf(x, j=1)\ng()\n"


def test_fixes_that_cannot_be_apart_carry_each_other() -> None:
    rules = argument("A", "f", "k"), argument("B", "f", "j", UNSAFE)
    assert mended("f()\n", *rules, up_to=SAFE) == "f()\n"
    assert mended("f()\n", *rules) == "f(k=1, j=1)\n"
    _, _, plan = planned("f()\n", *rules)
    assert plan.fixes[0] is not None
    assert plan.fixes[1] is not None
    assert plan.fixes[0].edits == plan.fixes[1].edits
    assert {fix.applicability for fix in plan.fixes if fix} == {UNSAFE}


def test_an_unsafe_fix_that_changes_what_a_safe_one_wrote_makes_it_unsafe() -> None:
    rules = binding("A", "E"), binding("B", "F", UNSAFE)
    text = "f(E(), F())\nE().z\n"
    assert mended(text, *rules, up_to=SAFE) == "f(E(), F())\nn1 = E()\nn1.z\n"
    assert mended(text, *rules) == "n0 = E()\nn2 = F()\nf(n0, n2)\nn1 = E()\nn1.z\n"


def test_a_later_fix_carries_what_it_was_made_for_but_not_the_other_way_round() -> None:
    def late(path: str, text: str, tree: ast.Module) -> Iterator[Finding]:
        for one in inserting("B", "start", "two()", UNSAFE, "import b")(path, text, tree):
            yield one if "new" in text else finding("B", one.place, UNSAFE, Rename(one.place, "no", "such"))

    text = "import a\nold()\nstart()\n"
    rules = renaming("A", "old", "new"), late
    texts, _, plan = planned(text, *rules)
    assert [fix and fix.applicability for fix in plan.fixes] == [SAFE, UNSAFE]
    assert applied(texts, plan.fixes[:1])[MAIN] == "import a\nnew()\nstart()\n"
    assert applied(texts, plan.fixes[1:])[MAIN] == "import a\nimport b\nnew()\nstart()\ntwo()\n"


def test_refused_fixes_are_told_and_the_others_done() -> None:
    text = "x = lambda: E()\ny = E().z\n"
    texts, _, plan = planned(text, binding("A", "E"))
    assert plan.fixes[0] is None
    assert applied(texts, plan.fixes)[MAIN] == "x = lambda: E()\nn1 = E()\ny = n1.z\n"
    assert list(plan.refusals) == [0]
    assert plan.refusals[0].startswith("the fix of A is not applied: it is evaluated only under a condition")


def test_a_fix_over_two_files_is_done_in_both_or_in_none() -> None:
    def both(path: str, text: str, tree: ast.Module) -> Iterator[Finding]:
        if path == MAIN and "old" in text:
            rename = Rename(Place(MAIN, (1, 0, 1, 3)), "old", "new")
            yield finding("A", rename.place, SAFE, rename, Rename(Place(OTHER, (1, 0, 1, 3)), "old", "new"))

    texts, _, plan = planned({MAIN: "old()\n", OTHER: "old()\n"}, both)
    assert applied(texts, plan.fixes) == {MAIN: "new()\n", OTHER: "new()\n"}
    texts, _, plan = planned({MAIN: "old()\n", OTHER: "gone()\n"}, both)
    assert plan.fixes == (None,)
    assert "does not hold the name" in plan.refusals[0]


def test_a_fix_that_does_not_settle_is_dropped_and_the_others_are_kept() -> None:
    def growing(path: str, text: str, tree: ast.Module) -> Iterator[Finding]:
        for call in calls(tree, "f"):
            place = place_of(path, call)
            yield finding("A", place, SAFE, SetArgument(place, f"k{len(call.keywords)}", "1"))

    texts, _, plan = planned("f()\nold()\n", growing, renaming("B", "old", "new"))
    assert applied(texts, plan.fixes)[MAIN] == "f()\nnew()\n"
    assert "still something to change" in plan.refusals[0]


def test_a_fix_that_does_not_mend_is_dropped() -> None:
    def useless(path: str, text: str, tree: ast.Module) -> Iterator[Finding]:
        for call in calls(tree, "f"):
            place = place_of(path, call)
            yield finding("A", place, SAFE, SetArgument(place, "k", "1"))

    texts, _, plan = planned("f()\nold()\n", useless, renaming("B", "old", "new"))
    assert applied(texts, plan.fixes)[MAIN] == "f()\nnew()\n"
    assert "does not mend" in plan.refusals[0]


def test_a_text_that_the_encoding_cannot_hold_is_not_made() -> None:
    source = decode(MAIN, "# coding: latin-1\nf(é)\n".encode("latin-1"))
    tree = SourceTree(Path("/project"), (MAIN, OTHER), (), {MAIN: source, OTHER: from_text(OTHER, "f()\n")})

    def rule(path: str, text: str, tree: ast.Module) -> Iterator[Finding]:
        for call in calls(tree, "f"):
            place = place_of(path, call)
            if not call.keywords:
                yield finding("A", place, SAFE, SetArgument(place, "k", "'日'"))

    analyse = Analyse(rule)
    plan = plan_fixes(tree, analyse(tree), analyse)
    assert plan.fixes[0] is None
    assert "cannot be stored as" in plan.refusals[0]
    assert plan.fixes[1] is not None


@pytest.mark.parametrize("seed", range(60))
def test_any_fixes_of_random_scripts_apply_together(seed: int) -> None:
    chance = random.Random(seed)
    atoms = ["E()", "F()", "old()", "f(old())", "x", "outer(y)", "f()", "E().z", "f(F(), E())"]
    lines = []
    for _ in range(chance.randint(1, 7)):
        one, two = chance.choice(atoms), chance.choice(atoms)
        shape = chance.choice(
            ["{0}", "v = {0}", "g({0}, {1})", "if x: {0}; {1}", "with {0} as v: v = {1}", "start()"]
        )
        lines.append(shape.format(one, two))
    rules = (
        binding("A", "E"),
        binding("B", "F", UNSAFE),
        renaming("C", "old", "new"),
        argument("D", "f", "k"),
        argument("G", "f", "j", UNSAFE),
        inserting("H", "start", "one()", SAFE, "import b"),
        inserting("I", "start", "two()", UNSAFE, "import c"),
    )
    texts, result, plan = planned("\n".join(lines) + "\n", *rules)
    fixes = [fix for fix in plan.fixes if fix is not None]
    assert len(plan.fixes) == len(result.findings)
    for one, fix in enumerate(plan.fixes):
        assert (fix is None) == (one in plan.refusals)
    for _ in range(25):
        chosen = chance.sample(fixes, chance.randint(0, len(fixes)))
        compile(applied(texts, chosen)[MAIN], "<chosen>", "exec")
    safe = applied(texts, [fix for fix in fixes if fix.applicability is SAFE])
    _, _, again = planned(safe, *rules)
    assert not any(fix.applicability is SAFE for fix in again.fixes if fix)
    _, _, again = planned(applied(texts, fixes), *rules)
    assert not any(again.fixes), (texts, applied(texts, fixes))
