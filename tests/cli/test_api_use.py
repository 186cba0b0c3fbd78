"""``--api-report``: what a project calls of TensorFlow, and what is known of it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from npu_migrate.cli import command
from npu_migrate.knowledge.api_support import SUPPORT, VERDICTS

SCRIPT = """import tensorflow as tf
from tensorflow.compat.v1 import is_nan as bad

x = tf.matmul(tf.eye(2), tf.eye(2))
bad(x)
reader = tf.WholeFileReader()
other.Session()
"""


def run(*arguments: str) -> Result:
    return CliRunner().invoke(command, ["--api-report", *arguments], standalone_mode=True)


@pytest.fixture
def script(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "train.py").write_text(SCRIPT)
    return "train.py"


def test_names_are_found_through_aliases(script: str) -> None:
    said = run(script).output
    assert "In all: 4 names, 5 calls" in said
    assert "  tf.is_nan  1  train.py:5; check on the host" in said
    assert "  tf.eye  2  train.py:4, train.py:4\n" in said
    assert "Session" not in said


def test_nothing_is_called_supported(script: str) -> None:
    assert "supported:" not in run(script).output.lower().replace("unsupported:", "")


def test_json(script: str) -> None:
    document = json.loads(run("--format", "json", script).output)
    assert document["verdicts"]["unsupported"] == {"names": 2, "calls": 2}
    names = {one["name"]: one for one in document["names"]}
    assert names["tf.WholeFileReader"]["places"] == [{"path": "train.py", "line": 6}]
    assert names["tf.matmul"]["verdict"] == "not checked"


def test_it_can_be_written_to_a_file(script: str) -> None:
    assert run("--output-file", "api.txt", script).output == ""
    assert Path("api.txt").read_text().startswith("In all:")


@pytest.mark.parametrize("option", ["--diff", "--write"])
def test_it_goes_with_no_mode(script: str, option: str) -> None:
    assert f"--api-report and {option} exclude each other" in run(option, script).output


def test_it_goes_with_three_formats(script: str) -> None:
    assert "--api-report goes with --format text, json or html" in run("--format", "sarif", script).output


def test_a_project_without_tensorflow(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("a.py").write_text("print(1)\n")
    assert run("a.py").output == "No call of TensorFlow was found.\n"


def test_every_row_says_what_it_rests_on() -> None:
    sources = (Path(__file__).resolve().parents[2] / "docs" / "sources.md").read_text()
    for name, known in SUPPORT.items():
        assert name.startswith("tensorflow.")
        assert known.verdict in VERDICTS, name
        assert known.advice and known.source in sources and known.date, name
