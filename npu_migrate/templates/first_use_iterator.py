"""Iterators of tf.data that each session initializes when it first uses them.

`make(dataset)` stands for `dataset.make_one_shot_iterator()`: nobody has to run an initializer. Yet the
iterator is an initializable one, so that an Ascend NPU can do several steps per `session.run`.

Before the first run whose fetches depend on the iterator, the session runs its initializer, in a run of its
own. It does so once: an iterator at its end stays there, and a new session starts anew. No op is added later.

Written by npu-migrate. The file is a part of your project. It needs TensorFlow 1.15, or 2.x in graph mode.
"""

import threading

import tensorflow.compat.v1 as tf
from tensorflow.python.client import session as session_module

INITIALIZERS = "initializers_on_first_use"  # A collection goes along when the graph is exported.


def make(dataset):
    """An iterator over `dataset` that each session initializes when it first uses it.

    It stays a one-shot iterator in eager code, inside of functions and branches of the graph, and over a
    dataset that is made under control dependencies: initializing it in a run of its own would run these.
    """
    if not (isinstance(dataset, tf.data.Dataset) or hasattr(dataset, "_variant_tensor")):
        return dataset.make_one_shot_iterator()
    graph = tf.get_default_graph()
    inside = tf.executing_eagerly() or graph.building_function or graph._get_control_flow_context()
    if inside or any(op.control_inputs for op in _ops_behind([dataset._variant_tensor])):
        return tf.data.make_one_shot_iterator(dataset)
    with tf.control_dependencies(None):
        iterator = tf.data.make_initializable_iterator(dataset)
    graph.add_to_collection(INITIALIZERS, iterator.initializer)
    if not graph._current_control_dependencies():
        return iterator
    # What reads a one-shot iterator waits for the control dependencies of the iterator.
    kind = [getattr(tf.data, "get_output_" + one)(iterator) for one in ("types", "shapes", "classes")]
    return tf.data.Iterator(tf.identity(iterator.initializer.inputs[1]), iterator.initializer, *kind)


def _ops_behind(elements, fed=()):
    """The ops that a run of these tensors and ops runs when the tensors with the ids `fed` are fed."""
    found, waiting = set(), list(elements)
    while waiting:
        element = waiting.pop()
        op = getattr(element, "op", element)
        if id(element) not in fed and op not in found:
            found.add(op)
            waiting.extend(op.inputs)
            waiting.extend(op.control_inputs)
    return found


def _prepare(session, fetches, feeds):
    """Initialize what a run of these tensors and ops needs and the session has not initialized yet."""
    if not hasattr(session, "_first_use"):
        session.__dict__.setdefault("_first_use", (threading.RLock(), set(), set(), {}))
    lock, begun, ready, finished = session._first_use
    feeds = [getattr(feed, "_wrapped", feed) for feed in feeds]
    fed = frozenset(map(id, feeds))
    run = tuple(map(id, fetches)), fed
    if run in finished:
        return
    made = session.graph.get_collection(INITIALIZERS)
    behind = _ops_behind(fetches, fed) if made else ()
    needed = [one for one in made if one.inputs[1].op in behind and one not in ready]
    if needed:
        with lock:  # Another thread may be initializing the same iterator.
            for initializer in (one for one in needed if one not in begun):
                begun.add(initializer)
                try:
                    session_module.BaseSession.run(session, initializer)
                except BaseException:
                    begun.discard(initializer)
                    raise
                ready.add(initializer)
    finished[run] = fetches, feeds  # Kept, so that no other tensors get their ids.


def _prepared(session, fetches, feeds, function):
    """`function`, which runs `fetches`, with what has to be done before."""
    given = fetches, [] if feeds is None else feeds
    handlers = [session_module._FetchHandler(session.graph, one, {}) for one in given]
    fetches, feeds = [one.fetches() + one.targets() for one in handlers]

    def prepared(*args, **kwargs):
        _prepare(session, fetches, feeds)
        return function(*args, **kwargs)

    return prepared


def _install(base):
    do_run, setup = base._do_run, base.partial_run_setup
    make_callable, from_options = base.make_callable, base._make_callable_from_options

    def prepared_run(self, handle, targets, fetches, feed_dict, *options):
        if handle is None:
            _prepare(self, fetches + targets, feed_dict)
        return do_run(self, handle, targets, fetches, feed_dict, *options)

    def prepared_setup(self, fetches, feeds=None):
        return _prepared(self, fetches, feeds, setup)(self, fetches, feeds)

    def prepared_callable(self, fetches, feed_list=None, accept_options=False):
        return _prepared(self, fetches, feed_list, make_callable(self, fetches, feed_list, accept_options))

    def prepared_options(self, options):
        fetched, fed = list(options.fetch) + list(options.target), list(options.feed)
        return _prepared(self, fetched, fed, from_options(self, options))

    base._do_run, base.partial_run_setup = prepared_run, prepared_setup
    base.make_callable, base._make_callable_from_options = prepared_callable, prepared_options
    base.initializes_on_first_use = True


if not hasattr(session_module.BaseSession, "initializes_on_first_use"):
    _install(session_module.BaseSession)
