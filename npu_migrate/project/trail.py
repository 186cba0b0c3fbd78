"""Which answers rest on which others, so that an edited project keeps all answers that are still true.

While an answer is worked out, it is noted what is asked for meanwhile: other answers, and what files say.
When a file changes, only those answers are dropped that rest on it, directly or not. Following this costs
some time and memory, which only pays where the same project is asked again and again, as in an editor.
"""

from __future__ import annotations

from collections.abc import Callable, Container, Hashable, Iterable
from typing import NamedTuple, TypeVar

_Answer = TypeVar("_Answer")


class _Open(NamedTuple):
    """A question that is being worked out, and the depths of the open questions that were asked for."""

    question: Hashable
    asked: list[int]


class Trail:
    """What rests on what, among the answers of one project and of those that it becomes."""

    def __init__(self) -> None:
        self._resting_on: dict[Hashable, set[Hashable]] = {}
        self._open: list[_Open] = []
        self._depths: dict[Hashable, int] = {}
        self._unsettled: set[Hashable] = set()

    def follow(self, question: Hashable, work: Callable[[], _Answer]) -> tuple[_Answer, bool]:
        """The answer that `work` gives to a question, and whether it is settled.

        What it asks for is noted. It is not settled if it rests on the provisional answer to a question that
        is still being worked out.
        """
        depth = len(self._open)
        before = self._depths.get(question)
        self._open.append(_Open(question, []))
        self._depths[question] = depth
        try:
            answer = work()
        finally:
            asked = self._open.pop().asked
            if before is None:
                del self._depths[question]
            else:
                self._depths[question] = before
            outer = [one for one in asked if one < depth]
            if outer and self._open:
                self._open[-1].asked.append(min(outer))
        if outer:
            self._unsettled.add(question)
        return answer, not outer

    def note(self, asked: Hashable) -> None:
        """Something was asked for: a question, a file, or what files say together."""
        if not self._open:
            return
        question, depths = self._open[-1]
        depth = self._depths.get(asked)
        if depth is not None:
            depths.append(depth)
        resting = self._resting_on.get(asked)
        if resting is None:
            self._resting_on[asked] = {question}
        else:
            resting.add(question)

    def resting_on(
        self, changed: Iterable[Hashable], may_stay: Callable[[Hashable], bool] = lambda _: False
    ) -> frozenset[Hashable]:
        """The questions whose answers rest on something that has changed; nothing is noted of them now.

        Those whose answer `may_stay` the same are among them, but not what rests on these.
        """
        found: set[Hashable] = set()
        stack = [*changed]
        while stack:
            further = self._resting_on.pop(stack.pop(), set()) - found
            found |= further
            stack.extend(one for one in further if not may_stay(one))
        self._unsettled -= found
        return frozenset(found)

    def keep(self, answered: Container[Hashable]) -> None:
        """Forget what was noted of questions to which there is no answer any more."""
        for asked, resting in list(self._resting_on.items()):
            kept = {one for one in resting if one in answered or one in self._unsettled}
            if kept:
                self._resting_on[asked] = kept
            else:
                del self._resting_on[asked]
