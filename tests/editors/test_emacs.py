"""Emacs with the configuration of the documentation: from a finding to a file that is fixed and saved."""

from __future__ import annotations

import shutil
from codecs import BOM_UTF8
from pathlib import Path

import pytest
from editing import FIX_TITLE, LOOP, PROJECTS, project, run_editor, written
from fidelity import Tree, assert_same_tree, read_tree, write_tree

REPOSITORY = Path(__file__).resolve().parents[2]
CONFIGURATION = REPOSITORY / "editors" / "emacs"
HELPERS = Path(__file__).with_name("emacs.el")

pytestmark = pytest.mark.needs("emacs")


def edited(tree: Tree, scenario: str, tmp_path: Path, answers: str = "") -> Tree:
    """The files of a project after a scenario: the expressions of a body. `answers` are typed."""
    folder, home = tmp_path / "project", tmp_path / "home"
    write_tree(folder, tree)
    home.mkdir()
    script = home / "scenario.el"
    script.write_text(f";; -*- lexical-binding: t -*-\n{scenario}", encoding="utf-8")
    emacs = shutil.which("emacs")
    assert emacs is not None
    libraries = ["--directory", str(CONFIGURATION), "--load", str(HELPERS), "--load", str(script)]
    run_editor([emacs, "--batch", "--no-init-file", *libraries], folder, home, answers)
    return read_tree(folder)


def as_emacs_saves(tree: Tree) -> Tree:
    """Emacs itself leaves out a byte order mark in a file whose first line names its encoding."""
    return {name: content.removeprefix(BOM_UTF8) for name, content in tree.items()}


def main_file(tree: Tree) -> str:
    return "reader.py" if "reader.py" in tree else "train.py"


@pytest.mark.parametrize("name", PROJECTS)
def test_fixing_all(name: str, tmp_path: Path) -> None:
    tree = PROJECTS[name]
    scenario = f"""
        (dolist (file (file-expand-wildcards "*.py")) (editor-show file))
        (editor-show "{main_file(tree)}")
        (editor-wait "findings" #'editor-findings)
        (npu-migrate-fix-all)
        (editor-expect)
        (editor-save)
    """
    assert_same_tree(edited(tree, scenario, tmp_path), as_emacs_saves(written(tree)))


@pytest.mark.parametrize("name", PROJECTS)
def test_applying_one_action(name: str, tmp_path: Path) -> None:
    """As from the menu; before a file is changed that is not open, Eglot asks."""
    tree = PROJECTS[name]
    scenario = f"""
        (editor-show "{main_file(tree)}")
        (editor-wait "findings" (lambda () (editor-finding "NPU101")))
        (cl-assert (equal (editor-marked "NPU101") "make_one_shot_iterator"))
        (editor-apply "NPU101" "{FIX_TITLE}")
        (editor-expect)
        (editor-save)
    """
    after = as_emacs_saves(written(tree, "--select", "NPU101"))
    assert_same_tree(edited(tree, scenario, tmp_path, answers="y\n"), after)


def test_a_text_that_is_not_saved_counts(tmp_path: Path) -> None:
    """A finding in one file goes and comes while another one is edited, and nothing is written."""
    tree = project(train=LOOP, settings="LOOP = 30\n")
    scenario = """
        (defun loop (steps)
          (editor-show "settings.py")
          (erase-buffer)
          (insert (format "LOOP = %d\n" steps))
          (editor-diagnostics)
          (editor-show "train.py"))
        (editor-show "train.py")
        (editor-expect "4: NPU104" "4: NPU203")
        (loop 50)
        (editor-expect "4: NPU104")
        (loop 30)
        (editor-expect "4: NPU104" "4: NPU203")
    """
    assert_same_tree(edited(tree, scenario, tmp_path), tree)


def test_the_server_is_killed_and_started_again(tmp_path: Path) -> None:
    scenario = """
        (editor-show "train.py")
        (editor-expect "4: NPU101")
        (let ((first (jsonrpc--process (eglot-current-server))))
          (signal-process first 'SIGKILL)
          (editor-wait "the end of the server" (lambda () (not (process-live-p first)))))
        (editor-wait "Eglot to notice" (lambda () (not (eglot-managed-p))))
        (editor-show "train.py")
        (editor-expect "4: NPU101")
        (npu-migrate-fix-all)
        (editor-expect)
        (editor-save)
    """
    tree = PROJECTS["wide"]
    assert_same_tree(edited(tree, scenario, tmp_path), written(tree))
