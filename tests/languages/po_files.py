"""Reads, writes and compiles catalogues, with Babel."""

from __future__ import annotations

import io
from collections.abc import Mapping, Sequence
from pathlib import Path

from babel.messages.catalog import Catalog
from babel.messages.mofile import write_mo
from babel.messages.pofile import read_po, write_po
from languages.extraction import PACKAGE

_HEAD = """# The sentences of npu-migrate in {language}.
# python tests/languages/update.py keeps the templates (msgid) as they are in the source.
msgid ""
msgstr ""
"Language: {language}\\n"
"MIME-Version: 1.0\\n"
"Content-Type: text/plain; charset=UTF-8\\n"
"Content-Transfer-Encoding: 8bit\\n"

"""
"""Babel's own has the time and its version in it."""


def source_of(language: str) -> Path:
    """The catalogue as translators write it."""
    return PACKAGE / "languages" / language / "messages.po"


def compiled_of(language: str) -> Path:
    """The catalogue as npu-migrate reads it."""
    return source_of(language).with_suffix(".mo")


def parsed(text: str) -> Catalog:
    """A catalogue from the text of its file."""
    return read_po(io.BytesIO(text.encode()), charset="utf-8")


def translations(text: str) -> dict[str, str]:
    """The translation of each template, without those that are empty or marked as fuzzy."""
    return {str(one.id): str(one.string) for one in parsed(text) if one.id and one.string and not one.fuzzy}


def written(language: str, templates: Mapping[str, Sequence[str]], known: Mapping[str, str]) -> str:
    """The text of a catalogue; what is not known yet is empty. The places of a sentence are files."""
    catalog = Catalog(fuzzy=False)
    for template, places in templates.items():
        files = dict.fromkeys(place.partition(":")[0] for place in places)
        made = catalog.add(template, known.get(template, ""), locations=[(file, None) for file in files])
        # It would say that braces are Python's. They are fields of a template.
        made.flags.clear()
    text = io.BytesIO()
    write_po(text, catalog, width=0, omit_header=True, include_lineno=False)
    return _HEAD.format(language=language) + text.getvalue().decode().strip("\n") + "\n"


def compiled(text: str) -> bytes:
    """A catalogue as `gettext` reads it."""
    file = io.BytesIO()
    write_mo(file, parsed(text))
    return file.getvalue()
