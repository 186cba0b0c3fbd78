#!/usr/bin/env python3
"""Takes the sentences of the source into the catalogues; what is no longer said leaves them.

python tests/languages/update.py

New sentences have an empty translation: write it and run this again, which compiles the catalogue, or put the
sentence into `not_translated.txt` if no user reads it. After a merge, run it too.
"""

from __future__ import annotations

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))
sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from languages.extraction import not_translated, templates
from languages.po_files import compiled, compiled_of, source_of, translations, written

from npu_migrate.languages.catalogue import Catalogue
from npu_migrate.languages.choosing import ENGLISH, LANGUAGES


def main() -> None:
    silent = not_translated()
    wanted = {text: places for text, places in templates().items() if text not in silent}
    for language in LANGUAGES:
        if language == ENGLISH:
            continue
        file = source_of(language)
        known = translations(file.read_text("utf-8")) if file.is_file() else {}
        text = written(language, wanted, known)
        file.write_text(text, encoding="utf-8", newline="\n")
        _compile(text, compiled_of(language))
        missing = [text for text in wanted if text not in known]
        print(f"{language}: {len(wanted)} sentences, {len(missing)} without a translation")
        for text in missing:
            print(f"  {text}")


def _compile(text: str, file: Path) -> None:
    """A compiled catalogue has the time in it, so it is written if it says something else."""
    if file.is_file():
        with file.open("rb") as opened:
            if Catalogue(opened).templates == translations(text):
                return
    file.write_bytes(compiled(text))


if __name__ == "__main__":
    main()
