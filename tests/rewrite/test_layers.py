"""Edits of several passes with their owners."""

from __future__ import annotations

from npu_migrate.rewrite.edits import OffsetEdit
from npu_migrate.rewrite.layers import Layer, Origins, Owned, connected


def owned(start: int, end: int, text: str, *owners: int, path: str = "f") -> Owned:
    return Owned(OffsetEdit(path, start, end, text), frozenset(owners))


def links(*groups: tuple[int, ...]) -> tuple[frozenset[int], ...]:
    return tuple(map(frozenset, groups))


def test_connected_groups() -> None:
    assert connected([(1, 2), (3, 4), (2, 5), (4,)]) == {
        1: {1, 2, 5},
        2: {1, 2, 5},
        5: {1, 2, 5},
        3: {3, 4},
        4: {3, 4},
    }


def test_companions_follow_links_both_ways_and_needs_one_way() -> None:
    layer = Layer(
        tuple(owned(number, number, "x", number) for number in range(5)),
        links((0, 1)),
        ((1, frozenset((2,))), (9, frozenset((3,)))),
    )
    assert layer.companions() == {0: {0, 1, 2}, 1: {0, 1, 2}, 2: {2}, 3: {3}, 4: {4}, 9: {9, 3}}


def test_edits_owners_and_parts() -> None:
    layer = Layer((owned(5, 6, "b", 1, 2), owned(0, 0, "a", 2), owned(0, 0, "c", 3, path="g")))
    assert layer.owners == {1, 2, 3}
    assert layer.owners_in("f") == {1, 2}
    texts = {owner: [edit.text for edit in edits] for owner, edits in layer.edits_by_owner().items()}
    assert texts == {1: ["b"], 2: ["b", "a"], 3: ["c"]}
    assert layer.only(frozenset((1,))).edits == (owned(5, 6, "b", 1),)


def test_a_later_edit_that_melts_with_an_earlier_one_links_their_owners() -> None:
    first = Layer((owned(2, 2, "xy", 0), owned(8, 9, "z", 1)))
    later = Layer((owned(3, 3, "-", 2), owned(20, 20, "!", 3)), (), ((3, frozenset((0,))),))
    both = first.then(later)
    assert both.edits == (owned(2, 2, "x-y", 0, 2), owned(8, 9, "z", 1), owned(18, 18, "!", 3))
    assert both.links == links((0, 2))
    assert both.needs == ((3, frozenset((0,))),)


def test_hidden_edits_stay_unless_they_collide() -> None:
    shown = Layer((owned(2, 4, "a", 0), owned(9, 9, "b", 0)))
    hidden = Layer(
        (
            owned(2, 4, "a", 1),
            owned(3, 3, "c", 2),
            owned(6, 6, "d", 2),
            owned(7, 7, "e", 3),
            owned(9, 9, "f", 4),
            owned(4, 4, "g", 5),
        ),
        links((3, 4)),
    )
    together, gone = shown.beside(hidden)
    assert gone == {2, 3, 4}
    assert together.edits == (owned(2, 4, "a", 0, 1), owned(4, 4, "g", 5), owned(9, 9, "b", 0))


def test_where_a_place_comes_from() -> None:
    layer = Layer((owned(8, 9, "", 2), owned(2, 3, "xyz", 1), owned(0, 0, "q", 4, path="g")))
    assert [Origins(layer, "f").of(offset) for offset in range(8)] == [0, 1, {1}, {1}, {1}, 3, 4, 5]
    assert Origins(layer, "f").of(10) == 9
    assert Origins(layer, "g").of(0) == {4}
    assert Origins(layer, "h").of(5) == 5
