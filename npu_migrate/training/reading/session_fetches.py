"""What sessions run: for every ``run`` the session, what is fetched and what is fed, each with its caller.

A helper ``def step(sess, op): sess.run(op)`` runs for each of its callers another op in another session;
the two belong together.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from npu_migrate.index.facts import (
    Attribute,
    Call,
    Collection,
    Constant,
    Expr,
    Mapping,
    Name,
    argument,
)
from npu_migrate.index.names import ancestors, enclosing_function
from npu_migrate.knowledge import tensorflow as tf
from npu_migrate.project.once import once
from npu_migrate.project.project import Project
from npu_migrate.project.ref import Ref, ref_of_call
from npu_migrate.semantics.contexts import Traced, back, ends, traced, ways
from npu_migrate.semantics.dependence import put_into
from npu_migrate.semantics.each_once import EachOnce
from npu_migrate.semantics.flow import externals_called
from npu_migrate.training.pipelines.sessions import all_sessions, operation_run, session_kind

_ENTERED = ("as_default", "__enter__")
_DEFAULT_SESSION = frozenset({"tensorflow.get_default_session"})
_PREPARING = ("make_callable", "partial_run_setup")
"""Methods of a session that are told what is run later on, by what they return."""

_LOOP_FETCHES = ("train_op", "eval_op", "eval_ops", "final_op", "final_ops")


class Fetching(NamedTuple):
    """One way in which a call runs a session.

    `call` is the ``run`` (or ``eval``, ``make_callable``, ``slim.learning.train``), `session` the call that
    made the session, with the callers that it was made for.
    `fetches` is what is run, `feed` the dictionary of what is fed, if any.
    """

    call: Ref
    session: Traced
    fetches: Traced
    feed: Traced | None


def fetchings_of(project: Project, session: Ref) -> tuple[Fetching, ...]:
    """Everything that is run in the session that the call at `session` makes."""
    return _by_session(project).get(id(session.expr), ())


def named(fetched: Expr) -> Iterator[str]:
    """The names by which something is fetched: alone, in a list, or as the value of a dictionary."""
    if isinstance(fetched, (Collection, Mapping)):
        for one in fetched.items if isinstance(fetched, Collection) else fetched.values:
            yield from named(one)
    elif isinstance(fetched, Constant) and isinstance(fetched.value, str):
        yield fetched.value


@once
def _by_session(project: Project) -> dict[int, tuple[Fetching, ...]]:
    found: dict[int, list[Fetching]] = {}
    for fetching in all_fetchings(project):
        found.setdefault(id(fetching.session.ref.expr), []).append(fetching)
    return {session: tuple(fetchings) for session, fetchings in found.items()}


@once
def all_fetchings(project: Project) -> tuple[Fetching, ...]:
    """Every way in which some call runs a session, as far as the session can be seen."""
    return tuple(_find(project))


def _find(project: Project) -> Iterator[Fetching]:
    for name in ("run", "eval", *_PREPARING):
        for key, site in project.calls_named(name):
            if isinstance(site.call.func, Attribute):
                yield from _run(project, ref_of_call(key, site), site.call)
    for session in all_sessions(project):
        if externals_called(project, session.created) & tf.MANAGED_LOOPS:
            yield from _of_loop(session.created)


def _of_loop(call: Ref) -> Iterator[Fetching]:
    assert isinstance(call.expr, Call)
    given = [argument(call.expr, name) for name in _LOOP_FETCHES]
    for fetched in (*given, *call.expr.args[:1]):
        if fetched is not None:
            yield Fetching(call, traced(call), traced(call._replace(expr=fetched)), None)


def _run(project: Project, ref: Ref, call: Call) -> Iterator[Fetching]:
    assert isinstance(call.func, Attribute)
    operation = operation_run(project, ref) if call.func.attr not in _PREPARING else None
    if operation is not None:
        feed = argument(call, "feed_dict", 0)
        for session in _sessions_of_op(project, ref, call):
            yield Fetching(ref, session, _with_callers(ref, operation, session), _fed(ref, feed, session))
        return
    fetched = argument(call, "fetches", 0)
    feed = argument(call, "feed_dict", 1)
    if call.func.attr != "eval" and fetched is not None:
        receiver = ref._replace(expr=call.func.value)
        for session in _sessions_at(project, traced(_entered_around(project, receiver) or receiver)):
            yield Fetching(ref, session, _with_callers(ref, fetched, session), _fed(ref, feed, session))


def _entered_around(project: Project, receiver: Ref) -> Ref | None:
    """What a field holds in the block ``with tf.Session() as self.sess``, whatever others put there."""
    field = _spelled(receiver.expr)
    if field is None:
        return None
    facts = project.facts(receiver.key)
    assert facts is not None
    function = enclosing_function(facts, receiver.scope)
    for number in ancestors(facts, receiver.statement):
        outer = facts.statements[number]
        if outer.kind == "With" and enclosing_function(facts, outer.scope) == function:
            for target, value in zip(outer.targets, outer.values, strict=True):
                if target is not None and _spelled(target) == field:
                    return Ref(receiver.key, outer.scope, number, value)
    return None


def _spelled(expr: Expr) -> tuple[str, str] | None:
    """The words of ``self.sess``; None for anything but a field of what has a name."""
    if isinstance(expr, Attribute) and isinstance(expr.value, Name):
        return expr.value.id, expr.attr
    return None


def _with_callers(ref: Ref, expr: Expr, place: Traced) -> Traced:
    return Traced(ref._replace(expr=expr), assumed=place.assumed)


def _fed(ref: Ref, feed: Expr | None, place: Traced) -> Traced | None:
    return None if feed is None else _with_callers(ref, feed, place)


def _sessions_at(project: Project, receiver: Traced) -> Iterator[Traced]:
    """The calls that make the session `receiver`, each with the callers that lead to it."""
    receivers = EachOnce([receiver])
    for one in receivers:
        for end in ends(project, one):
            call = end.ref.expr
            if not isinstance(call, Call) or end.keys:
                continue
            if session_kind(project, end.ref) is not None:
                yield end
            elif isinstance(call.func, Attribute) and call.func.attr in _ENTERED:
                receivers.add(end.at(call.func.value))
            elif externals_called(project, end.ref) & _DEFAULT_SESSION:
                yield from _only_session(project, end)


def _only_session(project: Project, place: Traced) -> Iterator[Traced]:
    """The session that is the default one, if the programs of the file make just one."""
    files = project.neighbours(place.ref.key)
    made = {id(s.created.expr): s.created for s in all_sessions(project) if s.created.key in files}
    if len(made) == 1:
        yield from (Traced(session, assumed=place.assumed) for session in made.values())


def _sessions_of_op(project: Project, ref: Ref, call: Call) -> Iterator[Traced]:
    """The sessions of ``op.run()`` and ``tensor.eval()``: the one that is given, or the default session."""
    given = argument(call, "session", 1)
    if given is not None:
        yield from _sessions_at(project, traced(ref._replace(expr=given)))
        return
    if call.args:
        # A variable's ``eval`` takes nothing but a session.
        alone = list(_sessions_at(project, traced(ref._replace(expr=call.args[0]))))
        if alone:
            yield from alone
            return
    facts = project.facts(ref.key)
    assert facts is not None
    for number in ancestors(facts, ref.statement):
        outer = facts.statements[number]
        if outer.kind != "With":
            continue
        found = [
            made
            for value in outer.values
            for made in _sessions_at(project, traced(Ref(ref.key, outer.scope, number, value)))
        ]
        if found:
            yield from found
            return
    yield from _only_session(project, traced(ref))


class Feed(NamedTuple):
    """One thing that is fed: the tensor, if that can be told, and the value."""

    tensor: Traced | None
    value: Traced


def feeds_of(project: Project, feed: Traced) -> Iterator[Feed]:
    """What a feed dictionary holds; a dictionary that cannot be read is one value for unknown tensors."""
    dictionaries = EachOnce([feed])
    for one in dictionaries:
        for way in ways(project, one):
            expr = way.ref.expr
            yield from (Feed(None, put) for put in put_into(project, way))
            if isinstance(expr, Mapping):
                for tensor, value in zip(expr.keys, expr.values, strict=True):
                    if tensor is None:
                        dictionaries.add(way.at(value))
                    else:
                        yield Feed(way.at(tensor), way.at(value))
            elif back(project, way) is None:
                yield Feed(None, way)
