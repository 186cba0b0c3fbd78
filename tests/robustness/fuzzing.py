#!/usr/bin/env python3
"""Coverage-guided fuzzing:  python tests/robustness/fuzzing.py TARGET [options of libFuzzer] [folders]

TARGET is what gets the bytes: `decode`, `notebook`, `index` or `fix`. A failure leaves ``crash-…`` in the
working folder, which the same command takes in place of the folders to show it again. Needs atheris.
"""

from __future__ import annotations

import ast
import json
import sys
import warnings
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

HERE = Path(__file__).resolve().parent
TESTS = HERE.parent
sys.path[:0] = [str(TESTS), str(TESTS.parent)]

import atheris  # noqa: E402 - after the path is known

RULES_TOO = sys.argv[1:2] == ["fix"]
with atheris.instrument_imports(include=["npu_migrate"]):
    # What a run imports only when it needs it, too: the fuzzer does not see into what is imported later.
    from npu_migrate.index.build import build_facts
    from npu_migrate.index.parsing import UNPARSABLE, parse
    from npu_migrate.programs.imports import scan_imports
    from npu_migrate.sources.cells import UneditableCells
    from npu_migrate.sources.notebook import read_notebook
    from npu_migrate.sources.source import Source, SourceError, decode

    assert callable(read_notebook)
    if RULES_TOO:
        # This takes seconds, which the other targets can do without.
        from npu_migrate.rules import ALL_RULES

        assert all(rule.code for rule in ALL_RULES)

from fixture_cases import all_cases  # noqa: E402

from robustness.sprinkling import is_python, require_faithful, sprinkled  # noqa: E402

SCRIPTS = tuple(
    text
    for case in (all_cases() if RULES_TOO else ())
    for path, content in case.before.items()
    if path.endswith(".py") and len(content) < 2_000 and b"npu-migrate:" not in content
    if is_python(text := content.decode("utf-8", "replace"))
)
CELL_KINDS = ["code", "code", "code", "markdown", "raw"]
PIECES = [
    *("%matplotlib inline\n", "!pip install x\n", "%%bash\n", "%%time\n", "a = %time f()\n", "x = !ls\n"),
    *("f?\n", "?f\n", ",f a\n", ";f a\n", "/f a\n", "if y:\n    %cd ..\n", "f(\n%cd\n)\n", "x \\\n%cd\n"),
    *('"""\n%cd\n"""\n', "import tensorflow as tf\n", "x = 1", "\n", "\r", "\r\n", "\t", "\x0c", "\u2028"),
    *("é", "🚀", "\\", '"', "'", "#", ";"),
]


def decode_bytes(data: bytes) -> None:
    """Bytes come back from their text, for a script and for a notebook; or one clear error.

    What CPython reads as a program is decoded, to the same program.
    """
    meaning = meant(data)
    for key in ("/a.py", "/a.ipynb"):
        script = key == "/a.py"
        try:
            source = decode(key, data)
        except SourceError as error:
            # Of bytes in memory, CPython does not decode the comments.
            assert meaning is None or not script or error.reason.startswith("is not valid")
            continue
        require_round_trip(source)
        assert meaning is None or not script or meant(source.text) == meaning


def notebook_of_cells(data: bytes) -> None:
    """The bytes choose cells and an edit: it is done in the notebook, and all else is as before."""
    provider = atheris.FuzzedDataProvider(data)
    cells = [_cell(provider) for _ in range(provider.ConsumeIntInRange(1, 4))]
    nested = {"cells": cells, "metadata": {}, "nbformat": 4, "nbformat_minor": 5}
    indent = provider.PickValueInList([None, 1, 2])
    written = json.dumps(nested, indent=indent, ensure_ascii=provider.ConsumeBool()).encode()
    try:
        source = decode("/a.ipynb", written)
    except SourceError:
        return
    require_round_trip(source)
    start = provider.ConsumeIntInRange(0, len(source.text))
    end = min(len(source.text), start + provider.ConsumeIntInRange(0, 20))
    new = provider.PickValueInList(["", "x", "x = 1\n", '"é🚀\\\n'])
    try:
        edited = source.spliced([(start, end, new)])
    except (SourceError, UneditableCells):
        return
    require_round_trip(decode("/a.ipynb", edited))
    for kind in ("markdown", "raw"):
        assert _texts_of(edited, kind) == _texts_of(written, kind)
    before, after = (_texts_of(one, "code") for one in (written, edited))
    assert len(before) == len(after)
    # A line break between two cells stands in neither.
    grown = sum(map(len, after)) - sum(map(len, before))
    assert abs(grown - (len(new) - (end - start))) <= 2


def _cell(provider: atheris.FuzzedDataProvider) -> dict[str, object]:
    parts = [
        provider.ConsumeUnicodeNoSurrogates(8) if provider.ConsumeBool() else provider.PickValueInList(PIECES)
        for _ in range(provider.ConsumeIntInRange(0, 6))
    ]
    text = "".join(parts)
    kind = provider.PickValueInList(CELL_KINDS)
    return {"cell_type": kind, "source": text.splitlines(keepends=True) if provider.ConsumeBool() else text}


def _texts_of(data: bytes, kind: str) -> list[str]:
    return ["".join(one["source"]) for one in json.loads(data)["cells"] if one["cell_type"] == kind]


def require_round_trip(source: Source) -> None:
    """Raises `AssertionError` unless the bytes come back, and the last place is the end of the text."""
    assert source.spliced([]) == source.data
    lines, text = source.file.lines, source.file.text
    assert lines.offset(*lines.ast_position(len(text))) == len(text)


def meant(text: bytes | str) -> str | None:
    """What CPython reads in a script; None if that is no program."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return ast.dump(ast.parse(text))
    except (*UNPARSABLE, LookupError):
        return None


def index_text(data: bytes) -> None:
    """What CPython parses gets facts."""
    scan_imports(data)
    text = data.decode("utf-8", "replace")
    with suppress(*UNPARSABLE):
        parse(text)
        facts = build_facts("/a.py", text)
        assert all(site.statement < len(facts.statements) for site in facts.calls)


def fix_text(data: bytes) -> None:
    """The first bytes choose a script, the others names to put into it."""
    provider = atheris.FuzzedDataProvider(data)
    script = SCRIPTS[provider.ConsumeIntInRange(0, len(SCRIPTS) - 1)]

    def choose(names: object) -> str | None:
        assert isinstance(names, tuple)
        picked = provider.ConsumeIntInRange(0, 255)
        chosen: str | None = names[picked % len(names)] if picked > 200 else None
        return chosen

    text = sprinkled(script, choose)
    if is_python(text):
        require_faithful(text)


TARGETS: dict[str, Callable[[bytes], None]] = {
    "decode": decode_bytes,
    "notebook": notebook_of_cells,
    "index": index_text,
    "fix": fix_text,
}


if __name__ == "__main__":
    words = f"-dict={HERE / 'corpus' / 'words.dict'}"
    atheris.Setup([sys.argv[0], words, *sys.argv[2:]], TARGETS[sys.argv[1]])
    atheris.Fuzz()
