"""The migration of each program, in Markdown and on the page."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from command import folder_with, tool

SESSION = """\
import horovod.tensorflow as hvd
import tensorflow as tf

hvd.init()
x = tf.placeholder(tf.float32, [None])
w = tf.get_variable("w", [])
loss = tf.reduce_mean(tf.square(tf.nn.dropout(w * x, 0.5)))
optimizer = hvd.DistributedOptimizer(tf.train.GradientDescentOptimizer(0.1), op=hvd.Adasum)
train_op = optimizer.minimize(loss)
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    sess.run(train_op, feed_dict={x: [1.0]})
"""
ESTIMATOR = """\
import tensorflow as tf


def input_fn():
    return tf.data.Dataset.from_tensors(([1.0], [2.0])).repeat()


def model_fn(features, labels, mode):
    w = tf.get_variable("w", [])
    loss = tf.reduce_mean(tf.square(w * features - labels))
    train_op = tf.train.GradientDescentOptimizer(0.1).minimize(loss, tf.train.get_global_step())
    return tf.estimator.EstimatorSpec(mode, loss=loss, train_op=train_op)


tf.estimator.Estimator(model_fn).train(input_fn, steps=1)
"""
MARKDOWN = ("--port", "--format", "markdown")
SILENT = "import tensorflow as tf\n\nprint(tf.__version__)\n"


def written(folder: Path, **files: str) -> Path:
    for name, text in files.items():
        (folder / f"{name}.py").write_text(text, encoding="utf-8")
    return folder


@contextmanager
def inside(folder: Path) -> Iterator[None]:
    before = Path.cwd()
    os.chdir(folder)
    try:
        yield
    finally:
        os.chdir(before)


def report(folder: Path, *options: str) -> str:
    with inside(folder):
        return tool("--no-cache", "--fail-on", "never", *options, ".").decode()


def test_each_program_says_what_it_is_and_what_comes_next(tmp_path: Path) -> None:
    folder = written(tmp_path, session=SESSION, estimator=ESTIMATOR, silent=SILENT)
    text = report(folder, *MARKDOWN)
    first, second = (text.index(f"## `{name}.py`") for name in ("estimator", "session"))
    estimator, session = text[first:second], text[second:]
    assert "What it is: trains Estimators.\n" in estimator
    assert "### Done by `--write`\n\n1. Give the Estimator's session" in estimator
    assert "RANK_ID" not in estimator
    assert "What it is: trains in sessions; distributes the training with Horovod.\n" in session
    assert session.index("### Offered") < session.index("(NPU701): `session.py:10`")
    assert session.index("### For a person to decide") < session.index("(NPU713): `session.py:8`")
    assert session.count("### The launcher has to export") == 1
    assert "- `RANK_ID`: " in session
    assert "silent.py" not in text


def test_the_order_is_that_of_the_work(tmp_path: Path) -> None:
    text = report(written(tmp_path, session=SESSION), *MARKDOWN)
    assert text.index("(NPU701)") < text.index("(NPU721)")
    assert text.index("(NPU711)") < text.index("(NPU713)")


KERAS = """\
import tensorflow as tf

tf.keras.backend.set_session(tf.Session(config=tf.ConfigProto()))
model = tf.keras.Sequential([tf.keras.layers.Dense(1, input_shape=(1,))])
model.compile("sgd", "mse")
model.fit([[1.0]], [[1.0]])
"""


def test_a_session_for_keras_trains_a_keras_model(tmp_path: Path) -> None:
    text = report(written(tmp_path, train=KERAS), *MARKDOWN)
    assert "What it is: trains Keras models.\n" in text
    assert "(NPU701): `train.py:3`" in text


WHOLE_HOROVOD = """\
import horovod.tensorflow as hvd
import tensorflow as tf

hvd.init()
print(hvd.rank(), hvd.size())
loss = tf.square(tf.get_variable("w", []))
train_op = hvd.DistributedOptimizer(tf.train.GradientDescentOptimizer(0.1)).minimize(loss)
with tf.train.MonitoredTrainingSession(hooks=[hvd.BroadcastGlobalVariablesHook(0)]) as sess:
    sess.run(train_op)
"""


def test_what_is_one_step_of_several_rules_is_told_once(tmp_path: Path) -> None:
    text = report(written(tmp_path, train=WHOLE_HOROVOD), *MARKDOWN)
    step = "(NPU711, NPU712, NPU713, NPU714): `train.py:4`, `train.py:5`, `train.py:7`, `train.py:8`\n"
    assert text.count("Replace Horovod by npu\\_bridge, everywhere in the program ") == 1
    assert step in text


def test_programs_that_need_the_same_are_told_together(tmp_path: Path) -> None:
    shared = "def run():\n" + "".join(f"    {line}\n" for line in ESTIMATOR.splitlines() if line)
    starting = "import shared\n\nshared.run()\n"
    text = report(written(tmp_path, shared=shared, one=starting, two=starting), *MARKDOWN)
    assert "## `one.py`, `two.py`\n" in text


def test_nothing_to_do(tmp_path: Path) -> None:
    text = report(written(tmp_path, silent=SILENT), *MARKDOWN)
    assert text == f"# Migration of {tmp_path.name.replace('_', chr(92) + '_')} to the NPU\n\n" + (
        "Nothing is to be done in the files that were analysed.\n"
    )


def test_names_of_files_are_no_markup(tmp_path: Path) -> None:
    (tmp_path / "a`b<i>.py").write_text(ESTIMATOR, encoding="utf-8")
    text = report(tmp_path, *MARKDOWN)
    assert "## `` a`b<i>.py ``\n" in text


def test_the_page_has_the_migration_and_the_functions(tmp_path: Path) -> None:
    page = report(written(tmp_path, session=SESSION, estimator=ESTIMATOR), "--port", "--format", "html")
    moving = page[page.index('id="migration"') : page.index('id="filters"')]
    assert "distributes the training with Horovod" in moving
    assert "<code>RANK_ID</code>" in moving
    functions = page[page.index('id="api"') : page.index('id="rules"')]
    assert "tf.Session" in functions
    assert "Not checked: " in functions


def test_a_page_without_port_has_neither(tmp_path: Path) -> None:
    page = report(written(tmp_path, session=SESSION), "--format", "html")
    assert 'id="migration"' not in page
    assert 'id="api"' not in page


def test_the_report_on_functions_is_a_section_of_the_page(tmp_path: Path) -> None:
    page = report(written(tmp_path, session=SESSION), "--api-report", "--format", "html")
    assert 'id="api"' in page


def test_a_file_that_cannot_be_analysed_is_no_program() -> None:
    broken = {Path("old.py"): b"print 'hello'; import npu_bridge\n"}
    with folder_with({Path("train.py"): SESSION.encode(), **broken}):
        lines = tool("--no-cache", "--port", "--format", "markdown", "--fail-on", "never", ".").decode()
        page = tool("--no-cache", "--port", "--format", "html", "--fail-on", "never", ".").decode()
    assert "\n1 program of 1 file has " in lines
    assert "\n1 file could not be analysed: see the NPU9xx findings.\n\n- `old.py:1`: not analysed: " in lines
    assert [line for line in lines.splitlines() if line.startswith("## ")] == ["## `train.py`"]
    plan = page.partition('<section class="migrations"')[2].partition("</section>")[0]
    assert "train.py" in plan
    assert "old.py" not in plan
