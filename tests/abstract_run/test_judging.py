"""Edits of small programs: right ones are borne out, wrong ones are refuted with the path that shows it."""

from __future__ import annotations

import pytest

from abstract_run.judged import HEAD, INITIALIZABLE, ONE_SHOT, REGISTER, migrated, verdict_of

RUN_INITIALIZER = "sess.run(it.initializer)"

RIGHT = {
    "a class that is abstract before it is a hook": """
        import abc
        class Start(abc.ABC, tf.train.SessionRunHook):
            def after_create_session(self, session, coord):
                super().after_create_session(session, coord)
                ADDED
        it = ITERATOR
        x = it.get_next()
        class Base(abc.ABC):
            def __init__(self, x):
                super().__init__()
                self.x = x
        class Data(Base):
            pass
        with tf.Session() as sess:
            Start().after_create_session(sess, None)
            print(sess.run(Data(x).x))
        """,
    "unpacked to fields, with a star": """
        class Data(object):
            def __init__(self):
                it = ITERATOR
                *self.rest, self.it, last = None, None, it, 1
                _, *self.parts = 0, it.get_next(), self.rest[1]
        data = Data()
        with tf.Session() as sess:
            it = data.it
            ADDED
            print(sess.run(data.parts[0]))
        """,
    "handle with a default": """
        it = ITERATOR
        handle = tf.placeholder_with_default(it.string_handle(), [])
        x = tf.data.Iterator.from_string_handle(handle, ds.output_types).get_next()
        with tf.Session() as sess:
            ADDED
            print(sess.run(x))
        """,
    "method by a name that is put together": """
        class Data(object):
            def train_batch(self):
                self.it = ITERATOR
                return self.it.get_next()
        data = Data()
        x = getattr(data, "%s_%s" % ("train", "batch"))()
        it = data.it
        with tf.Session() as sess:
            ADDED
            print(sess.run(x))
        """,
    "raw session": """
        it = ITERATOR
        x = it.get_next()
        with tf.Session() as sess:
            ADDED
            print(sess.run(x))
        """,
    "before queue runners": """
        it = ITERATOR
        x = tf.train.batch([it.get_next()], 3)
        sess = tf.Session()
        ADDED
        threads = tf.train.start_queue_runners(sess, tf.train.Coordinator())
        sess.run(x)
        """,
    "before a thread": """
        import threading
        it = ITERATOR
        x = it.get_next()
        sess = tf.Session()
        ADDED
        thread = threading.Thread(target=lambda: sess.run(x))
        thread.start()
        thread.join()
        """,
    "behind the variables": """
        it = ITERATOR
        w = tf.Variable(0.0)
        y = w + tf.to_float(it.get_next())
        sess = tf.Session()
        sess.run(tf.global_variables_initializer())
        ADDED
        for step in range(1000):
            value = sess.run(y)
            if step % 100 == 0:
                print(value)
        """,
    "until the data ends": """
        it = ITERATOR
        x = it.get_next()
        sess = tf.Session()
        ADDED
        while True:
            try:
                sess.run(x)
            except tf.errors.OutOfRangeError:
                break
        """,
    "either branch": """
        it = ITERATOR
        x = it.get_next()
        FLAGS = tf.flags.FLAGS
        sess = tf.Session()
        if FLAGS.restore:
            tf.train.Saver().restore(sess, FLAGS.restore)
        else:
            sess.run(tf.global_variables_initializer())
        ADDED
        sess.run(x)
        """,
    "optional session": """
        it = ITERATOR
        x = it.get_next()
        def run(t, sess=None):
            if sess is None:
                sess = tf.Session()
            ADDED
            return sess.run(t)
        run(x)
        """,
    "class, attribute, generator": """
        class Data(object):
            def __init__(self):
                self.it = ITERATOR
                self.x = self.it.get_next()
            def batches(self, sess):
                it = self.it
                ADDED
                while True:
                    yield sess.run(self.x)
        with tf.Session() as sess:
            for number, batch in zip(range(3), Data().batches(sess)):
                print(number, batch)
        """,
    "function out of a dict": """
        def small():
            return it.get_next()
        def large():
            return it.get_next()
        it = ITERATOR
        x = {"small": small, "large": large}[tf.flags.FLAGS.size]()
        sess = tf.Session()
        ADDED
        sess.run(x)
        """,
    "context manager of the program": """
        import contextlib
        @contextlib.contextmanager
        def opened():
            with tf.Session() as sess:
                ADDED
                yield sess
        it = ITERATOR
        x = it.get_next()
        with opened() as sess:
            sess.run(x)
        """,
}

REGISTERED = {
    "monitored": """
        it = ITERATOR
        ADDED
        x = it.get_next()
        tf.train.get_or_create_global_step()
        with tf.train.MonitoredTrainingSession(checkpoint_dir="model") as sess:
            while not sess.should_stop():
                sess.run(x)
        """,
    "estimator": """
        def input_fn():
            it = ITERATOR
            ADDED
            return it.get_next(), None
        def model_fn(features, labels, mode):
            w = tf.get_variable("w", [])
            loss = w * features
            train_op = tf.train.GradientDescentOptimizer(.1).minimize(loss)
            return tf.estimator.EstimatorSpec(mode, loss=loss, train_op=train_op)
        tf.estimator.Estimator(model_fn, "model").train(input_fn, steps=3)
        """,
    "supervisor": """
        it = ITERATOR
        ADDED
        x = it.get_next()
        sv = tf.train.Supervisor(logdir="model")
        with sv.managed_session() as sess:
            sess.run(x)
        """,
    "hook": """
        class Print(tf.train.SessionRunHook):
            def __init__(self, x):
                self.x = x
            def before_run(self, context):
                return tf.train.SessionRunArgs(self.x)
        it = ITERATOR
        ADDED
        hook = Print(it.get_next())
        with tf.train.SingularMonitoredSession(hooks=[hook]) as sess:
            sess.run(tf.constant(1))
        """,
}

WRONG = {
    "registered only": (
        REGISTER,
        "before the iterator's initializer has run",
        """
        it = ITERATOR
        ADDED
        x = it.get_next()
        with tf.Session() as sess:
            sess.run(x)
        """,
    ),
    "in one branch": (
        RUN_INITIALIZER,
        "before the iterator's initializer has run",
        """
        it = ITERATOR
        x = it.get_next()
        sess = tf.Session()
        if tf.flags.FLAGS.fresh:
            ADDED
            sess.run(tf.global_variables_initializer())
        sess.run(x)
        """,
    ),
    "in each round": (
        RUN_INITIALIZER,
        "the data starts anew",
        """
        it = ITERATOR
        x = it.get_next()
        sess = tf.Session()
        for _ in range(3):
            ADDED
            sess.run(x)
        """,
    ),
    "with variables": (
        "sess.run([tf.global_variables_initializer(), it.initializer])",
        "0 on the device",
        """
        it = ITERATOR
        w = tf.Variable(1.0)
        x = it.get_next()
        sess = tf.Session()
        ADDED
        sess.run(tf.global_variables_initializer())
        sess.run(x)
        """,
    ),
    "in another session": (
        RUN_INITIALIZER,
        "before the iterator's initializer has run",
        """
        it = ITERATOR
        x = it.get_next()
        with tf.Session() as sess:
            ADDED
            sess.run(tf.constant(1))
        with tf.Session() as sess:
            sess.run(x)
        """,
    ),
    "on a finalized graph": (
        "sess.run(tf.tables_initializer())",
        "the graph is finalized",
        """
        it = ITERATOR
        x = it.get_next()
        tf.get_default_graph().finalize()
        sess = tf.Session()
        ADDED
        sess.run(x)
        """,
    ),
    "behind a Supervisor": (
        REGISTER,
        "the graph is finalized",
        """
        it = ITERATOR
        x = it.get_next()
        sv = tf.train.Supervisor(logdir=None)
        ADDED
        with sv.managed_session() as sess:
            sess.run(x)
        """,
    ),
    "own local init op": (
        REGISTER,
        "before the iterator's initializer has run",
        """
        it = ITERATOR
        ADDED
        x = it.get_next()
        scaffold = tf.train.Scaffold(local_init_op=tf.local_variables_initializer())
        with tf.train.SingularMonitoredSession(scaffold=scaffold) as sess:
            sess.run(x)
        """,
    ),
    "before the files are there": (
        RUN_INITIALIZER,
        "before the program may have written them",
        """
        ds = tf.data.Dataset.list_files("*.txt")
        it = ITERATOR
        x = it.get_next()
        sess = tf.Session()
        ADDED
        open("a.txt", "w").write("a")
        sess.run(x)
        """,
    ),
    "files that are read by nobody": (
        "sess.run(it.initializer)",
        "nothing reads them on this path",
        """
        train = tf.data.Dataset.range(3).make_one_shot_iterator().get_next()
        ds = tf.data.Dataset.list_files("*.eval")
        it = ITERATOR
        x = it.get_next()
        sess = tf.Session()
        ADDED
        sess.run(train)
        if tf.flags.FLAGS.evaluate:
            sess.run(x)
        """,
    ),
    "a dataset that cannot be started": (
        "sess.run(it.initializer); sess.run(others.initializer)",
        "the program fails with",
        """
        def make(items):
            ds = tf.data.Dataset.from_tensor_slices(items).shuffle(len(items))
            return ITERATOR
        it = make([1, 2])
        others = make([])
        x, y = it.get_next(), others.get_next()
        sess = tf.Session()
        ADDED
        sess.run(x)
        """,
    ),
    "a private attribute tells which it is": (
        RUN_INITIALIZER,
        "the data starts anew",
        """
        it = ITERATOR
        x = it.get_next()
        sess = tf.Session()
        ADDED
        for epoch in range(3):
            if it._initializer is not None:
                sess.run(it._initializer)
            sess.run(x)
            sess.run(x)
        """,
    ),
    "files that others write in the meantime": (
        RUN_INITIALIZER,
        "before the program may have written them",
        """
        names = tf.matching_files("*.txt")
        ds = tf.data.TextLineDataset(names)
        it = ITERATOR
        x = it.get_next()
        sess = tf.Session()
        ADDED
        open("a.txt", "w").write("a")
        sess.run(x)
        """,
    ),
    "a dataset that may be of nothing": (
        "sess.run(it.initializer); sess.run(others.initializer)",
        "nothing reads from it on this path",
        """
        import glob
        def make(pattern):
            files = sorted(glob.glob(pattern))
            ds = tf.data.Dataset.from_tensor_slices(files).shuffle(min(len(files), 100))
            return ITERATOR
        it = make("*.train")
        others = make("*.eval")
        x, y = it.get_next(), others.get_next()
        sess = tf.Session()
        ADDED
        sess.run(x)
        if glob.glob("*.eval"):
            sess.run(y)
        """,
    ),
    "what is printed around it": (
        RUN_INITIALIZER,
        "the iterator's initializer also runs tensorflow.print",
        """
        with tf.control_dependencies([tf.print("next")]):
            it = ITERATOR
            x = it.get_next()
        sess = tf.Session()
        ADDED
        sess.run(x)
        """,
    ),
    "behind queue runners": (
        RUN_INITIALIZER,
        "before the iterator's initializer has run",
        """
        it = ITERATOR
        x = tf.train.batch([it.get_next()], 3)
        sess = tf.Session()
        threads = tf.train.start_queue_runners(sess, tf.train.Coordinator())
        ADDED
        sess.run(x)
        """,
    ),
    "behind a thread": (
        RUN_INITIALIZER,
        "before the iterator's initializer has run",
        """
        import threading
        it = ITERATOR
        queue = tf.FIFOQueue(10, tf.int64)
        enqueue = queue.enqueue(it.get_next())
        sess = tf.Session()
        def feed(op):
            while True:
                try:
                    sess.run(op)
                except tf.errors.OutOfRangeError:
                    break
        thread = threading.Thread(target=feed, args=(enqueue,))
        thread.daemon = True
        thread.start()
        ADDED
        sess.run(queue.dequeue())
        thread.join()
        """,
    ),
    "in each block of a test's one session": (
        RUN_INITIALIZER,
        "the data starts anew",
        """
        class Test(tf.test.TestCase):
            def test(self):
                it = ITERATOR
                x = it.get_next()
                with self.cached_session() as sess:
                    ADDED
                    sess.run(x)
                self.evaluate(x)
                with self.cached_session() as sess:
                    ADDED
                    sess.run(x)
        tf.test.main()
        """,
    ),
    "what a function assigns around it": (
        RUN_INITIALIZER,
        "0 on the device",
        """
        n = tf.get_variable("n", initializer=0)
        with tf.control_dependencies([tf.assign_add(n, 1)]):
            it = ITERATOR
            x = it.get_next()
        sess = tf.Session()
        ADDED
        sess.run(x)
        """,
    ),
    "what a step counter assigns around it": (
        RUN_INITIALIZER,
        "0 on the device",
        """
        step = tf.train.get_or_create_global_step()
        with tf.control_dependencies([step.assign_add(1)]):
            it = ITERATOR
            x = it.get_next()
        sess = tf.Session()
        ADDED
        sess.run(x)
        """,
    ),
    "what control dependencies assign": (
        RUN_INITIALIZER,
        "0 on the device",
        """
        n = tf.Variable(0)
        with tf.control_dependencies([n.assign_add(1)]):
            it = ITERATOR
            x = it.get_next()
        sess = tf.Session()
        ADDED
        sess.run(x)
        """,
    ),
}

LOST = {
    "unknown code gets the session": (
        RUN_INITIALIZER,
        "gets a session",
        """
        import helpers
        it = ITERATOR
        x = it.get_next()
        sess = tf.Session()
        ADDED
        helpers.run(sess, x)
        """,
    ),
    "what is fetched is not known": (
        RUN_INITIALIZER,
        "not known what a session runs",
        """
        it = ITERATOR
        x = it.get_next()
        sess = tf.Session()
        ADDED
        sess.run(tf.flags.FLAGS.fetches)
        """,
    ),
    "nothing reaches the edit": (
        RUN_INITIALIZER,
        "no path was seen",
        """
        it = ITERATOR
        x = it.get_next()
        def train(sess):
            ADDED
            sess.run(x)
        """,
    ),
    "no element is ever taken": (
        RUN_INITIALIZER,
        "takes an element",
        """
        it = ITERATOR
        sess = tf.Session()
        ADDED
        """,
    ),
    "calls without an end": (
        RUN_INITIALIZER,
        "deep",
        """
        it = ITERATOR
        sess = tf.Session()
        ADDED
        def again(n):
            return again(n + 1)
        again(0)
        """,
    ),
    "a loop whose rounds are not seen to its end": (
        RUN_INITIALIZER,
        "every call of a loop",
        """
        it = ITERATOR
        x = it.get_next()
        sess = tf.Session()
        ADDED
        sess.run(x)
        for name in ["a", "b", "c", "d", "e", "f"]:
            if type(name) is None:
                sess.run(x)
                break
            if False:
                sess.run(tf.constant(1))
        """,
    ),
}


@pytest.mark.parametrize("script", RIGHT.values(), ids=RIGHT)
def test_the_initializer_runs_in_time(script: str) -> None:
    assert migrated(script, ADDED=RUN_INITIALIZER).kind == "verified"


@pytest.mark.parametrize("script", RIGHT.values(), ids=RIGHT)
def test_without_the_initializer_it_is_refuted(script: str) -> None:
    verdict = migrated(script, ADDED="pass")
    assert verdict.kind == "refuted"
    assert "before the iterator's initializer has run in this session" in verdict.reason
    assert verdict.path[-1].message == verdict.reason


@pytest.mark.parametrize("script", REGISTERED.values(), ids=REGISTERED)
def test_managed_sessions_run_what_is_registered(script: str) -> None:
    assert migrated(script, ADDED=REGISTER).kind == "verified"
    assert migrated(script, ADDED="pass").kind == "refuted"


@pytest.mark.parametrize(("line", "reason", "script"), WRONG.values(), ids=WRONG)
def test_a_wrong_edit_is_refuted(line: str, reason: str, script: str) -> None:
    verdict = migrated(script, ADDED=line)
    assert (verdict.kind, reason in verdict.reason) == ("refuted", True)


@pytest.mark.parametrize(("line", "reason", "script"), LOST.values(), ids=LOST)
def test_what_cannot_be_followed_is_lost(line: str, reason: str, script: str) -> None:
    verdict = migrated(script, ADDED=line)
    assert (verdict.kind, reason in verdict.reason) == ("lost", True), verdict


def test_a_dataset_is_no_pair_of_tensors() -> None:
    script = HEAD + "def inputs():\n    return {}\nx, y = inputs()\ntf.Session().run(x)\n"
    before = script.format("ds.make_one_shot_iterator().get_next()")
    verdict = verdict_of({"train.py": before.encode()}, {"train.py": script.format("ds").encode()})
    assert verdict.kind == "refuted"
    assert verdict.reason == "after the fix the program fails with RuntimeError here"


def test_each_program_of_a_shared_file_is_run() -> None:
    shared = f"{HEAD}it = {ONE_SHOT}\nx = it.get_next()\n"
    right = (
        "import tensorflow as tf\nimport data\ns = tf.Session()\ns.run(data.it.initializer)\ns.run(data.x)\n"
    )
    wrong = "import tensorflow as tf\nimport data\ntf.Session().run(data.x)\n"
    before = {
        "data.py": shared.encode(),
        "train.py": right.replace("s.run(data.it.initializer)\n", "").encode(),
        "evaluate.py": wrong.encode(),
    }
    after = before | {"data.py": shared.replace(ONE_SHOT, INITIALIZABLE).encode(), "train.py": right.encode()}
    verdict = verdict_of(before, after)
    assert verdict.kind == "refuted"
    assert verdict.path[-1].place.path.endswith("evaluate.py")


def test_a_path_that_failed_before_does_not_count() -> None:
    script = """
        it = ITERATOR
        sess = tf.Session()
        if tf.flags.FLAGS.train:
            x = it.get_next()
            ADDED
        sess.run(x)
        """
    assert migrated(script, ADDED=RUN_INITIALIZER).kind == "verified"
