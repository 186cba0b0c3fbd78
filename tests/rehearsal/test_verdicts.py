"""From what was seen to what a user reads."""

from __future__ import annotations

import ast
import re
import string
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from typing import TypeGuard

import pytest

from npu_migrate.findings import Severity
from npu_migrate.rehearsal.processes import INSIDE
from npu_migrate.rehearsal.protocol import Line, Verdict
from npu_migrate.rehearsal.verdicts import files_of, findings
from npu_migrate.rehearsal.wording import SENTENCES, message
from npu_migrate.rules import ALL_RULES
from npu_migrate.run_codes import RUN_CODES
from npu_migrate.sources.source import Source, from_text

PROGRAMS = Path(__file__).with_name("programs")

WITHOUT_PROGRAM = {
    "NPU804": "several ranks are needed; test_ranks.py and test_rehearse_command.py have scripts"
}

SOURCE = from_text("/p/train.py", "import x\n\n    sess.run(init)  # π\n")
VERDICT = Verdict(
    "NPU108",
    "variables-zeroed",
    Severity.ERROR,
    {"variables": ["w:0", "b:0"], "iterator": "Iterator"},
    Line("/p/train.py", 3),
    (Line("/p/model.py", 7, "variable"),),
    1,
)


def sources(key: str) -> Source | None:
    return SOURCE if key == SOURCE.key else None


def test_a_verdict_stands_on_its_line() -> None:
    (finding,) = findings([VERDICT], "/p/train.py", sources)
    assert finding.place.path == "/p/train.py"
    assert finding.place.span == (3, 4, 3, len("    sess.run(init)  # π".encode()))
    assert finding.message.endswith("these variables are 0: w:0 and b:0")
    (related,) = finding.related
    assert (related.place.path, related.message) == ("/p/model.py", "the variable is made here")


def test_a_verdict_without_a_place_stands_at_the_top_of_the_script() -> None:
    (finding,) = findings([replace(VERDICT, place=None)], "/p/train.py", sources)
    assert finding.place.span[:2] == (1, 0)


def test_a_line_that_the_file_no_longer_has() -> None:
    (finding,) = findings([replace(VERDICT, place=Line("/p/train.py", 99))], "/p/train.py", sources)
    assert finding.place.span[0] <= 4


def test_the_same_said_twice_is_one_finding() -> None:
    again = replace(VERDICT, run=9)
    other = replace(VERDICT, arguments={"variables": ["v:0"]})
    assert len(list(findings([VERDICT, again, other], "/p/train.py", sources))) == 2


def test_the_files_that_are_spoken_of() -> None:
    assert files_of([VERDICT]) == {"/p/train.py", "/p/model.py"}


def test_many_names_are_counted() -> None:
    said = message(replace(VERDICT, arguments={"variables": [f"w{n}:0" for n in range(9)]}))
    assert said.endswith("w0:0, w1:0, w2:0, w3:0 and 5 more")


def test_what_was_probably_meant() -> None:
    unknown = replace(VERDICT, code="NPU601", kind="unknown-key", arguments={"key": "sump_mode"})
    assert message(unknown).endswith("; did you mean dump_mode (1 letter differs)?")
    assert not message(replace(unknown, arguments={"key": "our_own_key"})).endswith("?")


def test_an_argument_that_is_missing_ends_nothing() -> None:
    assert "…" in message(replace(VERDICT, arguments={}))


def test_every_code_has_a_name_and_a_sentence() -> None:
    assert RUN_CODES.keys() == {code for code, _ in SENTENCES}


@pytest.mark.parametrize("code", RUN_CODES)
def test_codes_are_called_as_the_rules_are(code: str) -> None:
    """Where the text of a script shows the same, it is the same rule."""
    named = {rule.code: rule.name for rule in ALL_RULES}
    assert named.get(code, RUN_CODES[code].name) == RUN_CODES[code].name


@pytest.mark.parametrize("code", RUN_CODES)
def test_every_verdict_has_its_program(code: str) -> None:
    """A script that gets it, and a twin that does not."""
    assert code in WITHOUT_PROGRAM or [*PROGRAMS.glob(f"{code}-*/wrong.py")]


def test_programs_that_are_left_out_are_not_there() -> None:
    assert not [code for code in WITHOUT_PROGRAM if [*PROGRAMS.glob(f"{code}-*")]]


@pytest.mark.parametrize("code", RUN_CODES)
def test_what_a_verdict_is_known_from_can_be_looked_up(code: str) -> None:
    page = (PROGRAMS.parents[2] / "docs/sources.md").read_text("utf-8")
    listed = {
        label.strip() for row in re.findall(r"^\| ([^|]+) \|", page, re.MULTILINE) for label in row.split(",")
    }
    assert {label.partition(":")[0] for label in RUN_CODES[code].sources} <= listed


@pytest.mark.parametrize("sentence", SENTENCES.values())
def test_sentences_are_no_more_than_sentences(sentence: str) -> None:
    names = [name for _, name, _, _ in string.Formatter().parse(sentence) if name is not None]
    assert all(name.isidentifier() for name in names)
    assert not sentence.endswith(".")


def kinds() -> set[tuple[str, str]]:
    """The codes and kinds of all verdicts that can be given: pairs of strings that look like one."""
    pairs = (
        pair
        for file in (*INSIDE.rglob("*.py"), INSIDE.with_name("ranks.py"))
        for node in ast.walk(ast.parse(file.read_text("utf-8")))
        if isinstance(node, (ast.Call, ast.Tuple))
        for pair in pairwise(node.args if isinstance(node, ast.Call) else node.elts)
    )
    constants = ((one.value, other.value) for one, other in pairs if is_constant(one) and is_constant(other))
    return {(code, kind) for code, kind in constants if re.fullmatch("NPU[0-9]{3}", str(code))}


def is_constant(node: ast.AST) -> TypeGuard[ast.Constant]:
    return isinstance(node, ast.Constant)


def test_every_kind_of_verdict_has_a_sentence() -> None:
    assert kinds() == SENTENCES.keys()
