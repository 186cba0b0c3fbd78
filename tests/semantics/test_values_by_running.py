"""What is said of a value holds when the code runs: random programs, run with random choices."""

from __future__ import annotations

import contextlib
import random
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from source_trees import tree_of

from npu_migrate.index.facts import argument
from npu_migrate.programs.programs import relevant_files
from npu_migrate.project.project import Project
from npu_migrate.project.ref import Ref
from npu_migrate.semantics.values.evaluation import evaluate
from npu_migrate.semantics.values.value import same
from npu_migrate.training.libraries import LIBRARIES

PROGRAMS = 120
RUNS = 10
NAMES = ("a", "b", "c")
PREAMBLE = """\
a, b, c = 1, 2, 3
d = {'0': 1, '1': 5}
class K:
    x = 1
    y = 2
    def __init__(self, n=4):
        self.x = n
"""


class Writer:
    """Writes one random program; ``PROBE(number, n=value)`` stands where a value is asked for."""

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)
        self.probes = 0
        self.functions: list[tuple[str, int]] = []

    def program(self) -> str:
        lines = [PREAMBLE + f"o = K({self.pick('', '7')})"]
        for number in range(self.random.randint(0, 3)):
            lines += self.function(f"f{number}")
        for _ in range(3):
            lines += self.block(0, NAMES, function=False, loop=False)
        return "\n".join(lines) + "\n# npu_\n"

    def function(self, name: str) -> list[str]:
        parameters = ("p", "q")[: self.random.randint(0, 2)]
        shown = [*parameters[:-1], *(f"{last}={self.number()}" for last in parameters[-1:])]
        shared = self.pick(f"global {self.pick(*NAMES)}", "")
        lines = [f"def {name}({', '.join(shown)}):", f"    {shared or 'a, b, c = 4, 5, 6'}"]
        if not shared:
            lines += self.block(1, (*NAMES, *parameters), function=True, loop=False)
        else:
            lines += [f"    {shared.split()[1]} = {self.number()}"]
        if self.random.random() < 0.6:
            lines.append(f"    return {self.expression((*parameters, self.number()))}")
        self.functions.append((name, len(parameters)))
        return lines

    def block(self, depth: int, names: tuple[str, ...], *, function: bool, loop: bool) -> list[str]:
        lines: list[str] = []
        for _ in range(self.random.randint(1, 3)):
            lines += self.statement(depth, names, function, loop)
        return lines

    def statement(self, depth: int, names: tuple[str, ...], function: bool, loop: bool) -> list[str]:
        indent = "    " * depth
        draw = self.random.random()
        if draw < 0.3 or depth > 2:
            return [indent + self.simple(names, function, loop)]
        if draw < 0.6:
            self.probes += 1
            return [f"{indent}PROBE({self.probes}, n={self.expression(names)})"]

        def inner(loop: bool = loop) -> list[str]:
            return self.block(depth + 1, names, function=function, loop=loop)

        if draw < 0.75:
            orelse = [f"{indent}else:", *inner()] if self.pick(True, False) else []
            return [f"{indent}if any_number():", *inner(), *orelse]
        if draw < 0.82:
            return [f"{indent}for {self.pick(*NAMES, 'i')} in range(2):", *inner(loop=True)]
        if draw < 0.88:
            return [f"{indent}while any_number():", *inner(loop=True)]
        if draw < 0.94:
            body = [*inner(), f"{indent}    perhaps_fail()", *inner()]
            return [f"{indent}try:", *body, f"{indent}except Failed:", *inner()]
        return [f"{indent}with context() as {self.pick(*NAMES, 'z')}:", *inner()]

    def simple(self, names: tuple[str, ...], function: bool, loop: bool) -> str:
        value = self.expression(names)
        name = self.pick(*NAMES)
        choices = [f"{name} = {value}"] * 8
        choices += [
            f"{name} += {value}",
            f"{name}, {self.pick(*NAMES)} = {value}, {self.expression(names)}",
            f"d[{self.key()}] = {value}",
            f"d.update({{{self.key()}: {value}}})",
            f"o.{self.pick('x', 'y')} = {value}",
            f"K.{self.pick('x', 'y')} = {value}",
            f"({name} := {value})",
            self.call(names),
        ]
        choices += [f"return {value}"] if function else []
        choices += ["break", "continue"] if loop else []
        return self.pick(*choices)

    def expression(self, names: tuple[str, ...], depth: int = 0) -> str:
        if depth > 2:
            return self.number()

        def inner() -> str:
            return self.expression(names, depth + 1)

        makers: list[Callable[[], str]] = [
            self.number,
            self.number,
            lambda: self.pick(*names),
            lambda: self.pick(*names),
            lambda: f"({inner()} {self.pick('+', '-', '*')} {inner()})",
            lambda: f"({inner()} if any_number() else {inner()})",
            lambda: f"max({inner()}, {inner()})",
            lambda: f"d[{self.pick(repr('0'), repr('1'))}]",
            lambda: f"d.get({self.key()}, {inner()})",
            lambda: f"{self.pick('o', 'K')}.{self.pick('x', 'y')}",
            lambda: self.call(names),
            lambda: "any_number()",
        ]
        return self.pick(*makers)()

    def call(self, names: tuple[str, ...]) -> str:
        if not self.functions:
            return self.number()
        name, count = self.pick(*self.functions)
        given = [self.number() for _ in range(self.random.randint(max(0, count - 1), count))]
        return f"{name}({', '.join(given)})"

    def key(self) -> str:
        return self.pick("'0'", "'1'", "'2'")

    def number(self) -> str:
        return str(self.random.randint(0, 9))

    def pick(self, *choices: Any) -> Any:
        return self.random.choice(choices)


class Failed(Exception):
    pass


class OutOfTime(BaseException):
    pass


ENDS = (OutOfTime, Failed, ArithmeticError, LookupError, NameError, TypeError, RecursionError)


class Context:
    def __enter__(self) -> int:
        return 42

    def __exit__(self, *details: object) -> None:
        return None


def run(text: str, seed: int) -> list[tuple[int, Any]]:
    """The probes that a program passes, with the values it has there."""
    choice = random.Random(seed)
    seen: list[tuple[int, Any]] = []
    left = iter(range(2000))

    def tick() -> None:
        if next(left, None) is None:
            raise OutOfTime

    def any_number() -> int:
        tick()
        return choice.randint(0, 2)

    def perhaps_fail() -> None:
        if choice.random() < 0.5:
            raise Failed

    def probe(number: int, n: Any) -> None:
        tick()
        seen.append((number, n))

    names = {
        "PROBE": probe,
        "any_number": any_number,
        "perhaps_fail": perhaps_fail,
        "context": Context,
        "Failed": Failed,
        "__name__": "program",
    }
    with contextlib.suppress(*ENDS):
        exec(compile(text, "program.py", "exec"), names)
    return seen


@pytest.mark.long
def test_what_is_known_holds(tmp_path: Path) -> None:
    confirmed = 0
    for seed in range(PROGRAMS):
        text = Writer(seed).program()
        tree = tree_of(tmp_path, {"program.py": text})
        project = Project(tree, relevant_files(tree), LIBRARIES)
        values = {}
        for key, site in project.calls_named("PROBE"):
            given = argument(site.call, "n")
            assert given is not None
            values[site.call.args[0].value] = evaluate(project, Ref(key, site.scope, site.statement, given))  # type: ignore[union-attr]
        for number, actual in (found for again in range(RUNS) for found in run(text, again)):
            possible = [known.constant for known in values[number].alternatives]
            if possible:
                confirmed += 1
                assert any(same(constant, actual) for constant in possible), (
                    f"program {seed}, probe {number}: {actual!r} is none of {possible}\n{text}"
                )
    assert confirmed > 1000


@pytest.mark.parametrize("seed", range(3))
def test_programs_do_run(seed: int) -> None:
    assert any(run(Writer(seed + 40 * attempt).program(), 0) for attempt in range(5))
