"""Which remarks stand on lines that the service shows, and the summary that lists all others."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import NamedTuple

from npu_migrate.languages.saying import Say
from npu_migrate.posting.diffs import FileDiff
from npu_migrate.posting.remarks import Remark, Review
from npu_migrate.posting.texts import digest_of, finished, has_suggestion, say_as_in
from npu_migrate.reports.reviews.posted import mark
from npu_migrate.reports.reviews.review_text import code

PART_LIMIT = 60_000
"""How many characters a part of the summary has at most; GitHub takes 65,536."""

MOST_COMMENTS = 50
"""How many comments stand on lines at most; the summary lists the others."""

Dress = Callable[[Remark, FileDiff], str]
"""Makes the text of a comment for a service, with a suggestion as the service wants it."""


class Wanted(NamedTuple):
    """A comment that has to be there: what it says, where, and its text as it is posted."""

    remark: Remark
    file: FileDiff
    body: str

    @property
    def digest(self) -> str | None:
        """The digest that the text carries."""
        return digest_of(self.body)


class Placed(NamedTuple):
    """All that has to be there. `summary` are the texts of its parts; empty if no finding is listed in it."""

    comments: tuple[Wanted, ...]
    summary: tuple[str, ...]
    listed: frozenset[str]
    text: str


def placed(review: Review, diff: Mapping[str, FileDiff], dress: Dress) -> Placed:
    """Find a place for each remark of `review`: lines that `diff` shows, or the summary."""
    comments: list[Wanted] = []
    listed: list[Remark] = []
    for remark in review.remarks:
        spot = _spot(remark, diff.get(remark.path))
        if spot is None or len(comments) >= MOST_COMMENTS:
            listed.append(remark)
            continue
        file = diff[remark.path]
        comments.append(Wanted(spot, file, finished(dress(spot, file))))
    fingerprints = review.listed.union(*(one.fingerprints for one in listed))
    say = say_as_in(review.text)
    items = [_item(one, say) for one in listed]
    parts = tuple(_parts(review.text, items, say)) if fingerprints else ()
    return Placed(tuple(comments), parts, fingerprints, review.text)


def _spot(remark: Remark, file: FileDiff | None) -> Remark | None:
    """The remark on lines that are shown; a suggestion is for all of its lines or for none."""
    span = None if file is None or not remark.first else file.shown(remark.first, remark.last)
    if span is None or (span != (remark.first, remark.last) and has_suggestion(remark.body)):
        return None
    return remark._replace(first=span[0], last=span[1])


def _item(remark: Remark, say: Say) -> str:
    """One remark as an item of the summary: where, and the first sentence of what it says."""
    said = remark.body.partition("\n\n")[0].replace("\n", " ")
    place = f"{remark.path}:{remark.first}" if remark.first else remark.path
    return f"- {say.headed(code(place), said)} {' '.join(map(mark, sorted(remark.fingerprints)))}"


def _parts(text: str, items: Sequence[str], say: Say) -> Iterator[str]:
    """The texts of the summary's comments, each short enough for a service."""
    part = text
    number = 1
    heading = say("On lines that the diff of the service does not show, or too many for comments:")
    for index, item in enumerate(items):
        joint = f"\n\n{heading}\n\n" if index == 0 else "\n"
        if len(part) + len(joint) + len(item) > PART_LIMIT:
            yield finished(part, number)
            part, joint = say("More findings:") + "\n\n", ""
            number += 1
        part += joint + item
    yield finished(part, number)
