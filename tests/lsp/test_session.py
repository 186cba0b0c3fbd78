"""When an editor's texts are judged."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest
from editor import editor
from scripts import ITERATOR, project

from npu_migrate.lsp.session.options import EditorOptions
from npu_migrate.lsp.session.session import pause_after


@pytest.mark.parametrize(
    ("debounce", "lasted", "pause"),
    [(150, 0.1, 0.15), (150, 0.8, 0.8), (150, 30, 2.0), (5000, 30, 5.0), (0, 0.1, 0), (0, 30, 0)],
)
def test_who_wants_no_wait_gets_none(debounce: int, lasted: float, pause: float) -> None:
    assert pause_after(lasted, EditorOptions(debounce=debounce)) == pause


@pytest.mark.asyncio
async def test_a_storm_of_undo_and_redo_ends_at_the_last_text(tmp_path: Path) -> None:
    folder = project(tmp_path, {"train.py": ITERATOR})
    async with editor(folder) as one:
        uri = one.open(folder / "train.py")
        for step in range(200):
            one.write(uri, ITERATOR if step % 2 else ITERATOR.replace("make_one_shot", "make_initializable"))
            if step % 20 == 0:
                await asyncio.sleep(0)
        assert await one.codes(uri) == ["NPU101"]
        assert one.client.messages == []
