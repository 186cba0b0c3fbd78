"""An editor is told of findings in its language."""

from __future__ import annotations

from pathlib import Path

import pytest
from editor import editor
from lsprotocol import types
from scripts import ITERATOR, project

pytestmark = [pytest.mark.asyncio, pytest.mark.long]


@pytest.mark.parametrize("how", ["setting", "locale", "project"])
async def test_the_editor(how: str, tmp_path: Path) -> None:
    project(tmp_path, {"train.py": ITERATOR})
    if how == "project":
        (tmp_path / "pyproject.toml").write_text('[tool.npu-migrate]\nlanguage = "zh"\n', encoding="utf-8")
    options = {"language": "zh"} if how == "setting" else {}
    async with editor(tmp_path, options=options, locale="zh-cn" if how == "locale" else None) as one:
        uri = one.open(tmp_path / "train.py")
        (found,) = await one.found(uri)
        titles = [action.title for action in await one.offered(uri)]
        hover = await one.client.text_document_hover_async(
            types.HoverParams(types.TextDocumentIdentifier(uri), found.range.start)
        )
    assert found.message == "one-shot迭代器：当iterations_per_loop大于1时，在NPU上会中止"
    assert titles == [
        "改为可初始化迭代器，并运行其初始化操作",
        "在此行禁用NPU101",
        "修复所有安全的npu-migrate问题",
        "解释NPU101",
    ]
    assert hover is not None
    assert isinstance(hover.contents, types.MarkupContent)
    assert "## 作用" in hover.contents.value
