"""Random intents on real files: the result is the tree that they ask for, with all comments and layout."""

from __future__ import annotations

import ast
import random
import warnings
from collections import Counter
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path

import pytest
from intent_model import Model
from rewriting import PATH, library_sample, place_of, safe

from npu_migrate.intents import (
    BindExpression,
    InsertStatement,
    Intent,
    KeepInner,
    Rename,
    ReplaceExpression,
    SetArgument,
    Side,
    WrapExpression,
)
from npu_migrate.rewrite.edits import apply_edits
from npu_migrate.rewrite.planning import compile_rewrites
from npu_migrate.rewrite.tokens import comments

pytestmark = pytest.mark.long

KINDS = ("rename", "argument", "replace", "keep", "wrap", "bind", "insert")


def random_intent(kind: str, tree: ast.Module, number: int, chance: random.Random) -> Intent | None:
    """An intent of a kind for a random node, which may well have to be refused."""
    nodes = list(ast.walk(tree))
    chance.shuffle(nodes)
    reads = [one for one in nodes if isinstance(one, ast.expr) and _is_read(one)]
    statements = [one for one in nodes if isinstance(one, ast.stmt)]
    match kind:
        case "rename":
            for node in reads:
                if isinstance(node, ast.Name | ast.Attribute):
                    old = node.id if isinstance(node, ast.Name) else node.attr
                    return Rename(place_of(node), old, f"renamed_{number}")
        case "argument":
            for node in reads:
                if isinstance(node, ast.Call):
                    return SetArgument(place_of(node), f"keyword_{number}", f"[{number}, x]")
        case "replace":
            code = chance.choice(("a + b", "f(x)", "not a", "lambda: 0", "c if d else e", "g"))
            return ReplaceExpression(place_of(reads[0]), code) if reads else None
        case "keep":
            for node in reads:
                inner = [one for one in ast.walk(node) if isinstance(one, ast.expr) and _is_read(one)][1:]
                if inner:
                    return KeepInner(place_of(node), place_of(chance.choice(inner)))
        case "wrap":
            return WrapExpression(place_of(reads[0]), "wrap(", f", {number})") if reads else None
        case "bind":
            for node in reads:
                if isinstance(node, ast.Call | ast.Attribute | ast.BinOp | ast.List):
                    then = (f"then({number})",) if chance.random() < 0.5 else ()
                    return BindExpression(place_of(node), f"name_{number}", then)
        case "insert":
            side = chance.choice(tuple(Side))
            prefix = {Side.BODY_START: "a", Side.BEFORE: "b", Side.AFTER: "c"}[side]
            return (
                InsertStatement(place_of(statements[0]), side, f"{prefix}_{number}()") if statements else None
            )
    return None


def _is_read(node: ast.expr) -> bool:
    return isinstance(getattr(node, "ctx", ast.Load()), ast.Load) and not isinstance(node, ast.Slice)


def check(text: str, chance: random.Random, count: int) -> Iterator[tuple[str, bool]]:
    """Carry out random intents on a text; yield the kind of each and whether it was accepted.

    First all together, then each one that was accepted alone.
    """
    tree = ast.parse(text)
    intents = [
        intent
        for number in range(count)
        if (intent := random_intent(KINDS[number % len(KINDS)], tree, number, chance)) is not None
    ]
    results = compile_rewrites({PATH: text}, [safe(intent) for intent in intents])
    accepted = [one for one, result in zip(intents, results, strict=True) if result.edits is not None]
    union = {edit for result in results for edit in result.edits or ()}
    _compare(text, apply_edits(text, union), accepted)
    assert all(one.end <= two.start and one.start < two.start for one, two in pairwise(sorted(union)))
    for intent, result in zip(intents, results, strict=True):
        if result.edits is not None:
            members = [intents[index] for index in sorted(result.together)]
            _compare(text, apply_edits(text, result.edits), members)
        yield type(intent).__name__, result.edits is not None


def _compare(before: str, after: str, intents: list[Intent]) -> None:
    assert ast.dump(ast.parse(after)) == Model(before).after(intents), intents
    assert not comments(before) - comments(after)
    assert before.count("\r\n") == 0 or after.count("\n") == after.count("\r\n")


def run(files: list[Path], seed: int, count: int) -> Counter[tuple[str, bool]]:
    """Check files that parse and are not too long; count what was accepted and what was refused."""
    outcomes: Counter[tuple[str, bool]] = Counter()
    for path in files:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            try:
                text = path.read_bytes().decode("utf-8")
                ast.parse(text)
            except (UnicodeDecodeError, SyntaxError, ValueError):
                continue
            if len(text) > 40_000:
                continue
            try:
                outcomes.update(check(text, random.Random(f"{path.name}{seed}"), count))
            except AssertionError as error:
                raise AssertionError(f"{path}: {error}") from error
    return outcomes


def test_random_intents_on_the_standard_library() -> None:
    outcomes = run(library_sample(28, seed=2), seed=2, count=14)
    kinds = {kind for kind, _ in outcomes}
    assert len(kinds) == len(KINDS)
    assert all(outcomes[kind, True] > 9 for kind in kinds), outcomes


@pytest.mark.parametrize("newline", ["\r\n", "\r"])
def test_random_intents_with_other_newlines(newline: str, tmp_path: Path) -> None:
    files = []
    for number, path in enumerate(library_sample(5, seed=3)):
        files.append(tmp_path / f"{number}.py")
        files[-1].write_bytes(path.read_bytes().replace(b"\n", newline.encode()))
    assert run(files, seed=3, count=14)
