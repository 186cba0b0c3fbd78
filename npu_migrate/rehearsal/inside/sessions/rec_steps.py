"""How many steps a program of Rec SDK takes with session runs, in the terms of `init`."""

from __future__ import annotations

from typing import Any, Iterator, Mapping

from ..places import Place


class RecSteps:
    """What `init` was told at `place`, and the runs since then.

    `judged` is False for a program whose steps an Estimator takes: those are compared when it begins.
    """

    def __init__(self, told: Mapping[str, Any], place: Place | None) -> None:
        self.told = told
        self.place = place
        self.judged = True
        self._training = 0
        self._evaluating = 0
        self._block = 0
        self._training_blocks: list[int] = []
        self._evaluation_blocks: list[int] = []

    def trained(self, steps: int) -> None:
        """A run has taken training steps."""
        if self._evaluating:
            self._evaluation_blocks.append(self._evaluating)
            self._evaluating = 0
        self._training += steps
        self._block += steps

    def evaluated(self) -> None:
        """A run has read a batch without training."""
        if self._block:
            self._training_blocks.append(self._block)
            self._block = 0
        self._evaluating += 1

    def taken(self) -> Iterator[tuple[str, int]]:
        """The arguments of `init` that the runs have an answer to, with the answer."""
        if not self._training:
            return
        yield "max_steps", self._training
        evaluations = [*self._evaluation_blocks, *([self._evaluating] if self._evaluating else [])]
        if not evaluations:
            return
        # Where blocks are of different lengths the program decides by other things than by their number.
        if len(set(self._training_blocks)) == 1:
            yield "train_steps", self._training_blocks[0]
        if len(set(evaluations)) == 1:
            yield "eval_steps", evaluations[0]
