"""The analysis of texts that change at any moment."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest
from scripts import ITERATOR, project
from test_desk import Strict, content

from npu_migrate.lsp.judging.change import Change
from npu_migrate.lsp.judging.judged import Judged
from npu_migrate.lsp.session.analysis import Analysis

PATIENCE = 60
OTHER = ITERATOR.replace("make_one_shot", "make_initializable")


class Texts:
    """A text that is analysed, and what was found in it last."""

    def __init__(self, folder: Path) -> None:
        self.path = project(folder, {"train.py": ITERATOR}) / "train.py"
        self.found: dict[str, Judged] = {}
        self.busy: list[bool] = []
        self.analysis = Analysis(
            Strict(), lambda found: self.found.update({one.key: one for one in found}), self.busy.append
        )
        self.analysis.configure([str(folder)], lambda settings: settings)

    def change(self, text: str) -> Change:
        return Change({str(self.path): content(self.path, text)})

    async def settled(self) -> list[str]:
        """The codes of what is found when all changes are judged."""

        async def wait() -> None:
            while not self.analysis.is_settled:
                await self.analysis.news()

        await asyncio.wait_for(wait(), PATIENCE)
        return [one.diagnostic.code for one in self.found[str(self.path)].diagnosed]


@pytest.mark.asyncio
async def test_a_change_in_the_moment_in_which_the_pause_ends(tmp_path: Path) -> None:
    """The timer and the message are handled in the same turn of the loop."""
    texts = Texts(tmp_path)
    texts.analysis.begin(texts.change(OTHER))
    asyncio.get_running_loop().call_later(0, lambda: texts.analysis.changed(texts.change(ITERATOR)))
    assert await texts.settled() == ["NPU101"]


@pytest.mark.asyncio
async def test_changes_while_the_desk_is_busy(tmp_path: Path) -> None:
    texts = Texts(tmp_path)
    texts.analysis.begin(texts.change(OTHER))
    for number in range(50):
        await asyncio.sleep(0.002)
        texts.analysis.changed(texts.change(f"{ITERATOR}# {number}\n"))
    assert await texts.settled() == ["NPU101"]


@pytest.mark.asyncio
async def test_what_changes_while_it_is_switched_off_is_judged_later(tmp_path: Path) -> None:
    """Also when it is switched off and on while the desk is busy."""
    texts = Texts(tmp_path)
    for _ in range(20):
        texts.analysis.begin(texts.change(OTHER))
        await asyncio.sleep(0.005)
        texts.analysis.end()
        texts.analysis.changed(texts.change(ITERATOR))
        assert not texts.analysis.is_settled
        texts.analysis.begin(Change())
        await asyncio.sleep(0.001)
    assert await texts.settled() == ["NPU101"]
