"""Which Python is taken, and the one line that is said where there is none."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from npu_migrate.rehearsal.interpreters import NoTensorFlow, found_interpreter, named_interpreter, probe


def python(folder: Path, version: str, tensorflow: str) -> str:
    """A program that answers the probe as that Python would."""
    folder.mkdir(parents=True, exist_ok=True)
    program = folder / f"python-{version}-{tensorflow}"
    program.write_text(f"#!/bin/sh\necho '[[{version.replace('.', ', ')}], {tensorflow}]'\n")
    program.chmod(0o755)
    return str(program)


def test_this_python_is_probed_without_importing_tensorflow() -> None:
    probed = probe(sys.executable)
    assert probed is not None and probed.version == sys.version_info[:2]


@pytest.mark.parametrize("program", ["/bin/ls", "/nowhere/python"])
def test_what_is_no_python(program: str) -> None:
    assert probe(program) is None


def test_the_first_that_has_tensorflow(tmp_path: Path) -> None:
    programs = {
        "python": python(tmp_path, "2.7", "true"),
        "python3": python(tmp_path, "3.12", "false"),
        "python3.7": python(tmp_path, "3.7", "true"),
    }
    assert found_interpreter(programs, programs.get) == programs["python3.7"]


def test_none_has_tensorflow(tmp_path: Path) -> None:
    with pytest.raises(NoTensorFlow) as error:
        found_interpreter(("python",), {"python": python(tmp_path, "3.12", "false")}.get)
    assert "looked at python" in str(error.value) and "rehearsal-python" in str(error.value)
    assert "\n" not in str(error.value)


@pytest.mark.parametrize(
    ("version", "tensorflow", "message"),
    [("3.6", "true", "is Python 3.6"), ("3.9", "false", "has no TensorFlow")],
)
def test_a_named_python_that_cannot_be_used(
    tmp_path: Path, version: str, tensorflow: str, message: str
) -> None:
    with pytest.raises(NoTensorFlow, match=message) as error:
        named_interpreter(python(tmp_path, version, tensorflow), "--python")
    assert str(error.value).startswith("--python: ")


def test_a_named_python_that_is_not_there() -> None:
    with pytest.raises(NoTensorFlow, match="no program that can be started"):
        named_interpreter("/nowhere/python", "rehearsal-python")


def test_a_named_python_is_made_absolute(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    program = python(tmp_path, "3.7", "true")
    monkeypatch.chdir(tmp_path)
    assert named_interpreter(f"./{Path(program).name}", "--python") == program


def test_the_folder_of_an_environment(tmp_path: Path) -> None:
    (tmp_path / "venv/bin").mkdir(parents=True)
    (tmp_path / "venv/bin/python").touch()
    with pytest.raises(NoTensorFlow, match=r"^--python: .*/venv is a folder; name .*/venv/bin/python$"):
        named_interpreter(str(tmp_path / "venv"), "--python")
