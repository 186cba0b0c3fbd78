"""What is built and run when.

``GRAPH`` stands for a pipeline and the model that reads it, ``HELD_OUT`` for a second one that is only
evaluated, ``SESSION`` for the session with its work, ``RESTORED`` for the same session that restores a
checkpoint instead of initializing variables, ``LOOP`` for a loop over the data. ``NUMBERS`` is the data.
"""

from __future__ import annotations

from typing import NamedTuple


class Occasion(NamedTuple):
    """`kinds` are the kinds of sessions that it can have."""

    statements: str
    work: str
    kinds: tuple[str, ...] = ("raw", "managed")
    options: str = ""


OCCASIONS = {
    "once": Occasion("GRAPH\nSESSION\n", "LOOP\n"),
    "per epoch": Occasion("GRAPH\nfor epoch in range(2):\n    print(epoch)\n    SESSION\n", "LOOP\n"),
    "alternating": Occasion(
        "GRAPH\nHELD_OUT\nSESSION\n",
        """\
for epoch in range(2):
    LOOP
    print("held out %.5f" % SESS.run(error))
""",
    ),
    "restored": Occasion(
        "GRAPH\nsaver = tf.train.Saver()\nSESSION\nRESTORED\n",
        'LOOP\nsaver.save(SESS, "model/w")\n',
        ("raw",),
    ),
    "restored by itself": Occasion(
        "GRAPH\nfor start in range(2):\n    print(start)\n    SESSION\n",
        "LOOP\n",
        ("managed",),
        options='checkpoint_dir="model"',
    ),
    "evaluated afterwards": Occasion(
        """\
GRAPH
HELD_OUT
saver = tf.train.Saver()
SESSION
with tf.Session() as second:
    START_OF_SECOND
    saver.restore(second, "model/w")
    print("held out %.5f" % second.run(error))
""",
        'LOOP\nsaver.save(SESS, "model/w")\n',
        ("raw",),
    ),
    "restored or not": Occasion(
        """\
GRAPH
saver = tf.train.Saver()
for start in range(2):
    print(start)
    SESSION
""",
        """\
if tf.train.latest_checkpoint("model"):
    saver.restore(SESS, tf.train.latest_checkpoint("model"))
LOOP
saver.save(SESS, "model/w")
""",
        ("raw",),
    ),
    "chosen": Occasion(
        """\
import sys

if len(sys.argv) > 1:
    HELD_OUT
    with tf.Session() as only:
        only.run(tf.global_variables_initializer())
        START_OF_ONLY
        print(only.run(error))
else:
    GRAPH
    SESSION
""",
        "LOOP\n",
    ),
    "late": Occasion("WEIGHT\nSESSION\n", "GRAPH\nLOOP\n", ("raw",)),
    "late per epoch": Occasion(
        "WEIGHT\nSESSION\n", "for epoch in range(2):\n    GRAPH\n    LOOP\n", ("raw",)
    ),
    "finalized": Occasion("GRAPH\nSESSION\n", "SESS.graph.finalize()\nLOOP\n", ("raw",)),
    "two graphs": Occasion(
        """\
for numbers in NUMBERS, [3.0, 5.0, 7.0, 9.0]:
    with tf.Graph().as_default():
        GRAPH_OF_NUMBERS
        SESSION
""",
        "LOOP\n",
    ),
    "two sessions": Occasion("GRAPH\nSESSION\n", "LOOP\nOTHER_SESSION\nLOOP\n"),
    "trained": Occasion(
        """\
estimator = tf.estimator.Estimator(model_fn, "model")
estimator.train(lambda: USE, steps=2)
print("%.5f" % estimator.get_variable_value("model/w"))
""",
        "",
        ("estimator",),
    ),
    "trained to the end": Occasion(
        """\
def input_fn():
    batch = USE
    return batch

estimator = tf.estimator.Estimator(model_fn, "model")
for epoch in range(2):
    estimator.train(input_fn=input_fn)
    print("%.5f" % estimator.get_variable_value("model/w"))
""",
        "",
        ("estimator",),
    ),
    "trained and evaluated": Occasion(
        """\
estimator = tf.estimator.Estimator(model_fn, "model")
for epoch in range(2):
    estimator.train(lambda: USE, steps=2)
    print("%.5f" % estimator.evaluate(lambda: USE_HELD_OUT)["loss"])
""",
        "",
        ("estimator",),
    ),
    "train and evaluate": Occasion(
        """\
def train_input_fn():
    return USE

def eval_input_fn():
    return USE_HELD_OUT

estimator = tf.estimator.Estimator(model_fn, "model")
tf.estimator.train_and_evaluate(
    estimator,
    tf.estimator.TrainSpec(train_input_fn, max_steps=3),
    tf.estimator.EvalSpec(eval_input_fn, steps=1),
)
print("%.5f" % estimator.get_variable_value("model/w"))
""",
        "",
        ("estimator",),
    ),
    "predicted": Occasion(
        """\
estimator = tf.estimator.Estimator(model_fn, "model")
estimator.train(lambda: USE, steps=2)
for one in list(estimator.predict(lambda: tf.expand_dims(USE_HELD_OUT, 0)))[:2]:
    print("%.5f" % one)
""",
        "",
        ("estimator",),
    ),
}
