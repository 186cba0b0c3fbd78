"""A short time of coverage-guided fuzzing (`fuzzing.py`); what it has found once is kept in `corpus/`."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

HERE = Path(__file__).parent
SECONDS = 3


@pytest.mark.needs("atheris")
@pytest.mark.parametrize("target", ["decode", "notebook", "index", "fix"])
def test_nothing_fails_within_some_seconds(tmp_path: Path, target: str) -> None:
    found = tmp_path / "found"
    found.mkdir()
    limits = (f"-max_total_time={SECONDS}", "-max_len=4000", "-print_final_stats=1")
    words = [sys.executable, str(HERE / "fuzzing.py"), target, *limits, str(found)]
    ran = subprocess.run(
        [*words, str(HERE / "corpus" / target)], cwd=tmp_path, capture_output=True, text=True
    )
    crashes = [path.read_bytes() for path in tmp_path.glob("crash-*")]
    assert ran.returncode == 0 and not crashes, f"{crashes}\n{ran.stdout[-2000:]}\n{ran.stderr[-2000:]}"
    assert "stat::number_of_executed_units:" in ran.stderr
