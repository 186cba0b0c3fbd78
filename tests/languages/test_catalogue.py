"""The catalogues have all sentences of the source, no others, and the same placeholders."""

from __future__ import annotations

import io
import re
from collections import Counter
from pathlib import Path

import pytest
from languages.extraction import PACKAGE, not_translated, templates
from languages.po_files import compiled, compiled_of, source_of, translations, written

from npu_migrate.languages.catalogue import Catalogue
from npu_migrate.languages.choosing import ENGLISH, LANGUAGES

FIELD = re.compile(r"\{(\w+)\}")
GRAMMAR = frozenset({"are", "were", "verb"})
"""Placeholders for words that only English needs."""

CHINESE = re.compile("[\N{CJK UNIFIED IDEOGRAPH-4E00}-\N{CJK UNIFIED IDEOGRAPH-9FFF}]")
PARTED = re.compile(rf"{CHINESE.pattern} [A-Za-z0-9{{]|[A-Za-z0-9}}] {CHINESE.pattern}")
ENGLISH_LEFT = re.compile(r"\b(?:the|is|are|not|of|it|and|this|that|in|to)\b")
NAMES = frozenset({"NVIDIA DALI", "Ascend 950", "{value} (TensorFlow {tensorflow})"})

translated = pytest.mark.parametrize("language", [one for one in LANGUAGES if one != ENGLISH])


def text_of(language: str) -> str:
    return source_of(language).read_text("utf-8")


@translated
def test_every_sentence_has_a_translation_and_no_other(language: str) -> None:
    catalogue = translations(text_of(language))
    said = templates().keys() - not_translated()
    assert sorted(said - catalogue.keys()) == [], "run: python tests/languages/update.py"
    assert sorted(catalogue.keys() - said) == [], "run: python tests/languages/update.py"


@translated
def test_the_catalogue_is_written_as_update_writes_it(language: str) -> None:
    silent = not_translated()
    wanted = {text: places for text, places in templates().items() if text not in silent}
    assert text_of(language) == written(language, wanted, translations(text_of(language)))


@translated
def test_what_is_compiled_is_what_is_written(language: str) -> None:
    with compiled_of(language).open("rb") as file:
        found = Catalogue(file).templates
    assert found == translations(text_of(language)), "run: python tests/languages/update.py"


def test_what_is_not_translated_is_there() -> None:
    assert sorted(not_translated() - templates().keys()) == []


@translated
def test_the_placeholders_are_the_same(language: str) -> None:
    wrong = []
    for source, target in translations(text_of(language)).items():
        wanted, found = Counter(FIELD.findall(source)), Counter(FIELD.findall(target))
        if found - wanted or {*(wanted - found)} - GRAMMAR:
            wrong.append((source, target))
    assert wrong == []


def test_chinese_sentences_are_chinese() -> None:
    catalogue = translations(text_of("zh"))
    wrong = [
        (source, target)
        for source, target in catalogue.items()
        # A plural has no words of its own in Chinese, and some sentences are a name and a mark.
        if source not in NAMES and target != "{value}" and len(FIELD.sub("", source).split()) > 1
        if not CHINESE.search(FIELD.sub("", target))
    ]
    assert wrong == []
    assert [one for one in catalogue.values() if ENGLISH_LEFT.search(one)] == []


def test_chinese_is_written_without_blanks_beside_latin_letters() -> None:
    found = [one for one in translations(text_of("zh")).values() if PARTED.search(one)]
    assert found == []


OTHER_TERMS = ("批次", "批量大小", "文件夹")
"""Words for what has another name in all texts here: batch, batch size, 目录."""


def test_one_thing_has_one_term() -> None:
    texts = [PACKAGE / "languages" / "zh", PACKAGE.parent / "docs" / "zh"]
    files = [one for folder in texts for one in folder.rglob("*") if one.suffix in (".po", ".md", ".toml")]
    wrong = [(one.name, term) for one in files for term in OTHER_TERMS if term in one.read_text("utf-8")]
    assert wrong == []


def test_what_is_empty_or_fuzzy_counts_as_not_translated() -> None:
    text = (
        'msgid ""\nmsgstr ""\n"Content-Type: text/plain; charset=UTF-8\\n"\n\n'
        'msgid "one"\nmsgstr "\N{CJK UNIFIED IDEOGRAPH-4E00}"\n\n'
        'msgid "two"\nmsgstr ""\n\n'
        '#, fuzzy\nmsgid "three"\nmsgstr "3"\n\n'
        'msgid ""\n"in "\n"parts"\nmsgstr "\\"a\\"\\n"\n'
    )
    wanted = {"one": "\N{CJK UNIFIED IDEOGRAPH-4E00}", "in parts": '"a"\n'}
    assert translations(text) == wanted
    assert Catalogue(io.BytesIO(compiled(text))).templates == wanted


def test_new_sentences_are_found(tmp_path: Path) -> None:
    """What makes a template: constants put together, choices, and no texts that nobody reads."""
    import ast

    from languages.extraction import templates_of

    module = ast.parse(
        '"""A module of some sort."""\n'
        'FIRST = "run it first"\n'
        'ALL = f"{FIRST}: {{function}} asks"\n'
        "def check(n, name):\n"
        '    """What it does."""\n'
        "    assert n, 'not a sentence'\n"
        "    say('one')\n"
        "    raise ValueError(f'{n} is no sentence')\n"
        "    yield f\"{name} {'is' if n else 'are'} {n!r} here\"\n"
    )
    assert [text for text, _ in templates_of(module)] == [
        "one",
        "run it first",
        "run it first: {function} asks",
        "{name} is {n} here",
        "{name} are {n} here",
    ]
