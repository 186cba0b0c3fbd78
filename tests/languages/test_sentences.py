"""English sentences, and what becomes of the parts that they were made of."""

from __future__ import annotations

import re
import time
from collections.abc import Iterator

import pytest
from fixture_cases import FIXTURES
from languages.extraction import PACKAGE

from npu_migrate.commands.rehearsing.reporting import difference_in_words
from npu_migrate.findings import Difference
from npu_migrate.languages.language import Language
from npu_migrate.languages.saying import Marks
from npu_migrate.languages.sentences import Joints, Sentences
from npu_migrate.rehearsal.protocol import Verdict
from npu_migrate.rehearsal.wording import SENTENCES, message
from npu_migrate.rules import ALL_RULES
from npu_migrate.rules.rule import Rule

SMALL = {
    "{name} always needs {missing}": "<{name}> braucht <{missing}>",
    "{n} is the wrong one": "<{n}> falsch",
    "; use {other}": "; nimm <{other}>",
    "the value of {name}": "Wert von <{name}>",
    "{text} ({origin} in {place})": "{text} [{origin}, {place}]",
    "step count": "Schrittzahl",
    "{given} is here; {given2} is there": "{given2} dort, {given} hier",
    "name": "Name",
}
CHINESE = Language("zh")

PLACE = re.compile(r"^[^\s:]+\.(?:py|ipynb|txt|sh):(?:cell \d+:)?\d+:\d+: ")
ROLE = re.compile(r"\), \"(\w+)\"\)")
PYTHONS_OWN = re.compile("not valid Python 3: ")
"""What Python says of a syntax error, it says in English."""


def small() -> Sentences:
    return Sentences(SMALL, Joints(Marks(": ", " / ", " + ", " ", " (", ")", ""), {"and": " und "}))


@pytest.mark.parametrize(
    ("english", "said"),
    [
        ("sess always needs config", "<sess> braucht <config>"),
        ("  sess always needs config\n", "  <sess> braucht <config>\n"),
        ("a, b and c always needs config", "<a + b und c> braucht <config>"),
        ("sess always needs config; lr is the wrong one", "<sess> braucht <config> / <lr> falsch"),
        ("lr is the wrong one; use lr2", "<lr> falsch; nimm <lr2>"),
        ("N = 10 (the value of N in a.py:3) is the wrong one", "<N = 10 [Wert von <N>, a.py:3]> falsch"),
        ("step count = 7 is the wrong one", "<Schrittzahl = 7> falsch"),
        (
            "step count is the wrong one; step count always needs f(a, b)",
            "<Schrittzahl> falsch / <Schrittzahl> braucht <f(a, b)>",
        ),
        ("a is here; b is there", "b dort, a hier"),
        ("something else entirely", "something else entirely"),
        ("", ""),
    ],
)
def test_sentences_are_taken_apart(english: str, said: str) -> None:
    assert small().say(english) == said


def test_a_name_in_a_sentence_is_no_word() -> None:
    assert small().say("name") == "Name"
    assert small().say("name is the wrong one") == "<name> falsch"


@pytest.mark.parametrize("value", ["'a, b and c'", '"x; use y"', "'the value of N'", "`a is the wrong one`"])
def test_what_stands_in_quotes_is_left_alone(value: str) -> None:
    assert small().say(f"{value} is the wrong one") == f"<{value}> falsch"
    assert small().say(f"N = {value} is the wrong one; use M") == f"<N = {value}> falsch; nimm <M>"


def test_an_apostrophe_begins_no_quotes() -> None:
    assert small().say("a's, b's and c's is the wrong one") == "<a's + b's und c's> falsch"


@pytest.mark.parametrize(
    "part", ["a = b; ", "a, b and c or d, ", "x is the wrong one; use y; ", "(the value of a in b) "]
)
def test_whatever_a_script_puts_into_a_sentence_takes_no_time(part: str) -> None:
    started = time.process_time()
    CHINESE.say(f"x = {part * (3_900 // len(part))} is not legal; legal is a, b")
    assert time.process_time() - started < 10


def test_what_is_not_known_is_counted() -> None:
    assert small().left_over("sess always needs config") == 0
    assert small().left_over("sess always needs what nobody has said") == 4
    assert small().say("sess always needs what nobody has said") == "<sess> braucht <what nobody has said>"


def test_a_very_long_text_is_left_alone() -> None:
    text = "a needs b; " * 1000
    assert small().say(text) == text


def said_in_fixtures() -> Iterator[str]:
    """Each message, title and related text in the cases of the rules."""
    seen = set()
    for file in sorted(FIXTURES.glob("*/*/findings.txt")):
        for line in file.read_text("utf-8").splitlines():
            text = PLACE.sub("", line.strip().removeprefix("fix: "))
            if line.startswith(" ") and not text.startswith("programs: ") and text not in seen:
                seen.add(text)
                yield text


def test_all_that_the_cases_say_is_translated_wholly() -> None:
    left = [
        text
        for text in said_in_fixtures()
        if CHINESE.sentences.left_over(text) and not PYTHONS_OWN.search(text)
    ]
    assert left == []


def test_no_two_messages_of_the_cases_become_one() -> None:
    texts = [*said_in_fixtures()]
    translations = [CHINESE.say(text) for text in texts]
    # A number of things has no plural in Chinese: "counts" and "count" are one sentence.
    assert len(texts) - len({*translations}) <= 6


@pytest.mark.parametrize(("code", "kind"), SENTENCES)
def test_every_verdict_is_translated_wholly(code: str, kind: str) -> None:
    fields = re.findall(r"\{(\w+)\}", SENTENCES[code, kind])
    values = {name: f"x{number}" for number, name in enumerate(fields)}
    text = message(Verdict(code, kind, "error", values, None))
    assert CHINESE.sentences.left_over(text) == 0
    said = CHINESE.say(text)
    assert said != text
    assert [value for value in values.values() if value not in said] == []


JUDGING = PACKAGE / "rehearsal" / "inside" / "judging"
ROLES = sorted({role for one in JUDGING.glob("*.py") for role in ROLE.findall(one.read_text("utf-8"))})


@pytest.mark.parametrize("role", ROLES)
def test_what_a_verdict_points_at_is_translated(role: str) -> None:
    """A role alone would be taken for a name."""
    assert role not in CHINESE.say(f"the {role} is made here")


def test_there_are_roles() -> None:
    assert {"iterator", "variable"} <= {*ROLES}


@pytest.mark.parametrize(
    ("place", "step", "said"),
    [
        (None, 3, "第一处差异在loss，第3次sess.run调用："),
        ("a.py", 3, "第一处差异在loss，第3次sess.run调用（a.py:7）："),
    ],
)
def test_where_two_runs_differ(place: str | None, step: int, said: str) -> None:
    difference = Difference("fetched", step, "loss", "1", "2", place, 7)
    assert next(difference_in_words(difference, CHINESE.say)) == said


@pytest.mark.parametrize("rule", ALL_RULES, ids=lambda rule: rule.code)
def test_severity_and_fix_of_a_rule_are_translated_wholly(rule: Rule) -> None:
    for text in (rule.severity, rule.fix):
        assert CHINESE.sentences.left_over(text) == 0


def test_a_migrated_copy_and_a_ported_program_are_two_things() -> None:
    copy = CHINESE.say("the migrated copy, as the NPU would run it:")
    unported = CHINESE.say(
        "the migrated copy, as the NPU would run it, "
        "as if its sessions were moved there already (--port moves them):"
    )
    assert "改写" in copy
    assert "迁移" not in copy
    assert unported.count("改写") == unported.count("迁移") == 1
