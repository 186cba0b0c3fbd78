"""Scripts for GPUs: each assembled script, with a way to make a config and a way to make an optimizer.

What the optimizers compute is the same: there is one process, and losses are scaled by a power of two.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import product
from random import Random
from typing import NamedTuple

from assembled import INITIALIZATIONS, MANAGED, PIPELINES, RAW, SPELLINGS, assemble
from fidelity import Tree


class Config(NamedTuple):
    """How a config is made: `definitions` go to the top, `given` is what the session gets."""

    definitions: str
    given: str


CONFIGS = {
    "no config": Config("", ""),
    "inline": Config("", "tf.ConfigProto(gpu_options=tf.GPUOptions(allow_growth=True))"),
    "variable": Config(
        "CONFIG = tf.ConfigProto(log_device_placement=False)\nCONFIG.gpu_options.allow_growth = True\n",
        "CONFIG",
    ),
    "function": Config(
        """
def session_config(fraction=0.5):
    config = tf.ConfigProto(allow_soft_placement=True)
    config.gpu_options.per_process_gpu_memory_fraction = fraction
    return config

""",
        "session_config()",
    ),
    "may be None": Config("CONFIG = None\n", "CONFIG"),
}


class Optimizer(NamedTuple):
    """How an optimizer is made: `imports` go to the top, `statements` end with ``optimizer``.

    `unsafe`: only the unsafe fixes move it. `leaves` are words that nothing of may be left.
    """

    imports: str
    statements: str
    unsafe: bool
    leaves: tuple[str, ...]


PLAIN = "tf.train.GradientDescentOptimizer(0.2)"
HOROVOD = "import horovod.tensorflow as hvd\n"
OPTIMIZERS = {
    "plain": Optimizer("", f"optimizer = {PLAIN}\n", False, ()),
    "loss scaling": Optimizer(
        "",
        f"""\
scale = tf.contrib.mixed_precision.FixedLossScaleManager(8.0)
optimizer = tf.contrib.mixed_precision.LossScaleOptimizer({PLAIN}, scale)
""",
        True,
        ("contrib",),
    ),
    "growing loss scale": Optimizer(
        "",
        f"""\
scale = tf.contrib.mixed_precision.ExponentialUpdateLossScaleManager(8.0, 100)
optimizer = {PLAIN}
optimizer = tf.contrib.mixed_precision.LossScaleOptimizer(optimizer, scale)
""",
        True,
        ("contrib",),
    ),
    "Horovod": Optimizer(
        HOROVOD,
        "optimizer = hvd.DistributedOptimizer(tf.train.GradientDescentOptimizer(0.2 * hvd.size()))\n",
        True,
        ("hvd", "horovod"),
    ),
}
TAKE_HOOKS = ("monitored", "singular", "scaffold")
SESSION = re.compile(
    r"(tf\.Session|tf\.InteractiveSession|MonitoredTrainingSession|SingularMonitoredSession"
    r"|managed_session)\(([^()]*)\)"
)


class Program(NamedTuple):
    """One way for each part of a script."""

    place: str
    kind: str
    init: str
    spelling: str
    chained: bool
    in_main: bool
    config: str
    optimizer: str

    @property
    def name(self) -> str:
        words = (*self[:4], "chained" * self.chained, "main" * self.in_main, *self[6:])
        return ", ".join(filter(None, words))


def programs() -> Iterator[Program]:
    """All places, kinds of sessions, configs and optimizers with each other; the other parts are drawn."""
    draw = Random(7)
    for place, kind, config, optimizer in product(PIPELINES, RAW | MANAGED, CONFIGS, OPTIMIZERS):
        init, spelling = draw.choice(list(INITIALIZATIONS)), draw.choice(list(SPELLINGS))
        chained, in_main = draw.random() < 0.5, draw.random() < 0.5
        yield Program(place, kind, init, spelling, chained, in_main, config, optimizer)


def sample(number: int, seed: int) -> list[Program]:
    """So many of the programs, always the same for a seed."""
    return Random(seed).sample(list(programs()), number)


def files_of(program: Program) -> Tree:
    """The files as they were written for a GPU."""
    files = assemble(*program[:6])
    return {**files, "train.py": _for_gpu(files["train.py"].decode(), program).encode()}


def plain_files_of(program: Program) -> Tree:
    """The files of a script that computes the same and needs neither Horovod nor `tf.contrib`."""
    return files_of(program._replace(optimizer="plain"))


def _for_gpu(text: str, program: Program) -> str:
    config, optimizer = CONFIGS[program.config], OPTIMIZERS[program.optimizer]
    hooks = optimizer.imports == HOROVOD and program.kind in TAKE_HOOKS
    given = [
        "hooks=[hvd.BroadcastGlobalVariablesHook(0)]" if hooks else "",
        f"config={config.given}" if config.given else "",
    ]
    text = SESSION.sub(lambda found: f"{found[1]}({', '.join(filter(None, [found[2], *given]))})", text)
    lines = text.splitlines(keepends=True)
    (at,) = (i for i, line in enumerate(lines) if PLAIN in line)
    margin = lines[at][: -len(lines[at].lstrip())]
    made = "".join(f"{margin}{line}" for line in optimizer.statements.splitlines(keepends=True))
    lines[at] = made + lines[at].replace(PLAIN, "optimizer")
    if optimizer.imports:
        first = (
            next(i for i, line in enumerate(lines) if line == "def main():\n") + 1 if program.in_main else 0
        )
        first = first or next(i for i, line in enumerate(lines) if "set_verbosity" in line) + 1
        lines.insert(first, f"{margin}hvd.init()\n")
    text = "".join(lines)
    quiet = "\ntf.logging.set_verbosity(tf.logging.ERROR)\n"
    text = text.replace(quiet, f"{quiet}{config.definitions}", 1)
    return text.replace("import tensorflow as tf\n", f"import tensorflow as tf\n{optimizer.imports}", 1)
