"""Whether a mutated case has the findings and the fixes of the case it was made from."""

from __future__ import annotations

import ast
import os
import re
from codecs import BOM_UTF8
from collections.abc import Callable
from contextlib import suppress

from command import folder_with
from fidelity import Tree
from fixture_cases import Case

from npu_migrate.engine.fixes.applying import apply_in_memory, chosen_fixes
from npu_migrate.engine.installed import installed_machinery
from npu_migrate.engine.job import Outcome
from npu_migrate.engine.request import Request, prepare
from npu_migrate.engine.run import run
from npu_migrate.findings import Applicability
from npu_migrate.knowledge.npu import NPU_INIT
from robustness.mutations import RENAMED, DoesNotApply, Mutation

_NOT_APPLIED = "NPU905"
_FINDING = re.compile(r"(?P<path>.+?):(?:cell \d+:)?(?P<line>\d+):(?P<column>\d+) (?P<rest>.+)")


def require_same(case: Case, mutation: Mutation) -> bool:
    """Raises `AssertionError` unless both are the same; False if the mutation does not apply to the case."""
    changes = _changes(case.before, mutation)
    mutated = _mutated(case.before, changes)
    if mutated == case.before:
        return False
    outcome, safe, unsafe = _migrated(mutated)
    found = [
        (
            one.path,
            _word(mutated[one.path], one.range.start.line, one.range.start.column),
            one.code,
            one.severity.label,
            one.fix.applicability.value if one.fix else "manual",
        )
        for one in outcome.report.diagnostics
        if not one.suppressed
    ]
    expected = [_expected(case, line) for line in case.findings]
    if mutation.adds_comments and _with_fixes_withdrawn(found, expected):
        return False
    assert found == expected
    for name, written, expected in (("safe", safe, case.after), ("unsafe", unsafe, case.after_unsafe)):
        wanted = _mutated(expected, changes)
        for path in written:
            assert _meaning(path, written[path]) == _meaning(path, wanted[path]), f"{name} fixes of {path}"
    return True


def _with_fixes_withdrawn(found: list[tuple[str, ...]], expected: list[tuple[str, ...]]) -> bool:
    """Whether the same is found, but for fixes that would lose a comment in what they take away."""
    left = [one for one in found if one[2] != _NOT_APPLIED]
    return (
        found != expected
        and [one[:4] for one in left] == [one[:4] for one in expected]
        and all(one[4] in (wanted[4], "manual") for one, wanted in zip(left, expected, strict=True))
    )


def is_plain(path: str, content: bytes) -> bool:
    """Whether a file is Python as mutations expect it: UTF-8 with line feeds, and without mistakes."""
    if not path.endswith(".py") or b"\r" in content or content.startswith(BOM_UTF8):
        return False
    try:
        ast.parse(content.decode())
    except (SyntaxError, ValueError):
        return False
    return True


def _changes(before: Tree, mutation: Mutation) -> dict[str, Callable[[str], str]]:
    """How to change each file, as far as the mutation applies."""
    changes = {}
    for path, content in before.items():
        with suppress(DoesNotApply):
            if is_plain(path, content):
                text = content.decode()
                around = b"\n".join(other for name, other in before.items() if name != path)
                change = mutation.of(text, around.decode(errors="replace"))
                change(text)
                changes[path] = change
    return changes


def _mutated(tree: Tree, changes: dict[str, Callable[[str], str]]) -> Tree:
    result = dict(tree)
    for path, change in changes.items():
        with suppress(DoesNotApply):
            result[path] = change(tree[path].decode()).encode()
    return result


def _migrated(tree: Tree) -> tuple[Outcome, Tree, Tree]:
    """What is found in the files, and the files with the safe fixes and with all of them."""
    with folder_with(tree):
        outcome = run(prepare(Request((".",)), installed_machinery()))
        trees = []
        for level in (Applicability.SAFE, Applicability.UNSAFE):
            contents = apply_in_memory(outcome.tree, chosen_fixes(outcome.diagnosed, level)).contents
            trees.append(tree | {os.path.relpath(key): data for key, data in contents.items()})
        return outcome, *trees


def _expected(case: Case, line: str) -> tuple[str, ...]:
    found = _FINDING.fullmatch(line)
    assert found is not None
    word = _word(case.before[found["path"]], int(found["line"]), int(found["column"]))
    return (found["path"], word, *found["rest"].split())


def _word(content: bytes, line: int, column: int) -> str:
    """The name that stands at a place of a script, as it was before it was renamed."""
    lines = re.split(r"\r\n?|\n", content.decode("utf-8-sig", "replace"))
    found = re.match(r"\w*", lines[line - 1][column - 1 :])
    return (found[0] if found else "").removesuffix(RENAMED)


def _meaning(path: str, content: bytes) -> str | bytes:
    with suppress(SyntaxError, ValueError):
        return ast.dump(_joined(ast.parse(content))) if path.endswith(".py") else content
    return content


def _joined(module: ast.Module) -> ast.Module:
    """With all that a module imports from npu_bridge's `npu_init` in one statement, in front of the others.

    What takes the place of an import with a comment behind it stays in its line.
    """
    ours = [one for one in module.body if isinstance(one, ast.ImportFrom) and one.module == NPU_INIT]
    names = {alias.name: alias for one in ours for alias in one.names}
    joined = ast.ImportFrom(NPU_INIT, [names[name] for name in sorted(names)], 0)
    module.body = [joined, *(one for one in module.body if one not in ours)] if ours else module.body
    return module
