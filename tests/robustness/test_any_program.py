"""Programs out of a grammar and circular ones: what is not ours stays silent, and no fix breaks anything."""

from __future__ import annotations

from zlib import crc32

import hypothesmith
import pytest
from command import folder_with
from fixture_cases import all_cases
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from npu_migrate import check, check_source, fix_source
from npu_migrate.findings import Applicability
from robustness.circles import circular_program, with_values_in_circles
from robustness.same_program import is_plain
from robustness.sprinkling import HEADERS, is_python, require_faithful, sprinkled

PROGRAMS = st.deferred(hypothesmith.from_grammar)
CIRCLES = 60

without_deadline = settings(
    deadline=None,
    derandomize=True,
    max_examples=40,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.filter_too_much, HealthCheck.data_too_large],
)


@without_deadline
@given(PROGRAMS)
def test_what_is_not_ours_gets_no_finding_and_stays(text: str) -> None:
    assume(is_python(text))
    assert check_source(text) == ()
    assert fix_source(text, applicability=Applicability.UNSAFE) == text


@without_deadline
@given(st.sampled_from(HEADERS), PROGRAMS, st.data())
def test_names_of_ours_in_any_program(header: str, text: str, data: st.DataObject) -> None:
    assume(is_python(text))
    program = header + sprinkled(text, lambda names: data.draw(st.sampled_from(names)))
    assume(is_python(program))
    require_faithful(program)


@pytest.mark.parametrize("part", range(10))
def test_programs_in_circles(part: int) -> None:
    for seed in range(part, CIRCLES, 10):
        with folder_with(circular_program(seed)):
            found = check(["."]).diagnostics
        failures = [one.message for one in found if one.code in ("NPU901", "NPU902", "NPU903")]
        assert not failures, f"seed {seed}"


@pytest.mark.parametrize("part", range(10))
def test_values_in_circles(part: int) -> None:
    """A rule that follows a value back comes to an end."""
    for case in all_cases():
        seed = crc32(case.name.encode())
        if seed % 10 != part:
            continue
        tree = {
            path: with_values_in_circles(content.decode(), seed).encode()
            if is_plain(path, content)
            else content
            for path, content in case.before.items()
        }
        with folder_with(tree):
            found = check(["."]).diagnostics
        assert not [one.message for one in found if "the rule failed" in one.message], case.name
