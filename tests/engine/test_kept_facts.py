"""A run that looks at files twice does not parse twice what has not changed."""

from __future__ import annotations

from npu_migrate.engine.remembering.kept_facts import KeptFacts
from npu_migrate.index.facts import FileFacts
from npu_migrate.index.indexing import Indexed, Sheet

A, B, BROKEN = Sheet("/a.py", "x = 1\n"), Sheet("/b.py", "y = 2\n"), Sheet("/c.py", "(\n")


def facts(kept: KeptFacts, *sheets: Sheet) -> list[Indexed]:
    found = list(kept(sheets))
    assert [key for key, _ in found] == [sheet.key for sheet in sheets]
    return [one for _, one in found]


def test_the_same_texts_have_the_same_facts_and_others_new_ones() -> None:
    kept = KeptFacts()
    first = facts(kept, A, B, BROKEN)
    again = facts(kept, BROKEN, B._replace(text="y = 3\n"), A)
    assert again[0] is first[2]
    assert again[2] is first[0]
    assert isinstance(again[1], FileFacts)
    assert again[1] is not first[1]
    assert facts(kept, B._replace(text="y = 3\n")) == [again[1]], "the latest text of a file counts"


def test_no_more_is_kept_than_has_room() -> None:
    kept = KeptFacts(most=len(A.text))
    first = facts(kept, A, B)
    again = facts(kept, A, B)
    assert again[0] is first[0]
    assert again[1] is not first[1]
    longer = A._replace(text=f"{A.text}# more\n")
    assert facts(kept, longer)[0] is not facts(kept, longer)[0], "this one is too long"
    assert facts(kept, B)[0] is facts(kept, B)[0], "its room is free"
