#!/usr/bin/env python3
"""Coverage-guided fuzzing:  python tests/robustness/fuzzing.py TARGET [options of libFuzzer] [folders]

TARGET is what gets the bytes: `decode`, `index` or `fix`. A failure leaves ``crash-…`` in the working folder,
which the same command takes in place of the folders to show it again. Needs atheris.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

TESTS = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(TESTS), str(TESTS.parent)]

import atheris  # noqa: E402 - after the path is known

with atheris.instrument_imports(include=["npu_migrate"]):
    # What a run imports only when it needs it.
    from npu_migrate.index.build import build_facts
    from npu_migrate.index.parsing import UNPARSABLE, parse
    from npu_migrate.project.imports import scan_imports
    from npu_migrate.rules import ALL_RULES
    from npu_migrate.sources.source import SourceError, decode

    assert all(rule.code for rule in ALL_RULES)

from fixture_cases import all_cases  # noqa: E402

from robustness.sprinkling import is_python, require_faithful, sprinkled  # noqa: E402

SCRIPTS = tuple(
    text
    for case in all_cases()
    for path, content in case.before.items()
    if path.endswith(".py") and len(content) < 2_000 and b"npu-migrate:" not in content
    if is_python(text := content.decode("utf-8", "replace"))
)


def decode_bytes(data: bytes) -> None:
    """Bytes come back from their text, for a script and for a notebook; or one clear error."""
    for key in ("/a.py", "/a.ipynb"):
        with suppress(SourceError):
            source = decode(key, data)
            assert source.spliced([]) == data
            assert source.file.lines.offset(*source.file.lines.ast_position(len(source.file.text))) == len(
                source.file.text
            )


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
    "index": index_text,
    "fix": fix_text,
}


if __name__ == "__main__":
    atheris.Setup([sys.argv[0], *sys.argv[2:]], TARGETS[sys.argv[1]])
    atheris.Fuzz()
