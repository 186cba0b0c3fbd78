"""What the tests of rewriting share: places by their code, and the text after some intents."""

from __future__ import annotations

import ast
import random
import sysconfig
from pathlib import Path

from npu_migrate.findings import Applicability, Rewrite
from npu_migrate.intents import Intent
from npu_migrate.places import Place
from npu_migrate.rewrite.edits import apply_edits
from npu_migrate.rewrite.planning import CompiledRewrite, compile_rewrites

PATH = "/project/train.py"


def spot(text: str, code: str, path: str = PATH) -> Place:
    """The first (outermost, topmost) node whose source is `code`."""
    for node in ast.walk(ast.parse(text)):
        if getattr(node, "end_lineno", None) and ast.get_source_segment(text, node) == code:
            return place_of(node, path)
    raise AssertionError(f"{code!r} is no node of {text!r}")


def place_of(node: ast.AST, path: str = PATH) -> Place:
    return Place(path, (node.lineno, node.col_offset, node.end_lineno, node.end_col_offset))


def safe(*intents: Intent) -> Rewrite:
    return Rewrite(Applicability.SAFE, "change it", intents)


def unsafe(*intents: Intent) -> Rewrite:
    return Rewrite(Applicability.UNSAFE, "change it", intents)


def compiled(text: str, *intents: Intent) -> CompiledRewrite:
    """What becomes of one rewrite with all `intents`."""
    return compile_rewrites({PATH: text}, [safe(*intents)])[0]


def rewritten(text: str, *intents: Intent) -> str:
    """`text` after one rewrite with all `intents`."""
    result = compiled(text, *intents)
    assert result.edits is not None, result.refusal
    return apply_edits(text, result.edits)


def refusal(text: str, *intents: Intent) -> str:
    """Why one rewrite with all `intents` is refused."""
    result = compiled(text, *intents)
    assert result.edits is None, apply_edits(text, result.edits)
    assert result.refusal
    return result.refusal


def together(text: str, *rewrites: Rewrite) -> str:
    """`text` after all those of `rewrites` that are not refused."""
    results = compile_rewrites({PATH: text}, rewrites)
    return apply_edits(text, {edit for result in results for edit in result.edits or ()})


def library_sample(count: int, seed: int) -> list[Path]:
    """Files of the standard library, the same ones for one seed and Python."""
    library = Path(sysconfig.get_path("stdlib"))
    files = [*library.glob("*.py"), *library.glob("*/*.py")]
    own = sorted(path for path in files if path.parent.name != "site-packages")
    return random.Random(seed).sample(own, count)
