"""Standard streams that are closed, full, or left by their reader; and files that stand for them."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import pytest
from test_cli import COMMAND, ENVIRONMENT, SCRIPT

pytestmark = pytest.mark.long


@pytest.fixture
def project(tmp_path: Path) -> Path:
    (tmp_path / "pyproject.toml").write_text("")
    (tmp_path / "train.py").write_text(SCRIPT)
    return tmp_path


def shell(folder: Path, script: str) -> subprocess.CompletedProcess[str]:
    """What a shell makes of `script`, in which ``$NM`` is the command."""
    return subprocess.run(
        ["bash", "-c", script],
        cwd=folder,
        capture_output=True,
        text=True,
        timeout=60,
        env={**ENVIRONMENT, "NM": " ".join(COMMAND)},
    )


@pytest.mark.parametrize(
    "arguments",
    [".", "--format json .", "--diff .", "--statistics .", "--explain NPU101", "--list-rules", "--version"],
)
def test_a_result_that_cannot_be_written(project: Path, arguments: str) -> None:
    ran = shell(project, f"$NM {arguments} >/dev/full")
    assert ran.returncode == 2
    assert ran.stderr == "npu-migrate: error: the result cannot be written: No space left on device\n"


@pytest.mark.parametrize("streams", [">&-", "2>&-", "<&-", ">&- 2>&- <&-", "2>/dev/full"])
@pytest.mark.parametrize(("fail_on", "code"), [("warning", 1), ("never", 0)])
def test_streams_that_lead_nowhere_do_not_matter(
    project: Path, streams: str, fail_on: str, code: int
) -> None:
    ran = shell(project, f"$NM . --fail-on {fail_on} --format json --output-file report.json {streams}")
    assert (ran.returncode, ran.stdout) == (code, "")
    assert len(json.loads((project / "report.json").read_bytes())["findings"]) == 1


@pytest.mark.parametrize("arguments", [".", "{}", "-", "--clean-cache", "{} --output-file x"])
def test_a_working_directory_that_is_gone(project: Path, arguments: str) -> None:
    ran = shell(project, f"mkdir gone && cd gone && rmdir ../gone && $NM {arguments.format(project)}")
    assert (ran.returncode, ran.stdout, ran.stderr.count("\n")) == (2, "", 1)
    assert ran.stderr.startswith("npu-migrate: error: the working directory is gone")


def test_closed_standard_input_is_no_script(project: Path) -> None:
    ran = shell(project, "$NM - <&-")
    assert (ran.returncode, ran.stderr) == (2, "npu-migrate: error: standard input is closed\n")


@pytest.mark.parametrize(("fail_on", "code"), [("warning", 1), ("never", 0)])
def test_a_reader_who_leaves_does_not_change_the_exit_code(project: Path, fail_on: str, code: int) -> None:
    ran = shell(project, f"$NM . --format html --fail-on {fail_on} | true; echo ${{PIPESTATUS[0]}}")
    assert ran.stdout == f"{code}\n"
    assert "Traceback" not in ran.stderr and "Found: 1 warning" in ran.stderr


def test_the_report_goes_to_a_stream_by_its_name(project: Path) -> None:
    """Through a pipe, and behind what a file holds that the shell appends to."""
    csv = shell(project, "$NM . --format csv --quiet").stdout
    assert shell(project, "$NM . --format csv --quiet --output-file /dev/stdout | cat").stdout == csv
    assert shell(project, "$NM . --format csv --quiet --output-file >(cat >&2) && wait $!").stdout == ""
    shell(project, "echo first >log.txt; $NM . --format csv --quiet --output-file /dev/stdout >>log.txt")
    assert (project / "log.txt").read_text() == f"first\n{csv}"
    ran = shell(project, "$NM . --format csv --quiet --output-file /dev/fd/77")
    assert (ran.returncode, ran.stderr) == (
        2,
        "npu-migrate: error: --output-file: /dev/fd/77: Bad file descriptor\n",
    )


@pytest.mark.parametrize("device", ["/dev/full", "/dev/zero", "/dev/null", "/dev/stdout"])
def test_a_baseline_on_a_device_is_not_read_to_its_end(project: Path, device: str) -> None:
    ran = shell(project, f"ulimit -v 4000000; $NM . --write-baseline {device} --quiet")
    assert ran.returncode == (2 if device == "/dev/full" else 0)
    assert ('"version": 1' in ran.stdout) == (device == "/dev/stdout")
    assert "Traceback" not in ran.stderr


def test_names_that_the_locale_spells_otherwise(project: Path) -> None:
    """What was kept under one locale is no answer under another, in which a name is another string."""
    (project / "训练.py").write_text(SCRIPT)
    ascii_only = "LC_ALL=POSIX PYTHONUTF8=0 PYTHONCOERCECLOCALE=0"
    kept = f"export NPU_MIGRATE_CACHE_DIR={project / 'cache'};"
    for first, second in (("LC_ALL=C.UTF-8", ascii_only), (ascii_only, "LC_ALL=C.UTF-8")):
        shell(project, f"{kept} {first} $NM --clean-cache; {first} $NM . --format csv")
        ran = shell(project, f"{kept} {second} $NM . --format csv")
        assert (ran.returncode, ran.stdout) == (
            1,
            shell(project, f"{second} $NM . --format csv --no-cache").stdout,
        )
