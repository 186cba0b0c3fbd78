"""Parts that share no file are judged each by itself as they are judged together."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from fidelity import write_tree
from fixture_cases import all_cases

from npu_migrate.engine.analysis import TreePart
from npu_migrate.engine.installed import installed_machinery
from npu_migrate.engine.job import Outcome
from npu_migrate.engine.request import Request, prepare
from npu_migrate.engine.run import run
from npu_migrate.index.indexing import Indexed, Sheet, index_sheet
from npu_migrate.programs.programs import Relevance, relevant_files
from npu_migrate.sources.tree import SourceTree

CASES = all_cases()
GROUPS = 60


def outcome(folder: Path, parts: Callable[[Relevance], tuple[Relevance, ...]]) -> Outcome:
    def split(tree: SourceTree, _: object) -> tuple[TreePart, ...]:
        return tuple(TreePart(tree, part) for part in parts(relevant_files(tree)))

    job = prepare(Request((str(folder),)), installed_machinery())
    return run(replace(job, split=split))


@pytest.mark.parametrize("group", range(GROUPS))
def test_parts_find_what_the_whole_finds(group: int, tmp_path: Path) -> None:
    """A part for each of several fixtures, side by side, against all of them in one."""
    write_tree(tmp_path, {"pyproject.toml": b""})
    for number, case in enumerate(CASES[group::GROUPS]):
        write_tree(tmp_path / f"p{number}", case.before)
    together = outcome(tmp_path, lambda relevance: (relevance,))
    apart = outcome(tmp_path, Relevance.parts)
    assert apart.report.diagnostics == together.report.diagnostics
    assert apart.report.files == together.report.files


def test_parts_share_no_file_and_leave_none_out(tmp_path: Path) -> None:
    write_tree(tmp_path, {"pyproject.toml": b""})
    for number, case in enumerate(CASES[::40]):
        write_tree(tmp_path / f"p{number}", case.before)
    tree = prepare(Request((str(tmp_path),)), installed_machinery()).discovery.tree
    whole = relevant_files(tree)
    parts = whole.parts()
    files = [key for part in parts for key in part.ours | part.supporting]
    assert len(files) == len({*files})
    assert {*files} == whole.ours | whole.supporting
    assert sum(len(part.programs.by_entry) for part in parts) == len(whole.programs.by_entry)
    # Some cases have nothing that matters without their settings; most are a part of their own.
    assert len(parts) > len(CASES[::40]) / 2


def test_a_text_that_was_analysed_is_not_parsed_anew_to_judge_it(tmp_path: Path) -> None:
    write_tree(tmp_path, {"train.py": b"import tensorflow as tf\n\nwith tf.Session() as sess:\n    pass\n"})
    tree = prepare(Request((str(tmp_path),)), installed_machinery()).discovery.tree
    (key,) = tree.targets
    parsed: list[str] = []

    def index(sheets: Iterable[Sheet]) -> Iterator[tuple[str, Indexed]]:
        for sheet in sheets:
            parsed.append(sheet.text)
            yield sheet.key, index_sheet(sheet)

    analyser = TreePart(tree, relevant_files(tree), index=index).analyser()
    for text in ("x = 1\n", "x = 2\n"):
        analyser(tree.with_texts({key: text}))
        assert analyser.project(tree.with_texts({key: text})).facts(key) is not None
    assert analyser.project(tree.with_texts({key: "x = 1\n"})).facts(key) is not None
    assert parsed == ["x = 1\n", "x = 2\n", "x = 1\n"], "what was analysed last is still known"
