"""Training scripts put together from parts: where the pipeline is built, how it is spelled, who runs it.

Every script fits one weight to three numbers and prints five losses.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product
from random import Random
from textwrap import indent
from typing import NamedTuple

from fidelity import Tree

DATASET = "tf.data.Dataset.from_tensor_slices([1.0, 2.0, 4.0]).repeat()"


class Pipeline(NamedTuple):
    """Where the pipeline is built. `definitions` go to the top, `statements` to where the graph is built.

    ``ITERATOR`` stands for the one-shot iterator of ``ds``; ``iterator = ITERATOR`` and the use of that name
    are joined to one expression in scripts that chain. `module` is the text of ``reader.py``, if any.
    """

    definitions: str
    statements: str
    module: str = ""


READER = """
def inputs():
    ds = DATASET
    iterator = ITERATOR
    return iterator.get_next()
"""

PIPELINES = {
    "inline": Pipeline("", "ds = DATASET\niterator = ITERATOR\nx = iterator.get_next()\n"),
    "function": Pipeline(READER, "x = inputs()\n"),
    "other module": Pipeline("import reader\n", "x = reader.inputs()\n", module=READER),
    "nested function": Pipeline("", READER + "x = inputs()\n"),
    "two functions deep": Pipeline(
        """
def build(ds):
    iterator = ITERATOR
    return iterator.get_next()


def inputs(factor):
    return build(DATASET) * factor
""",
        "x = inputs(1.0)\n",
    ),
    "iterator returned": Pipeline(
        """
def iterator_of(ds):
    return ITERATOR
""",
        "numbers = iterator_of(DATASET)\nx = numbers.get_next()\n",
    ),
    "attribute": Pipeline(
        """
class Data:
    def __init__(self, ds):
        self.iterator = ITERATOR
        self.x = self.iterator.get_next()
""",
        "x = Data(DATASET).x\n",
    ),
    "method": Pipeline(
        """
class Data:
    def build(self):
        ds = DATASET
        iterator = ITERATOR
        self.x = iterator.get_next()
        return self
""",
        "x = Data().build().x\n",
    ),
}

SPELLINGS = {
    "method": "ds.make_one_shot_iterator()",
    "function": "tf.data.make_one_shot_iterator(ds)",
    "compat": "tf.compat.v1.data.make_one_shot_iterator(ds)",
}

GRAPH = """\
w = tf.get_variable("w", [], initializer=tf.ones_initializer())
loss = tf.square(w - x)
train_op = tf.train.GradientDescentOptimizer(0.2).minimize(loss)
"""

LOOP = """\
for _ in range(5):
    print("%.5f" % sess.run([loss, train_op])[0])
"""


class Session(NamedTuple):
    """Who runs the graph. ``INIT`` and ``LOOP`` stand for the variables' initialization and the loop."""

    definitions: str
    statements: str


MANAGED = {
    "monitored": Session(
        "",
        """
tf.train.get_or_create_global_step()
with tf.train.MonitoredTrainingSession() as sess:
    LOOP
""",
    ),
    "singular": Session("", "with tf.train.SingularMonitoredSession() as sess:\n    LOOP\n"),
    "scaffold": Session(
        "",
        """
tf.train.get_or_create_global_step()
scaffold = tf.train.Scaffold(local_init_op=tf.local_variables_initializer())
with tf.train.MonitoredTrainingSession(scaffold=scaffold) as sess:
    LOOP
""",
    ),
    "supervisor": Session(
        "",
        """
sv = tf.train.Supervisor(logdir=None, summary_op=None)
with sv.managed_session() as sess:
    LOOP
""",
    ),
}

RAW = {
    "with": Session("", "with tf.Session() as sess:\n    INIT\n    LOOP\n"),
    "assigned": Session("", "sess = tf.Session()\nINIT\nLOOP\nsess.close()\n"),
    "interactive": Session("", "sess = tf.InteractiveSession()\nINIT\nLOOP\nsess.close()\n"),
    "as default": Session(
        "", "sess = tf.Session()\nwith sess.as_default():\n    INIT\n    LOOP\nsess.close()\n"
    ),
    "try": Session("", "sess = tf.Session()\ntry:\n    INIT\n    LOOP\nfinally:\n    sess.close()\n"),
    "in a function": Session(
        """
def train(loss, train_op, init):
    with tf.Session() as sess:
        INIT
        LOOP
""",
        "train(loss, train_op, init)\n",
    ),
    "passed on": Session(
        """
def train(sess, loss, train_op, init):
    INIT
    LOOP
""",
        "with tf.Session() as sess:\n    train(sess, loss, train_op, init)\n",
    ),
    "on self": Session(
        """
class Trainer:
    def __init__(self, init):
        self.sess = tf.Session()
        self.setup(self.sess, init)

    def setup(self, sess, init):
        INIT

    def train(self, loss, train_op):
        sess = self.sess
        LOOP
""",
        "Trainer(init).train(loss, train_op)\n",
    ),
}

INITIALIZATIONS = {
    "global": ("init = None\n", "sess.run(tf.global_variables_initializer())\n"),
    "list": (
        "init = None\n",
        "sess.run([tf.global_variables_initializer(), tf.local_variables_initializer()])\n",
    ),
    "named": ("init = tf.global_variables_initializer()\n", "sess.run(init)\n"),
    "group": (
        "init = tf.group(tf.global_variables_initializer(), tf.local_variables_initializer())\n",
        "sess.run(init)\n",
    ),
    "two": (
        "init = tf.local_variables_initializer()\n",
        "sess.run(tf.global_variables_initializer())\nsess.run(init)\n",
    ),
    "operation": ("init = tf.global_variables_initializer()\n", "init.run(session=sess)\n"),
    "with tables": (
        "init = [tf.global_variables_initializer(), tf.tables_initializer()]\n",
        "sess.run(init)\n",
    ),
    "conditional": (
        "init = tf.global_variables_initializer()\n",
        'if init is not None:\n    sess.run(init)\nelse:\n    print("restored")\n',
    ),
}


class Script(NamedTuple):
    """A script and, in words, what it is made of."""

    name: str
    files: Tree


def scripts() -> Iterator[Script]:
    """Every place of a pipeline with every kind of session; the other parts are drawn, always the same."""
    draw = Random(1)
    for place, kind in product(PIPELINES, RAW | MANAGED):
        init, spelling = draw.choice(list(INITIALIZATIONS)), draw.choice(list(SPELLINGS))
        chained, in_main = draw.random() < 0.5, draw.random() < 0.5
        words = [place, kind, init if kind in RAW else "", spelling, "chained" * chained, "main" * in_main]
        files = assemble(place, kind, init, spelling, chained, in_main)
        yield Script(", ".join(filter(None, words)), files)


def assemble(place: str, kind: str, init: str, spelling: str, chained: bool, in_main: bool) -> Tree:
    pipeline, session = PIPELINES[place], (RAW | MANAGED)[kind]
    built, initialize = INITIALIZATIONS[init]

    def filled(text: str) -> str:
        text = filled_block(filled_block(text, "INIT", initialize), "LOOP", LOOP)
        if chained:
            text = joined(text)
        return text.replace("ITERATOR", SPELLINGS[spelling]).replace("DATASET", DATASET)

    body = filled(pipeline.statements + GRAPH + (built if kind in RAW else "") + session.statements)
    if in_main:
        body = "def main():\n" + indent(body, "    ") + '\n\nif __name__ == "__main__":\n    main()\n'
    head = "import tensorflow as tf\n"
    quiet = "\ntf.logging.set_verbosity(tf.logging.ERROR)\n\n"
    files = {
        "train.py": head + filled(pipeline.definitions) + quiet + filled(session.definitions) + "\n" + body
    }
    if pipeline.module:
        files["reader.py"] = head + "\n" + filled(pipeline.module)
    return {name: text.encode() for name, text in files.items()}


def filled_block(text: str, mark: str, block: str) -> str:
    """The text with `block` in place of each line that holds only `mark`, indented like it."""
    lines = text.splitlines(keepends=True)
    return "".join(
        indent(block, line[: -len(line.lstrip())]) if line.strip() == mark else line for line in lines
    )


def joined(text: str) -> str:
    """The text with the expression in place of the iterator's name, where that is used at once."""
    lines = text.splitlines(keepends=True)
    for i, line in enumerate(lines[:-1]):
        target = line.strip().removesuffix(" = ITERATOR")
        if target != line.strip() and f"{target}.get_next" in lines[i + 1]:
            lines[i : i + 2] = ["", lines[i + 1].replace(target, "ITERATOR")]
    return "".join(lines)
