"""Who runs the graph.

``INIT`` stands for the initialization of variables, ``WORK`` for what is done in the session, ``OPTIONS`` for
further arguments of a managed session. `name` is the session where the work is done.
"""

from __future__ import annotations

from typing import NamedTuple


class Session(NamedTuple):
    statements: str
    definitions: str = ""
    name: str = "sess"
    kind: str = "raw"
    """``raw`` sessions initialize by themselves, ``managed`` ones do not, an ``estimator`` opens its own."""


SESSIONS = {
    "with": Session("with tf.Session() as sess:\n    INIT\n    WORK\n"),
    "closed": Session("sess = tf.Session()\nINIT\nWORK\nsess.close()\n"),
    "as default": Session("sess = tf.Session()\nwith sess.as_default():\n    INIT\n    WORK\nsess.close()\n"),
    "interactive": Session("sess = tf.InteractiveSession()\nINIT\nWORK\nsess.close()\n"),
    "helper": Session(
        "sess = open_session()\nWORK\nsess.close()\n",
        """
def open_session():
    sess = tf.Session()
    INIT
    return sess
""",
    ),
    "context manager": Session(
        "with open_session() as sess:\n    WORK\n",
        """
import contextlib


@contextlib.contextmanager
def open_session():
    with tf.Session() as sess:
        INIT
        yield sess
""",
    ),
    "attribute": Session(
        "trainer = Trainer()\ntrainer.start()\nWORK\ntrainer.sess.close()\n",
        """
class Trainer(object):
    def __init__(self):
        self.sess = tf.Session()

    def start(self):
        sess = self.sess
        INIT
""",
        name="trainer.sess",
    ),
    "on demand": Session(
        "runner = Runner()\nWORK\nrunner.sess.close()\n",
        """
class Runner(object):
    def __init__(self):
        self._sess = None

    @property
    def sess(self):
        if self._sess is None:
            sess = tf.Session()
            INIT
            self._sess = sess
        return self._sess
""",
        name="runner.sess",
    ),
    "given or own": Session(
        "sess = ready()\nWORK\nsess.close()\n",
        """
def ready(sess=None):
    sess = sess or tf.Session()
    INIT
    return sess
""",
    ),
    "runs for others": Session(
        "runner = Runner()\nWORK\nrunner.sess.close()\n",
        """
class Runner(object):
    def __init__(self):
        self.sess = tf.Session()
        self.prepare(self.sess)

    def prepare(self, sess):
        INIT

    def run(self, *args, **kwargs):
        return self.sess.run(*args, **kwargs)

    @property
    def graph(self):
        return self.sess.graph
""",
        name="runner",
    ),
    "of a graph": Session("with tf.Session(graph=tf.get_default_graph()) as sess:\n    INIT\n    WORK\n"),
    "kept in a list": Session(
        "sessions = [tf.Session()]\nsess = sessions[0]\nINIT\nWORK\nfor one in sessions:\n    one.close()\n"
    ),
    "guarded": Session("sess = tf.Session()\ntry:\n    INIT\n    WORK\nfinally:\n    sess.close()\n"),
    "keras": Session("sess = tf.keras.backend.get_session()\nINIT\nWORK\n"),
    "monitored": Session(
        "with tf.train.MonitoredTrainingSession(OPTIONS) as sess:\n    WORK\n", kind="managed"
    ),
    "singular": Session(
        "with tf.train.SingularMonitoredSession(OPTIONS) as sess:\n    WORK\n", kind="managed"
    ),
    "with a creator": Session(
        """\
creator = tf.train.ChiefSessionCreator(tf.train.Scaffold())
with tf.train.MonitoredSession(session_creator=creator) as sess:
    WORK
""",
        kind="managed",
    ),
    "with a scaffold": Session(
        """\
scaffold = tf.train.Scaffold(init_op=tf.global_variables_initializer())
with tf.train.MonitoredTrainingSession(scaffold=scaffold) as sess:
    WORK
""",
        kind="managed",
    ),
    "supervisor": Session(
        """\
sv = tf.train.Supervisor(logdir=None, summary_op=None)
with sv.managed_session() as sess:
    WORK
""",
        kind="managed",
    ),
    "estimator": Session(
        """\
WORK
""",
        """
def model_fn(features, labels, mode):
    loss, train_op = model(features)
    return tf.estimator.EstimatorSpec(mode, predictions=features, loss=loss, train_op=train_op)
""",
        kind="estimator",
    ),
}
