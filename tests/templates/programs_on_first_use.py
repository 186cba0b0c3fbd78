"""Programs that use iterators in every way in which a session may come to them; `make` makes these."""

PROGRAMS = {
    "finalized": """
value = make(Dataset.range(3)).get_next()
double = value * 2
unused = make(Dataset.range(9)).get_next()
tf.compat.v1.get_default_graph().finalize()
with tf.compat.v1.Session() as session:
    print(drained(session, value), drained(session, value))
with tf.compat.v1.Session() as session:
    print(drained(session, {"a": [value, double]}))
""",
    "several graphs": """
def build(count):
    return make(Dataset.range(count)).get_next()


graphs = [tf.compat.v1.Graph() for _ in range(2)]
for count, graph in enumerate(graphs, 2):
    with graph.as_default():
        value = build(count)
    with tf.compat.v1.Session(graph=graph) as session:
        print(drained(session, value))
tf.compat.v1.reset_default_graph()
value = build(4)
with tf.compat.v1.Session() as one, tf.compat.v1.Session() as other:
    print(one.run(value), other.run(value), drained(one, value), drained(other, value))
""",
    "built in an open session": """
with tf.compat.v1.Session() as session:
    for count in range(2, 5):
        print(session.run(make(Dataset.range(count)).get_next() + count))
    print(session.run(make(Dataset.range(count).map(lambda x: x + 1)).get_next()))
""",
    "feeds that cut the graph": """
missing = Dataset.list_files("/nowhere/*").take(1)
number = tf.compat.v1.strings.length(make(missing).get_next())
double = number * 2
with tf.compat.v1.Session() as session:
    print(session.run(double, {number: 4}), session.make_callable(double, [number])(5))
    print(session.run([double, number], {number: 6}))
    try:
        session.run(double)
    except tf.errors.OpError as error:
        print("nowhere" in str(error))
""",
    "callables": """
value = make(Dataset.range(9)).get_next()
with tf.compat.v1.Session() as session:
    both = session.make_callable([value, value * 2])
    alone = session.make_callable(value)
    op = session.make_callable(value.op)
    added = session.make_callable(value + 1, feed_list=[])
    op()
    print(both(), alone(), added())
    print(session.make_callable(value, accept_options=True)(options=None))
""",
    "partial runs": """
value = make(Dataset.range(3)).get_next()
given = tf.compat.v1.placeholder(tf.int64, [])
total = value + given
with tf.compat.v1.Session() as session:
    handle = session.partial_run_setup([value, total], [given])
    print(session.partial_run(handle, value), session.partial_run(handle, total, {given: 10}))
    print(session.run(total, {given: 20}))
""",
    "names and targets": """
value = tf.identity(make(Dataset.range(9)).get_next(), name="value")
with tf.compat.v1.Session() as session:
    print(session.run("value:0"), session.run("value"), session.run(["value:0", value.op]))
    print(value.eval(), session.run(()), session.run({}))
""",
    "string handles": """
first, second = make(Dataset.range(3)), make(Dataset.range(10, 13))
handle = tf.compat.v1.placeholder(tf.string, [])
types, shapes = tf.compat.v1.data.get_output_types(first), tf.compat.v1.data.get_output_shapes(first)
value = tf.compat.v1.data.Iterator.from_string_handle(handle, types, shapes).get_next()
with tf.compat.v1.Session() as session:
    handles = session.run([first.string_handle(), second.string_handle()])
    print([session.run(value, {handle: one}) for one in handles * 3])
""",
    "control dependencies of the iterator": """
counter = tf.compat.v1.get_variable("c", [], tf.int64, initializer=tf.compat.v1.zeros_initializer())
source = Dataset.range(5)
with tf.control_dependencies([counter.assign_add(1)]):
    iterator = make(source)
outside = iterator.get_next()
with tf.compat.v1.Session() as session:
    session.run(counter.initializer)
    for _ in range(3):
        session.run(outside)
        print(session.run(counter))
    session.run(iterator.string_handle())
    print(session.run(counter))
""",
    "control dependencies of the dataset": """
counter = tf.compat.v1.get_variable("c", [], tf.int64, initializer=tf.compat.v1.zeros_initializer())
with tf.control_dependencies([counter.assign_add(1)]):
    value = make(Dataset.range(5).map(lambda x: x * 2)).get_next()
with tf.compat.v1.Session() as session:
    session.run(counter.initializer)
    for _ in range(3):
        print(session.run(value), session.run(counter))
""",
    "conditionals and loops of the graph": """
source = Dataset.range(5)
chosen = tf.compat.v1.placeholder(tf.bool, [])
inside = tf.cond(chosen, lambda: make(source).get_next(), lambda: tf.constant(7, tf.int64))
iterator = make(source)
outside = tf.cond(chosen, lambda: iterator.get_next(), lambda: tf.constant(8, tf.int64))
looped = make(source)
total = tf.while_loop(
    lambda i, s: i < 3,
    lambda i, s: (i + 1, s * 10 + looped.get_next()),
    [0, tf.constant(0, tf.int64)],
    parallel_iterations=1,
)[1]
with tf.compat.v1.Session() as session:
    print([session.run([inside, outside], {chosen: one}) for one in (False, True, True, False)])
    print(session.run(total))
""",
    "functions of the graph": """
outer = make(Dataset.range(5))


@tf.function
def inner():
    return make(Dataset.range(5)).get_next()


@tf.function
def reads():
    return outer.get_next() + 10


values = inner(), reads()
with tf.compat.v1.Session() as session:
    print(session.run(values), session.run(values))
""",
    "queues": """
queue = tf.compat.v1.FIFOQueue(10, [tf.int64], [[]])
enqueue = queue.enqueue(make(Dataset.range(5)).get_next())
tf.compat.v1.train.add_queue_runner(tf.compat.v1.train.QueueRunner(queue, [enqueue]))
value = queue.dequeue()
with tf.compat.v1.train.MonitoredTrainingSession() as session:
    print([session.run(value) for _ in range(5)])
""",
    "monitored": """
tf.compat.v1.train.get_or_create_global_step()
value = make(Dataset.range(3)).get_next()
first = make(Dataset.range(7, 9)).get_next()
variable = tf.compat.v1.get_variable("v", initializer=lambda: tf.cast(first, tf.float32))
with tf.compat.v1.train.MonitoredTrainingSession() as session:
    print(session.run(variable))
    while not session.should_stop():
        print(session.run(value))
""",
    "graph that was exported": """
tf.identity(make(Dataset.range(3)).get_next(), name="value")
meta = tf.compat.v1.train.export_meta_graph()
if make.__module__ == "first_use_iterator":
    with tf.compat.v1.Graph().as_default():
        tf.compat.v1.train.import_meta_graph(meta, import_scope="again")
        with tf.compat.v1.Session() as session:
            print(drained(session, "again/value:0"))
else:
    print([0, 1, 2])
""",
    "Estimator": """
v1 = tf.compat.v1


def numbers():
    values = Dataset.range(32).map(lambda x: tf.cast(x, tf.float32)[None])
    source = values.map(lambda x: (x / 32, x))
    return make(source.batch(4).repeat()).get_next()


def model(features, labels, mode):
    weight = v1.get_variable("w", [1], initializer=v1.ones_initializer())
    loss = tf.reduce_mean((features * weight - labels) ** 2)
    optimizer = v1.train.GradientDescentOptimizer(0.1)
    train = optimizer.minimize(loss, v1.train.get_global_step())
    return v1.estimator.EstimatorSpec(mode, loss=loss, train_op=train)


estimator = v1.estimator.Estimator(model)
for _ in range(2):
    estimator.train(numbers, steps=5)
    print(estimator.evaluate(numbers, steps=2))
""",
    "Keras": """
keras = tf.compat.v1.keras
values = Dataset.range(32).map(lambda x: tf.cast(x, tf.float32)[None])
source = values.map(lambda x: (x / 32, x))
x, y = make(source.batch(4).repeat()).get_next()
given = keras.Input(tensor=x)
model = keras.Model(given, keras.layers.Dense(1, kernel_initializer="ones")(given))
model.compile("sgd", "mse", target_tensors=[y])
print(model.fit(steps_per_epoch=4, epochs=2, verbose=0).history["loss"])
""",
    "py_func": """
import numpy as np


def inner(x):
    with tf.compat.v1.Graph().as_default(), tf.compat.v1.Session() as session:
        value = make(Dataset.range(5, 9)).get_next()
        return np.int64(session.run(value) + session.run(value) + x)


value = tf.compat.v1.py_func(inner, [make(Dataset.range(3)).get_next()], tf.int64)
with tf.compat.v1.Session() as session:
    print(drained(session, value))
""",
    "what is no dataset": """
class Own(object):
    def make_one_shot_iterator(self):
        return iter([1, 2])

    _make_one_shot_iterator = make_one_shot_iterator


print(list(make(Own())))
""",
}
