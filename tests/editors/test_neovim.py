"""Neovim with the configuration of the documentation: from a finding to a file that is fixed and saved."""

from __future__ import annotations

import shutil
import time
from pathlib import Path

import pytest
from editing import (
    FIX_TITLE,
    LOOP,
    PATIENCE,
    PROJECTS,
    is_running,
    path_with_server,
    project,
    run_editor,
    started,
    written,
)
from fidelity import Tree, assert_same_tree, read_tree, write_tree

REPOSITORY = Path(__file__).resolve().parents[2]
CONFIGURATION = REPOSITORY / "editors" / "neovim" / "npu_migrate.lua"
HELPERS = Path(__file__).with_name("neovim.lua")

pytestmark = pytest.mark.needs("neovim")


def command(scenario: str, home: Path) -> list[str]:
    """Neovim as its user has set it up, with a scenario: the body of a function of `editor`."""
    home.mkdir()
    script = home / "scenario.lua"
    script.write_text(f'dofile("{HELPERS}")(function(editor)\n{scenario}\nend)\n', encoding="utf-8")
    neovim = shutil.which("nvim", path=path_with_server())
    assert neovim is not None
    return [neovim, "--clean", "--headless", "-c", f"luafile {CONFIGURATION}", "-c", f"luafile {script}"]


def edited(tree: Tree, scenario: str, tmp_path: Path) -> Tree:
    """The files of a project after a scenario."""
    folder = tmp_path / "project"
    write_tree(folder, tree)
    run_editor(command(scenario, tmp_path / "home"), folder, tmp_path / "home")
    return read_tree(folder)


@pytest.mark.parametrize("name", PROJECTS)
def test_fixing_all(name: str, tmp_path: Path) -> None:
    tree = PROJECTS[name]
    scenario = """
        for _, file in ipairs(vim.fn.glob("*.py", false, true)) do
            editor.show(file)
        end
        editor.show(#vim.fn.glob("reader.py") > 0 and "reader.py" or "train.py")
        editor.wait("findings", function() return #editor.findings() > 0 end)
        editor.fix_all()
        editor.expect({})
        vim.cmd.wall()
    """
    assert_same_tree(edited(tree, scenario, tmp_path), written(tree))


@pytest.mark.parametrize("name", PROJECTS)
def test_applying_one_action(name: str, tmp_path: Path) -> None:
    """As from the menu; a file that is not open yet is changed too."""
    tree = PROJECTS[name]
    scenario = f"""
        editor.show(#vim.fn.glob("reader.py") > 0 and "reader.py" or "train.py")
        editor.wait("findings", function() return editor.marked("NPU101") ~= nil end)
        assert(editor.marked("NPU101") == "make_one_shot_iterator", editor.marked("NPU101"))
        editor.apply("NPU101", "{FIX_TITLE}")
        editor.expect({{}})
        vim.cmd.wall()
    """
    assert_same_tree(edited(tree, scenario, tmp_path), written(tree, "--select", "NPU101"))


def test_disabling_a_finding(tmp_path: Path) -> None:
    scenario = """
        editor.show("train.py")
        editor.expect({ "4: NPU101" })
        editor.apply("NPU101", "Disable NPU101 for this line")
        editor.expect({})
        vim.cmd.write()
    """
    tree = edited(PROJECTS["wide"], scenario, tmp_path)
    assert b"npu-migrate: ignore[NPU101]" in tree["train.py"].splitlines()[3]


def test_a_text_that_is_not_saved_counts(tmp_path: Path) -> None:
    """A finding in one file goes and comes while another one is edited, and nothing is written."""
    tree = project(train=LOOP, settings="LOOP = 30\n")
    scenario = """
        local function loop(steps)
            editor.show("settings.py")
            vim.api.nvim_buf_set_lines(0, 0, 1, true, { "LOOP = " .. steps })
            editor.show("train.py")
        end
        editor.show("train.py")
        editor.expect({ "4: NPU104", "4: NPU203" })
        loop(50)
        editor.expect({ "4: NPU104" })
        loop(30)
        editor.expect({ "4: NPU104", "4: NPU203" })
    """
    assert_same_tree(edited(tree, scenario, tmp_path), tree)


def test_a_text_is_broken_and_mended(tmp_path: Path) -> None:
    scenario = """
        editor.show("train.py")
        editor.expect({ "4: NPU101" })
        vim.api.nvim_buf_set_lines(0, 6, 7, true, { "    print(title, sess.run(batch)" })
        editor.wait("a syntax error", function() return editor.marked("NPU901") ~= nil end)
        assert(editor.marked("NPU101") == "make_one_shot_iterator")
        vim.cmd.undo()
        editor.expect({ "4: NPU101" })
    """
    edited(PROJECTS["wide"], scenario, tmp_path)


def test_the_server_is_killed_and_started_again(tmp_path: Path) -> None:
    scenario = """
        editor.show("train.py")
        editor.expect({ "4: NPU101" })
        local first = editor.server()
        vim.uv.kill(first, "sigkill")
        editor.wait("the end of the server", function() return #vim.lsp.get_clients() == 0 end)
        vim.cmd.edit()
        editor.expect({ "4: NPU101" })
        assert(editor.server() ~= first)
        editor.fix_all()
        editor.expect({})
        vim.cmd.write()
    """
    tree = PROJECTS["wide"]
    assert_same_tree(edited(tree, scenario, tmp_path), written(tree))


def test_the_server_ends_with_a_neovim_that_is_killed(tmp_path: Path) -> None:
    write_tree(tmp_path / "project", PROJECTS["wide"])
    scenario = """
        editor.show("train.py")
        editor.expect({ "4: NPU101" })
        io.stdout:write("server " .. editor.server() .. "\\n")
        io.stdout:flush()
        vim.wait(1e9)
    """
    with started(command(scenario, tmp_path / "home"), tmp_path / "project", tmp_path / "home") as neovim:
        assert neovim.stdout is not None
        line = next(line for line in neovim.stdout if line.startswith("server "))
        server = int(line.split()[1])
        assert is_running(server)
        neovim.kill()
        neovim.wait()
        patience = time.monotonic() + PATIENCE
        while is_running(server):
            assert time.monotonic() < patience
            time.sleep(0.05)
