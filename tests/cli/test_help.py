"""``--help``, and what shells complete."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import click
import pytest
from click.shell_completion import ShellComplete
from click.testing import CliRunner

import npu_migrate
from npu_migrate.cli import command
from npu_migrate.commands.rehearsing.command import command as rehearse
from npu_migrate.help_page import GroupedCommand

COMMANDS = pytest.mark.parametrize("one", [command, rehearse], ids=["npu-migrate", "npu-rehearse"])


def help_of(one: click.Command) -> str:
    return CliRunner().invoke(one, ["--help"], terminal_width=100).output


@COMMANDS
def test_each_option_is_in_one_group(one: click.Command) -> None:
    assert isinstance(one, GroupedCommand)
    listed = [option for options in one.groups.values() for option in options]
    options = {parameter.opts[-1] for parameter in one.params if isinstance(parameter, click.Option)}
    assert len(set(listed)) == len(listed)
    assert set(listed) <= options


@COMMANDS
def test_help_has_every_option_examples_and_exit_codes(one: click.Command) -> None:
    assert isinstance(one, GroupedCommand)
    text = help_of(one)
    lines = text.splitlines()
    assert {f"{title}:" for title in (*one.groups, "Other options", "Examples", "Exit codes")} <= {*lines}
    for parameter in one.params:
        if isinstance(parameter, click.Option):
            assert sum(line.strip().startswith((parameter.opts[-1], "-h, --help")) for line in lines)
    assert {line.split()[0] for line in lines[lines.index("Exit codes:") + 1 :]} >= {"0", "1", "2", "130"}


def test_the_examples_are_right() -> None:
    """They have options that there are, with values that these take."""
    assert isinstance(command, GroupedCommand)
    for example, _ in command.examples:
        program, *arguments = example.split()
        assert program == "npu-migrate"
        command.make_context(program, arguments)


def test_shells_complete_words_codes_and_paths() -> None:
    def offered(arguments: list[str], incomplete: str) -> list[tuple[str, str]]:
        shell = ShellComplete(command, {}, "npu-migrate", "_NPU_MIGRATE_COMPLETE")
        return [(one.type, one.value) for one in shell.get_completions(arguments, incomplete)]

    assert offered([], "--group") == [("plain", "--group-by")]
    assert offered(["--group-by"], "f") == [("plain", "folder")]
    assert ("plain", "NPU101,NPU102") in offered(["--select"], "NPU101,npu10")
    assert ("plain", "NPU101") in offered(["--explain"], "NPU1")
    assert offered([], "sr") == [("file", "sr")]
    assert offered(["--baseline"], "b") == [("file", "b")]


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_the_command_gives_the_script_for_a_shell(shell: str, tmp_path: Path) -> None:
    program = tmp_path / "npu-migrate"
    program.write_text(f"#!{sys.executable}\nfrom npu_migrate.start import main\nmain()\n")
    program.chmod(0o755)
    ran = subprocess.run(
        [program],
        env={
            **os.environ,
            "PYTHONPATH": str(Path(npu_migrate.__file__).parents[1]),
            "_NPU_MIGRATE_COMPLETE": f"{shell}_source",
        },
        capture_output=True,
        text=True,
        check=False,
    )
    assert ran.returncode == 0, ran.stderr
    assert f"_NPU_MIGRATE_COMPLETE={shell}_complete" in ran.stdout
