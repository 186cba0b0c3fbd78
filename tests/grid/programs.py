"""Every program of the grid, and which pieces do not go together.

Details that are no axis (the spelling of a one-shot iterator, how variables are initialized, whether there
is a ``main`` and whether the loop is a function) are drawn by the name of the program, always the same.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from itertools import product
from random import Random
from textwrap import indent
from typing import NamedTuple

from fidelity import Tree

from grid.endings import ENDINGS
from grid.occasions import OCCASIONS
from grid.pipelines import PIPELINES
from grid.sessions import SESSIONS
from grid.travels import TRAVELS

AXES: Mapping[str, tuple[str, ...]] = {
    "pipeline": tuple(PIPELINES),
    "travel": tuple(TRAVELS),
    "session": tuple(SESSIONS),
    "occasion": tuple(OCCASIONS),
    "ending": tuple(ENDINGS),
}

NUMBERS = "[1.0, 2.0, 4.0, 8.0, 4.0, 2.0, 1.0, 3.0]"
HELD_OUT = "[3.0, 5.0, 7.0, 9.0]"

MODEL = """
def weight():
    with tf.variable_scope("model", reuse=tf.AUTO_REUSE):
        return tf.get_variable("w", [], initializer=tf.ones_initializer())


def model(x):
    loss = tf.square(weight() - x)
    step = tf.train.get_or_create_global_step()
    return loss, tf.train.GradientDescentOptimizer(0.2).minimize(loss, global_step=step)
"""

STEP = 'print("%.5f" % SESS.run([loss, train_op])[0])\n'

SPELLINGS = (
    "{}.make_one_shot_iterator()",
    "tf.data.make_one_shot_iterator({})",
    "tf.compat.v1.data.make_one_shot_iterator({})",
)

INITIALIZATIONS = (
    "sess.run(tf.global_variables_initializer())\n",
    "init = tf.global_variables_initializer()\nsess.run(init)\n",
    "sess.run([tf.global_variables_initializer(), tf.local_variables_initializer()])\n",
    "init = tf.group(tf.global_variables_initializer(), tf.local_variables_initializer())\nsess.run(init)\n",
    "tf.global_variables_initializer().run(session=sess)\n",
)


AGAIN = ("per epoch", "restored by itself", "two sessions")
"""Where a session is opened again on the same graph."""


class Program(NamedTuple):
    """A piece of each axis, by name."""

    pipeline: str
    travel: str
    session: str
    occasion: str
    ending: str

    @property
    def name(self) -> str:
        return " / ".join(self)


def programs() -> Iterator[Program]:
    """All programs that make sense, in the order of the axes. Their endings take turns."""
    turn = 0
    for pieces in product(PIPELINES, TRAVELS, SESSIONS, OCCASIONS):
        endings = [ending for ending in ENDINGS if not senseless(Program(*pieces, ending))]
        if endings:
            yield Program(*pieces, endings[turn % len(endings)])
            turn += 1


def sample(count: int, seed: int) -> list[Program]:
    """`count` programs, drawn piece by piece: each way comes up as often, however many programs it has."""
    draw = Random(seed)
    found: dict[Program, None] = {}
    while len(found) < count:
        first = [draw.choice(list(ways)) for ways in (PIPELINES, TRAVELS, SESSIONS)]
        ends = {
            way: [one for one in ENDINGS if not senseless(Program(*first, way, one))] for way in OCCASIONS
        }
        occasion = draw.choice([way for way, endings in ends.items() if endings])
        found[Program(*first, occasion, draw.choice(ends[occasion]))] = None
    return list(found)


def senseless(program: Program) -> str:
    """Why these pieces do not make a program; empty if they do."""
    session, occasion = SESSIONS[program.session], OCCASIONS[program.occasion]
    if session.kind not in occasion.kinds:
        return "managed sessions finalize the graph and restore by themselves; Estimators open their own"
    if session.kind == "estimator" and program.ending != "fixed":
        return "an Estimator has no loop of the program's own"
    if program.ending == "should stop" and (session.kind != "managed" or program.session == "supervisor"):
        return "only monitored sessions tell that they should stop"
    if program.occasion == "restored" and "INIT" not in session.statements:
        return "a helper that initializes does not restore"
    if program.session in ("supervisor", "with a scaffold") and program.occasion in AGAIN:
        return "the graph is finalized, and the second session would add to it"
    if program.session == "runs for others" and "saver" in occasion.statements:
        return "a Saver takes nothing but a session"
    if program.session == "keras" and program.occasion in ("two graphs", "two sessions"):
        return "Keras has one session, on one graph"
    again = program.occasion in ("per epoch", "restored", "restored or not")
    if (program.pipeline, program.session, program.ending) == (
        "by structure",
        "keras",
        "out of range",
    ) and again:
        return "whether the scales go on when the data ends is chance, and the next round shows it"
    return ""


def files_of(program: Program) -> Tree:
    """The files of `program`; ``train.py`` is the entry."""
    draw = Random(program.name)
    spelling, init = draw.choice(SPELLINGS), draw.choice(INITIALIZATIONS)
    in_main, in_function = draw.random() < 0.5, draw.random() < 0.5
    pipeline, travel = PIPELINES[program.pipeline], TRAVELS[program.travel]
    session, occasion = SESSIONS[program.session], OCCASIONS[program.occasion]
    start = pipeline.start if session.kind == "raw" else ""
    late = occasion.work.lstrip().startswith(("GRAPH", "for epoch in range(2):\n    GRAPH"))
    loop = blocks(ENDINGS[program.ending], {"STEP": STEP})
    fit = "\n\ndef fit(sess, loss, train_op):\n" + indent(loop.replace("SESS", "sess"), "    ")
    graph = f"x = {travel.use}\nloss, train_op = model(x)\n"
    first_run = "" if late else words(start, {"SESS": "sess"})
    other = re.sub(rf"\b{session.name.split('.')[0]}\b", r"other_\g<0>", session.statements)
    marks = {
        "LOOP": "fit(SESS, loss, train_op)\n" if in_function else loop,
        "GRAPH": graph + (start if late else ""),
        "GRAPH_OF_NUMBERS": graph.replace("NUMBERS", "numbers"),
        "HELD_OUT": f"error = tf.abs(weight() - {travel.use.replace('NUMBERS', HELD_OUT)})\n",
        "START_OF_SECOND": words(pipeline.start, {"SESS": "second"}),
        "START_OF_ONLY": words(pipeline.start, {"SESS": "only"}),
        "WEIGHT": "weight()\ntf.train.get_or_create_global_step()\n",
        "INIT": init + first_run,
    }
    restored = marks | {"INIT": 'saver.restore(sess, "model/w")\n' + first_run}
    named = {"SESS": session.name}
    work = occasion.work
    second = blocks(other, marks | {"INIT": words(marks["INIT"], {"sess": "other_sess"}), "WORK": "LOOP\n"})
    second = words(blocks(second, marks), {"SESS": "other_" + session.name})
    work = words(blocks(blocks(work, {"OTHER_SESSION": second}), marks), named)
    body = blocks(
        occasion.statements,
        {
            "SESSION": blocks(session.statements, marks | {"WORK": work}),
            "RESTORED": blocks(session.statements, restored | {"WORK": work}),
        },
    )
    body = words(blocks(body, marks), {"OPTIONS": occasion.options})
    uses = {"USE": travel.use, "USE_HELD_OUT": travel.use.replace("NUMBERS", HELD_OUT), "NUMBERS": NUMBERS}
    body = words(words(body, {name: uses[name] for name in ("USE", "USE_HELD_OUT")}), uses)
    made = {"MAKE": pipeline.make}

    def filled(text: str) -> str:
        return one_shot(words(blocks(text, made), {"TAKE": pipeline.take}), spelling)

    definitions = filled(travel.definitions) + MODEL + blocks(session.definitions, marks)
    if in_function and session.kind != "estimator":
        definitions += fit
    if in_main:
        body = "def main():\n" + indent(body, "    ") + '\n\nif __name__ == "__main__":\n    main()\n'
    head = "import tensorflow as tf\n"
    quiet = "\ntf.logging.set_verbosity(tf.logging.ERROR)\n"
    files = {"train.py": head + definitions + quiet + "\n\n" + body}
    if travel.module:
        files["data.py"] = head + filled(travel.module)
    return {name: text.encode() for name, text in files.items()}


def blocks(text: str, marks: Mapping[str, str]) -> str:
    """The text with the lines of a mark in place of each line that is only the mark, indented like it."""
    result = []
    for line in text.splitlines(keepends=True):
        block = marks.get(line.strip())
        result.append(line if block is None else indent(block, line[: -len(line.lstrip())]))
    return "".join(result)


def words(text: str, marks: Mapping[str, str]) -> str:
    """The text with what each mark stands for in place of it."""
    for mark, word in marks.items():
        text = re.sub(rf"\b{mark}\b", lambda _, word=word: word, text)
    return text


def one_shot(text: str, spelling: str) -> str:
    """The text with one-shot iterators in a spelling in place of ``ONE_SHOT(…)``."""
    while "ONE_SHOT(" in text:
        before, _, rest = text.partition("ONE_SHOT(")
        depth, end = 1, 0
        while depth:
            depth += {"(": 1, ")": -1}.get(rest[end], 0)
            end += 1
        text = before + spelling.format(rest[: end - 1]) + rest[end:]
    return text
