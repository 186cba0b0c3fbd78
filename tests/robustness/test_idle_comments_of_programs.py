"""Comments that suppress nothing, anywhere around code that fixes move: one run does all that can be done."""

from __future__ import annotations

from random import Random

import pytest

from npu_migrate import fix_source

SCRIPT = """\
import tensorflow as tf
from npu_bridge.npu_init import *

class Trainer(object):
    def __init__(self, size):
        with tf.control_dependencies([ready]):
            self.first = ExponentialUpdateLossScaleManager(size, 2)
            self.second = ExponentialUpdateLossScaleManager(size * 2, 2)
        self.step = NPULossScaleOptimizer(optimizer, self.first).minimize(loss)
"""
LINES = (
    "# npu-migrate: ignore[NPU102]",
    "# npu-migrate: ignore[NPU101, NPU103]",
    "# npu-migrate: ignore[NPU102] for a reason",
    "# a note",
    "# a note  # npu-migrate: ignore[NPU2]",
)
INDENTS = ("    ", "        ", "            ")


def commented(random: Random) -> str:
    """The script with comments between its lines and behind them."""
    lines = []
    for line in SCRIPT.splitlines()[3:]:
        for _ in range(random.choice((0, 0, 0, 1, 2))):
            lines.append(random.choice(INDENTS) + random.choice(LINES))
        lines.append(f"{line}  {random.choice(LINES)}" if random.random() < 0.4 else line)
    return "\n".join((*SCRIPT.splitlines()[:3], *lines, ""))


@pytest.mark.parametrize("seed", range(12))
def test_a_second_run_has_nothing_to_do(seed: int) -> None:
    text = commented(Random(seed))
    fixed = fix_source(text)
    assert fixed != text
    assert fixed.index("self.second =") < fixed.index("with tf.control_dependencies")
    assert fix_source(fixed) == fixed
