"""The translation of sentences that were made of templates.

A sentence is what a template came to: ``train needs steps`` of ``{name} needs {missing}``. What was filled in
may be made of templates too, and several sentences may be joined by a semicolon. So a sentence is taken apart
in each way that fits, and the way that leaves the least English over is the translation.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from functools import cached_property
from types import MappingProxyType
from typing import NamedTuple

from npu_migrate.languages.saying import Marks, Say

_FIELD = re.compile(r"\{(\w+)\}")
_WORD = re.compile(r"[A-Za-z]+(?:'[a-z]+)?")
_PROSE = re.compile(r"(?<![\w.'\"`/\\-])[a-z]+(?:'s)?(?![\w.'\"`(=/\\-])")
_QUOTED = re.compile(r"""(?<![\w)\]])(['"`])(?:(?!\1).)*\1(?!\w)""", re.DOTALL)
"""A value as it is written in code. An apostrophe begins none."""
_LIST = re.compile(r", and |, or |, | and | or ")
_BRACKETS = (("(", ")"), ("[", "]"), ("{", "}"))
_JOINT = "; "
_EQUALS = " = "
_HEAD = ": "
_WEAK = 8
"""A template with fewer letters fits many texts by chance, so it counts only if nothing is left over."""

_DEEPEST = 6
_LONGEST = 4_000
"""Longer texts are no sentences."""

_MOST_PARTS = 300
"""So many parts of a text are looked at. Ours have sixty; what scripts put into one may have any number."""


class Joints(NamedTuple):
    """How a language joins texts: its marks, and the words before a last item, by the English ones."""

    marks: Marks
    last: Mapping[str, str]


JOINTS: Mapping[str, Joints] = MappingProxyType(
    {"zh": Joints(Marks("：", "；", "、", "", "（", "）", "等"), MappingProxyType({"and": "和", "or": "或"}))}
)


class _Said(NamedTuple):
    """A translation, and how many English words are left in it."""

    left: int
    text: str


class _Template:
    """A template of the source and what it is in the language."""

    def __init__(self, source: str, target: str) -> None:
        self.source = source
        self.target = target
        self.parts = _FIELD.split(source)
        self.fields = tuple(self.parts[1::2])
        self.literals = tuple(self.parts[::2])
        self.weight = sum(map(len, self.literals))

    @cached_property
    def patterns(self) -> tuple[re.Pattern[str], ...]:
        """The ways to find what was filled in: as little or as much as possible at each place."""
        literals = [re.escape(part) for part in self.literals]
        if len(self.fields) == 1:
            return (re.compile("(.+)".join(literals), re.DOTALL),)
        return tuple(re.compile(field.join(literals), re.DOTALL) for field in ("(.+?)", "(.+)"))

    def may_fit(self, text: str) -> bool:
        """Whether the text has what stands in the template as it is, which is quick to see."""
        literals = self.literals
        return (
            text.startswith(literals[0])
            and text.endswith(literals[-1])
            and all(one in text for one in literals)
        )

    def filled(self, values: Mapping[str, str]) -> str:
        """The translation with the values in place."""
        return _FIELD.sub(lambda match: values.get(match[1], match[0]), self.target)


class Sentences:
    """The sentences of a language, which remembers what it has translated."""

    def __init__(self, catalogue: Mapping[str, str], joints: Joints) -> None:
        self._exact = {source: target for source, target in catalogue.items() if "{" not in source}
        self._joints = joints
        self._known: dict[tuple[str, bool], _Said] = {}
        self._parts = 0
        self._by_word: dict[str, list[_Template]] = {}
        for source, target in catalogue.items():
            if "{" in source:
                template = _Template(source, target)
                self._by_word.setdefault(_first_word(template.literals[0]), []).append(template)

    @cached_property
    def speaker(self) -> Say:
        """What says things in the language."""
        return Say(self.say, self._joints.marks)

    def say(self, text: str) -> str:
        """An English text in the language, as far as it is known; blanks around it stay."""
        stripped = text.strip()
        if not stripped or len(text) > _LONGEST:
            return text
        return text.replace(stripped, self._first(stripped).text, 1)

    def left_over(self, text: str) -> int:
        """How many English words of a text have no translation."""
        return self._first(text.strip()).left

    def _first(self, text: str) -> _Said:
        self._parts = 0
        return self._said(text, 0)

    def _said(self, text: str, depth: int) -> _Said:
        known = self._known.get((text, bool(depth)))
        if known is None:
            self._parts += 1
            if self._parts > _MOST_PARTS:
                return _Said(_prose(text), text)
            known = self._translated(text, depth)
            # What was given up in time may be known when it is asked for alone.
            if depth < _DEEPEST and self._parts <= _MOST_PARTS:
                self._known[text, bool(depth)] = known
        return known

    def _translated(self, text: str, depth: int) -> _Said:
        if depth and (" " not in text or _QUOTED.fullmatch(text)):
            return _Said(0, text)  # a name or a value in a sentence, which may be any word
        # A sentence may begin with what else stands in the middle of one.
        exact = self._exact.get(text) or self._exact.get(text[:1].lower() + text[1:])
        if exact is not None:
            return _Said(0, exact)
        best = _Said(_prose(text), text)
        if depth > _DEEPEST:
            return best
        for found in self._ways(text, depth):
            # Of two ways that leave nothing over the first one counts: it takes the longest template.
            if found.left < best.left or (found.left == best.left and best.text is text):
                best = found
            if not best.left and best.text is not text:
                break
        return best

    def _ways(self, text: str, depth: int) -> Iterator[_Said]:
        fitting = self._fitting(text)
        # What was filled in should not hold what is said behind a semicolon, so that both keep their places.
        yield from self._matched(text, [one for one in fitting if _JOINT in one.source], depth)
        yield from self._joined(text, depth)
        yield from self._matched(text, [one for one in fitting if _JOINT not in one.source], depth)
        subject, equals, value = text.partition(_EQUALS)
        if equals and (" " not in subject or subject in self._exact):
            yield self._together((subject, value), _EQUALS, depth)
        head, colon, rest = text.partition(_HEAD)
        if colon and " " not in head:
            yield self._together((head, rest), self._joints.marks.head, depth)
        if _LIST.search(text):
            listed = self._listed(text, depth)
            if listed is not None:
                yield listed

    def _matched(self, text: str, templates: Iterable[_Template], depth: int) -> Iterator[_Said]:
        for template in templates:
            for pattern in template.patterns:
                match = pattern.fullmatch(text)
                if match is not None:
                    values = [self._said(value.strip(), depth + 1) for value in match.groups()]
                    left = sum(said.left for said in values)
                    if left and template.weight < _WEAK:
                        continue
                    filled = template.filled(
                        {field: said.text for field, said in zip(template.fields, values, strict=True)}
                    )
                    yield _Said(left, filled)

    def _together(self, parts: Iterable[str], between: str, depth: int) -> _Said:
        said = [self._said(part, depth + 1) for part in parts]
        return _Said(sum(one.left for one in said), between.join(one.text for one in said))

    def _fitting(self, text: str) -> list[_Template]:
        """The templates that may fit, those with most words of their own first."""
        candidates = [*self._by_word.get(_first_word(text), ()), *self._by_word.get("", ())]
        fitting = [one for one in candidates if one.may_fit(text)]
        return sorted(fitting, key=lambda one: -one.weight)

    def _joined(self, text: str, depth: int) -> Iterator[_Said]:
        """The text as two sentences, which stand on both sides of a semicolon or a question mark."""
        put = self._joints.marks.clause
        for joint in (_JOINT, "? "):
            for at in _outside_quotes(text, joint):
                head = text[:at] if joint == _JOINT else text[: at + 1]
                first = self._said(head, depth + 1)
                second = self._said(text[at + len(joint) :], depth + 1)
                between = put if joint == _JOINT else ""
                yield _Said(first.left + second.left, first.text + between + second.text)
                if joint == _JOINT:
                    # What begins with a semicolon may be a template of its own.
                    rest = self._said(text[at:], depth + 1)
                    yield _Said(first.left + rest.left, first.text + rest.text)

    def _listed(self, text: str, depth: int) -> _Said | None:
        """The text as a list of names and short sentences."""
        if _JOINT in text:
            return None
        items, separators = _split_list(text)
        if not separators or any(not item for item in items):
            return None
        said = [self._said(item, depth + 1) for item in items]
        if any(one.left for one in said):
            return None
        result = said[0].text
        for separator, one in zip(separators, said[1:], strict=True):
            word = separator.strip(" ,")
            result += self._joints.last.get(word, self._joints.marks.item) + one.text
        return _Said(0, result)


def _outside_quotes(text: str, joint: str) -> Iterator[int]:
    """Where `joint` stands in a text, but for what stands in quotes."""
    quoted = [match.span() for match in _QUOTED.finditer(text)]
    at = text.find(joint)
    while at >= 0:
        if not any(start < at < end for start, end in quoted):
            yield at
        at = text.find(joint, at + 1)


def _split_list(text: str) -> tuple[list[str], list[str]]:
    """The items of a list and what stands between them; what is in brackets stays together."""
    items, separators = [], []
    start = 0
    quoted = [match.span() for match in _QUOTED.finditer(text)]
    for match in _LIST.finditer(text):
        if any(begin < match.start() < end for begin, end in quoted):
            continue
        before = text[start : match.start()]
        if all(before.count(opening) == before.count(closing) for opening, closing in _BRACKETS):
            items.append(before)
            separators.append(match[0])
            start = match.end()
    return [*items, text[start:]], separators


def _first_word(text: str) -> str:
    """The word that a text begins with, by which templates are found; empty where a field may begin."""
    match = re.match(r"[A-Za-z]+(?=[^A-Za-z])", text)
    return "" if match is None else match[0]


def _prose(text: str) -> int:
    """How many words of a text are English and no names: those in lower case that stand by themselves.

    One such word alone is a name too.
    """
    words = _PROSE.findall(_QUOTED.sub("''", text))
    return len(words) if len(words) > 1 or len(_WORD.findall(text)) > 1 else 0
