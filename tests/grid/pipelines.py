"""How a pipeline reads its data.

`make` binds ``iterator`` from the list ``numbers``, `take` is the expression for the next element of it.
Three tensors in a row have to be numbers. ``ONE_SHOT(ds)`` stands for the one-shot iterator of ``ds``.
"""

from __future__ import annotations

from typing import NamedTuple


class Pipeline(NamedTuple):
    """`start` is what a raw session has to run first."""

    make: str
    take: str = "iterator.get_next()"
    start: str = ""


PIPELINES = {
    "slices": Pipeline("""\
ds = tf.data.Dataset.from_tensor_slices(numbers)
iterator = ONE_SHOT(ds)
"""),
    "range": Pipeline("""\
ds = tf.data.Dataset.range(len(numbers)).map(lambda i: tf.gather(tf.constant(numbers), i))
iterator = ONE_SHOT(ds)
"""),
    "generator": Pipeline("""\
def rows():
    for number in numbers:
        yield number

ds = tf.data.Dataset.from_generator(rows, tf.float32, tf.TensorShape([]))
iterator = ONE_SHOT(ds)
"""),
    "two datasets": Pipeline(
        """\
left = tf.data.Dataset.from_tensor_slices(numbers)
right = tf.data.Dataset.from_tensor_slices([0.5, 0.25]).repeat()
iterator = ONE_SHOT(left), ONE_SHOT(right)
""",
        "iterator[0].get_next() * iterator[1].get_next()",
    ),
    "feedable": Pipeline(
        """\
ds = tf.data.Dataset.from_tensor_slices(numbers)
source = ONE_SHOT(ds)
handle = tf.placeholder_with_default(source.string_handle(), [])
iterator = tf.data.Iterator.from_string_handle(
    handle, tf.compat.v1.data.get_output_types(ds), tf.compat.v1.data.get_output_shapes(ds)
)
"""
    ),
    "by structure": Pipeline(
        """\
ds = tf.data.Dataset.from_tensor_slices(numbers)
scales = ONE_SHOT(tf.data.Dataset.from_tensor_slices([0.5, 0.25]).repeat())
ds_iterator = tf.data.Iterator.from_structure(tf.float32, tf.TensorShape([]))
tf.add_to_collection(tf.GraphKeys.TABLE_INITIALIZERS, ds_iterator.make_initializer(ds))
iterator = ds_iterator, scales
""",
        "iterator[0].get_next() * iterator[1].get_next()",
        start="SESS.run(tf.tables_initializer())\n",
    ),
    "shuffled": Pipeline(
        """\
ds = tf.data.Dataset.from_tensor_slices(numbers).shuffle(8, seed=1).repeat(3)
ds = ds.batch(2, drop_remainder=True)
iterator = ONE_SHOT(ds)
""",
        "tf.reduce_mean(iterator.get_next())",
    ),
    "list of datasets": Pipeline(
        """\
parts = [tf.data.Dataset.from_tensor_slices(numbers).shard(2, i).repeat(2) for i in range(2)]
iterator = [ONE_SHOT(part) for part in parts]
""",
        "tf.add_n([one.get_next() for one in iterator])",
    ),
    "zipped": Pipeline(
        """\
scales = tf.data.Dataset.from_tensor_slices([0.5, 0.25]).repeat()
ds = tf.data.Dataset.zip((tf.data.Dataset.from_tensor_slices(numbers), scales))
iterator = ONE_SHOT(ds.map(lambda number, scale: number * scale))
"""
    ),
    "features and labels": Pipeline(
        """\
ds = tf.data.Dataset.from_tensor_slices(({"number": numbers}, [2.0 * number for number in numbers]))
iterator = ONE_SHOT(ds.prefetch(1))
""",
        'tf.add_n([iterator.get_next()[0]["number"]])',
    ),
}
