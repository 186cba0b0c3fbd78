"""How the tests are divided among processes: nothing that belongs together is parted, and nothing is lost."""

from __future__ import annotations

import os
import subprocess
import sys
from itertools import pairwise
from pathlib import Path

import pytest
from fidelity import write_tree
from fixture_cases import all_cases
from scheduling import BY_CASE, PARTS, in_order, is_of_a_case, unit_of
from tools import TESTS

CASE = "NPU101-one-shot-iterator/two-words"
REPOSITORY = TESTS.parents[1]


def test_the_tests_of_a_case_are_run_together() -> None:
    units = {
        unit_of(f"{file}::test_something[{level}{CASE}{more}]")
        for file in BY_CASE
        for level in ("", "safe-", "unsafe-")
        for more in ("", ", other names")
    }
    assert len(units) == 1
    assert units != {unit_of(f"{BY_CASE[0]}::test_something[NPU101-one-shot-iterator/other]")}


def test_all_other_tests_of_a_file_are_run_together() -> None:
    assert unit_of("tests/test_forms.py::test_the_diff[safe-mixed newlines]") == "tests/test_forms.py"
    assert unit_of(f"tests/test_runtime.py::test_before[{CASE}-1.15]") == "tests/test_runtime.py"
    assert unit_of("tests/cli/test_cli.py::TestIt::test_that") == "tests/cli/test_cli.py"
    assert unit_of("tests/reports/test_csv.py::test_a") == unit_of("tests/reports/test_sarif.py::test_b")


def test_the_cases_are_divided_about_evenly() -> None:
    cases = [unit_of(f"{BY_CASE[0]}::test_something[{case.name}]") for case in all_cases()]
    sizes = [cases.count(unit) for unit in {*cases}]
    assert len(sizes) == PARTS
    assert max(sizes) < 3 * len(cases) / PARTS


@pytest.mark.parametrize("file", BY_CASE)
def test_the_files_are_there(file: str) -> None:
    assert "all_cases" in (REPOSITORY / file).read_text("utf-8")


def test_no_test_is_lost_and_files_stay_whole(request: pytest.FixtureRequest) -> None:
    items = request.session.items
    ordered = in_order(items)
    assert len(ordered) == len(items)
    assert {*ordered} == {*items}
    units = [unit_of(item.nodeid) for item in ordered if not is_of_a_case(item)]
    changes = sum(one != other for one, other in pairwise(units))
    assert changes == max(len({*units}) - 1, 0)


SCHEDULED = """\
from scheduling import CasesTogether


def pytest_xdist_make_scheduler(config, log):
    config.option.loadscopereorder = False
    return CasesTogether(config, log)
"""
NOTED = """\
import os
from pathlib import Path

import pytest


@pytest.mark.parametrize("number", range(5))
def test_one(number):
    once = Path(f"{Path(__file__).stem} {number}")
    if "4 2" in once.name and not once.exists():
        once.touch()
        os._exit(1)
    with once.open("a") as ran:
        ran.write("x")
"""


def test_what_a_lost_process_had_is_run_by_another(tmp_path: Path) -> None:
    """And all other tests once."""
    files = {f"test_{file}.py": NOTED.encode() for file in range(9)}
    write_tree(tmp_path, {"pytest.ini": b"[pytest]", "conftest.py": SCHEDULED.encode(), **files})
    words = [sys.executable, "-m", "pytest", "-n", "2", "--dist", "loadfile", "-p", "no:cacheprovider"]
    ran = subprocess.run(
        words,
        cwd=tmp_path,
        env=os.environ | {"PYTHONPATH": str(REPOSITORY / "tests")},
        capture_output=True,
        text=True,
    )
    assert "1 failed, 45 passed" in ran.stdout, ran.stdout
    assert [file.read_text() for file in sorted(tmp_path.glob("test_? ?"))] == ["x"] * 45
