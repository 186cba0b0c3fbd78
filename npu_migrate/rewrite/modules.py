"""Whole modules that fixes add to a project: their texts are templates of this tool."""

from __future__ import annotations

from functools import cache
from pathlib import Path

from npu_migrate.index.gate import is_generated
from npu_migrate.intents import AddModule
from npu_migrate.rewrite.document import Document, Refused
from npu_migrate.rewrite.parts import Insert, Order, Part, Slot

_TEMPLATES = Path(__file__).parents[1] / "templates"


def compile_module(document: Document, intent: AddModule) -> list[Part]:
    """The parts of an `AddModule`; none if the file is there already. Raises `Refused`."""
    if is_generated(document.text.encode()):
        return []
    if document.text:
        raise Refused("the file that it has to add is there with another text")
    return [Insert(0, Order(Slot.PREFIX), text_of(intent.template))]


@cache
def text_of(template: str) -> str:
    """The text of one of our modules."""
    return (_TEMPLATES / f"{template}.py").read_text(encoding="utf-8")
