#!/usr/bin/env python3
"""How fast findings follow the keystrokes in an editor:  python benchmarks/editor.py [ROUNDS]

A project of 500 files of the open corpus holds a training script of 1,000 lines, which imports more than
a hundred of them, directly or not. A small editor (`editor_client.py`) talks to the language server:

- from a keystroke to the findings of that text, the server's debounce at 0, against `ast.parse` of the same
  text by the editor. Each keystroke is followed by a parse, so what else the machine does hits both.
- from the start of the server to the first findings, what it knows from an earlier run being in its cache,
  against a server of pygls that has no features, up to empty findings of the same document.

Of each there are ROUNDS (5); a ratio is that of one round, and the median of the rounds is shown. Processor
time is of the whole server, or of the parse. Runs on Linux, on the processors that `ast.parse` has too.
"""

from __future__ import annotations

import ast
import os
import random
import re
import shutil
import statistics
import sys
import tempfile
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from itertools import accumulate
from pathlib import Path
from typing import NamedTuple

from editor_client import Message, Server
from fetch_corpus import fetch
from rounds import rounds_asked

REPOSITORY = Path(__file__).resolve().parents[1]
SERVER = (sys.executable, "-m", "npu_migrate.lsp")
BARE = (
    sys.executable,
    "-c",
    """
from lsprotocol import types
from pygls.lsp.server import LanguageServer
server = LanguageServer("bare", "1")
@server.feature(types.TEXT_DOCUMENT_DID_OPEN)
def did_open(params):
    document = params.text_document
    server.text_document_publish_diagnostics(
        types.PublishDiagnosticsParams(document.uri, [], document.version)
    )
server.start_io()
""",
)

PACKAGES = ("tensor2tensor", "edward2")
FILES = 500
LINES = 1000
KEYSTROKES = 20
"""Of each kind, in each round."""

HEAD = """\
import tensorflow as tf
from npu_bridge.npu_init import *
from tensor2tensor.layers import common_layers
from tensor2tensor.models import transformer
from tensor2tensor.utils import hparams_lib
from tensor2tensor.utils import trainer_lib

flags = tf.flags
FLAGS = flags.FLAGS
flags.DEFINE_integer("iterations_per_loop", 100, "Steps on the device between two reports.")
flags.DEFINE_string("data", "", "The records to learn from.")


def input_fn(path):
    # Records are read in a fixed order.
    dataset = tf.data.TFRecordDataset(path).repeat().batch(8)
    iterator = dataset.make_one_shot_iterator()
    return iterator.get_next()

"""
LAYER = '''
def layer_{n}(inputs, units, scope, training=True):
    """A layer with a residual connection."""
    with tf.variable_scope(scope, reuse=tf.AUTO_REUSE):
        kernel = tf.get_variable("kernel", [inputs.shape[-1], units], tf.float32)
        bias = tf.get_variable("bias", [units], initializer=tf.zeros_initializer())
        hidden = tf.nn.bias_add(tf.matmul(inputs, kernel), bias)
        hidden = tf.nn.relu(hidden) if training else tf.nn.leaky_relu(hidden, alpha=0.{n})
        if inputs.shape[-1] == units:
            hidden = hidden + inputs
        tf.summary.histogram("layer_{n}", hidden)
    return tf.layers.dropout(hidden, rate=0.1, training=training)

'''
TAIL = """

def main(_):
    hparams = trainer_lib.create_hparams("transformer_base")
    x = layer_0(input_fn(FLAGS.data), 512, "first")
    loss = tf.reduce_mean(common_layers.layer_norm(x))
    train_op = tf.train.AdamOptimizer(0.01).minimize(loss)
    config = tf.ConfigProto()
    custom_op = config.graph_options.rewrite_options.custom_optimizers.add()
    custom_op.name = "NpuOptimizer"
    custom_op.parameter_map["enable_data_pre_proc"].b = False
    custom_op.parameter_map["iterations_per_loop"].i = FLAGS.iterations_per_loop
    with tf.Session(config=config) as sess:
        sess.run(tf.global_variables_initializer())
        for step in range(1000):
            sess.run(train_op)


if __name__ == "__main__":
    tf.app.run()
"""


IMPORT = """
from tensor2tensor.utils import registry"""
REPORT = """
    # The model is looked up by its name.
    model = registry.model(FLAGS.model)(hparams, tf.estimator.ModeKeys.TRAIN)
    saver = tf.train.Saver(max_to_keep=5)
    if not hparams.shared_embedding_and_softmax_weights:
        print("two tables", model.name)"""


class Key(NamedTuple):
    """One keystroke: at this place of the text, `old` becomes `new`."""

    offset: int
    old: str
    new: str

    def undone(self) -> Key:
        return Key(self.offset, self.new, self.old)


class Cost(NamedTuple):
    """Seconds that passed, and seconds on the processor."""

    passed: float
    processor: float


class Pair(NamedTuple):
    """What we need, and what it is compared with."""

    ours: Cost
    theirs: Cost


def main(rounds: int) -> None:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name).resolve()
        script = make_project(folder / "project")
        environment = {
            **os.environ,
            "PYTHONPATH": str(REPOSITORY),
            "NPU_MIGRATE_CACHE_DIR": f"{folder}/cache",
        }
        with running(SERVER, script, environment):
            pass  # it leaves behind what it has found out
        started = [start_round(script, environment) for _ in range(rounds)]
        with running(SERVER, script, environment) as server:
            typed, megabytes = type_rounds(server, script, rounds)
    show_typing(typed)
    show_start(started)
    count = sum(len(pairs) for turns in typed.values() for pairs in turns)
    print(f"memory of the server after {count} keystrokes: {megabytes:.0f} MB")


def make_project(folder: Path) -> Path:
    """Makes the project in `folder`; its script."""
    for package in PACKAGES:
        shutil.copytree(fetch() / package, folder, dirs_exist_ok=True)
    (folder / "pyproject.toml").touch()
    script = folder / "train.py"
    script.write_text(script_text())
    if len(list(folder.rglob("*.py"))) != FILES:
        raise RuntimeError(f"the project should have {FILES} files")
    return script


def script_text() -> str:
    layers = 0
    while lines(text := HEAD + "".join(LAYER.format(n=n) for n in range(layers + 1)) + TAIL) <= LINES:
        layers += 1
        kept = text
    return kept + "# The end.\n" * (LINES - lines(kept))


def lines(text: str) -> int:
    return text.count("\n")


@contextmanager
def running(command: tuple[str, ...], script: Path, environment: dict[str, str]) -> Iterator[Server]:
    """A server with the script open and its first findings there; then its user reads for a moment."""
    server = Server(command, script.parent, environment)
    server.initialize({"debounce": 0})
    server.open(script, script.read_text())
    server.published(script, 1)
    server.rest()
    yield server
    server.stop()


# -- keystrokes ----------------------------------------------------------------------------------------


def type_rounds(server: Server, script: Path, rounds: int) -> tuple[dict[str, list[list[Pair]]], float]:
    """For each kind of keystroke the measured ones of each round, and the memory at the end in MB."""
    text = script.read_text()
    kinds: dict[str, Callable[[str], tuple[Key, ...]]] = {
        "in a comment": in_a_comment,
        "in a number that matters": in_a_number,
        "in a layer": in_a_layer,
        "a bracket opened and closed": in_brackets,
        "in an import": in_an_import,
        "one line after another": in_new_lines,
    }
    measured: dict[str, list[list[Pair]]] = {kind: [] for kind in kinds}
    version = 1
    for number in range(rounds + 1):
        for kind, keystrokes in kinds.items():
            pairs = []
            for key in keystrokes(text):
                version += 1
                text, pair = type_key(server, script, version, text, key)
                pairs.append(pair)
            if number:  # the first round is for warming up
                measured[kind].append(pairs)
    return measured, server.megabytes()


def there_and_back(keys: tuple[Key, ...]) -> tuple[Key, ...]:
    """KEYSTROKES times one of these keys or of their undoing, in turn: at the end the text is as it was."""
    turn = (*keys, *(key.undone() for key in reversed(keys)))
    return turn * (KEYSTROKES // len(turn))


def type_key(server: Server, script: Path, version: int, text: str, key: Key) -> tuple[str, Pair]:
    """Types `key`, waits for the findings, then parses; the text after it."""
    end = key.offset + len(key.old)
    later = text[: key.offset] + key.new + text[end:]
    change: Message = {
        "range": {"start": position(text, key.offset), "end": position(text, end)},
        "text": key.new,
    }
    used = server.cpu_seconds()
    before = server.change(script, version, change)
    passed = server.published(script, version).at - before
    ours = Cost(passed, server.cpu_seconds() - used)
    return later, Pair(ours, cost_of_parsing(later))


def position(text: str, offset: int) -> Message:
    """The editor's name for a place in a text that is all ASCII."""
    before = text[:offset]
    return {"line": lines(before), "character": offset - (before.rfind("\n") + 1)}


def cost_of_parsing(text: str) -> Cost:
    passed, used = time.perf_counter(), time.thread_time()
    with suppress(SyntaxError):
        ast.parse(text)
    return Cost(time.perf_counter() - passed, time.thread_time() - used)


def insert(text: str, after: str, *typed: str) -> tuple[Key, ...]:
    """Typing `typed` behind the first `after`."""
    offset = text.index(after) + len(after)
    starts = accumulate(map(len, typed), initial=offset)
    return tuple(Key(start, "", key) for start, key in zip(starts, typed, strict=False))


def in_a_comment(text: str) -> tuple[Key, ...]:
    return there_and_back(insert(text, "fixed order", *" twice")[:5])


def in_a_number(text: str) -> tuple[Key, ...]:
    return there_and_back(insert(text, '"iterations_per_loop", 100', "0", "0"))


def in_a_layer(text: str) -> tuple[Key, ...]:
    number = random.Random(1).randrange(20, 60)
    return there_and_back(insert(text, f"alpha=0.{number}", *"12345"))


def in_brackets(text: str) -> tuple[Key, ...]:
    return there_and_back(insert(text, "loss = tf.reduce_mean(", "(", ")"))


def in_an_import(text: str) -> tuple[Key, ...]:
    return there_and_back(insert(text, "from tensor2tensor.utils import trainer_lib", *"ary2")[:2])


def in_new_lines(text: str) -> tuple[Key, ...]:
    """Some code and an import, each typed line by line and then taken away at once.

    The key that begins a line comes with its indentation.
    """
    code = insert(text, 'hparams = trainer_lib.create_hparams("transformer_base")', *keys_of(REPORT))
    imports = insert(text, "from tensor2tensor.utils import trainer_lib", *keys_of(IMPORT))
    return (*code, Key(code[0].offset, REPORT, ""), *imports, Key(imports[0].offset, IMPORT, ""))


def keys_of(lines: str) -> list[str]:
    return re.findall(r"\n *|.", lines)


# -- start ---------------------------------------------------------------------------------------------


def start_round(script: Path, environment: dict[str, str]) -> Pair:
    return Pair(cost_of_start(SERVER, script, environment), cost_of_start(BARE, script, environment))


def cost_of_start(command: tuple[str, ...], script: Path, environment: dict[str, str]) -> Cost:
    """From the start of the process to the first findings of the script."""
    server = Server(command, script.parent, environment)
    server.initialize({"debounce": 0})
    server.open(script, script.read_text())
    passed = server.published(script, 1).at - server.started
    used = server.cpu_seconds()
    server.stop()
    return Cost(passed, used)


# -- the table -----------------------------------------------------------------------------------------


def show_typing(measured: dict[str, list[list[Pair]]]) -> None:
    print(f"{'keystroke':<28}  {'findings, ms':>15}  {'ast.parse, ms':>15}  {'ratio':>11}  processor")
    print(f"{'':<28}  {'p50':>7} {'p95':>7}  {'p50':>7} {'p95':>7}  {'p50':>5} {'p95':>5}  {'ratio':>9}")
    together = [[pair for pairs in turn for pair in pairs] for turn in zip(*measured.values(), strict=True)]
    for kind, turns in {**measured, "all of them": together}.items():
        show_keys(kind, turns)


def show_keys(kind: str, turns: list[list[Pair]]) -> None:
    ours = [quantiles(pair.ours.passed for pair in pairs) for pairs in turns]
    theirs = [quantiles(pair.theirs.passed for pair in pairs) for pairs in turns]
    used = [
        sum(pair.ours.processor for pair in pairs) / sum(pair.theirs.processor for pair in pairs)
        for pairs in turns
    ]
    ratios = [
        statistics.median(own[index] / other[index] for own, other in zip(ours, theirs, strict=True))
        for index in (0, 1)
    ]
    print(
        f"{kind:<28}  {middle(ours, 0):7.1f} {middle(ours, 1):7.1f}  {middle(theirs, 0):7.1f}"
        f" {middle(theirs, 1):7.1f}  {ratios[0]:5.2f} {ratios[1]:5.2f}  {statistics.median(used):9.2f}"
    )


def quantiles(seconds: Iterable[float]) -> tuple[float, float]:
    """p50 and p95."""
    cuts = statistics.quantiles(seconds, n=20, method="inclusive")
    return cuts[9], cuts[18]


def middle(rounds: list[tuple[float, float]], index: int) -> float:
    """The median of one of the two figures, in milliseconds."""
    return statistics.median(one[index] for one in rounds) * 1000


def show_start(rounds: list[Pair]) -> None:
    ours, theirs = (statistics.median(pair[index].passed for pair in rounds) for index in (0, 1))
    ratio = statistics.median(pair.ours.passed / pair.theirs.passed for pair in rounds)
    used = statistics.median(pair.ours.processor / pair.theirs.processor for pair in rounds)
    print(
        f"start to first findings: {ours * 1000:.0f} ms, of a bare server: {theirs * 1000:.0f} ms,"
        f" ratio {ratio:.2f}, on the processor {used:.2f}"
    )


if __name__ == "__main__":
    main(rounds_asked(__doc__))
