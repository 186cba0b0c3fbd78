"""The calls that open a TensorFlow session of their own, and the config that each of them gets."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from npu_migrate.index.facts import Attribute, Call, Constant, Expr, argument
from npu_migrate.knowledge import session_configs
from npu_migrate.knowledge import tensorflow as tf
from npu_migrate.project.once import once
from npu_migrate.project.project import Project
from npu_migrate.project.ref import Ref, ref_of_call
from npu_migrate.semantics.aliases import aliases_of
from npu_migrate.semantics.calls.passing import passed_objects
from npu_migrate.semantics.calls.signatures import has_star
from npu_migrate.semantics.flow import externals_called, is_partial, origins
from npu_migrate.semantics.resolution import external_names
from npu_migrate.semantics.uses import uses
from npu_migrate.semantics.values.evaluation import evaluate

_PARTIAL = "partial"
_SESSION = "tensorflow.Session"
_CREATED = ("MonitoredSession", "SingularMonitoredSession")


class SessionOpening(NamedTuple):
    """A call that opens a session.

    `name` is the canonical name of what is called, `keyword` and `position` are where it takes a config.
    `given` is the config that it gets, also out of a dictionary behind ``**``; None if it gets none, or says
    None. `in_view`: it gets no other one that nobody sees.
    """

    call: Ref
    name: str
    keyword: str
    position: int | None
    given: Ref | None
    in_view: bool = True


@once
def session_openings(project: Project) -> tuple[SessionOpening, ...]:
    """The calls that open a session, in order of file and place, each of a class that is known for certain.

    A call that may open sessions of classes that take their configs otherwise, or of one that nobody sees, is
    none of them: no plan could say how it takes its config. If such a session trains, `unrecognized` reports
    its program.
    """
    found = {id(one.call.expr): one for one in _find(project)}
    return tuple(sorted(found.values(), key=lambda one: (one.call.key, one.call.expr.span)))


def opening_at(project: Project, call: Ref) -> SessionOpening | None:
    """The session that `call` opens, if it is one of these."""
    return next((one for one in session_openings(project) if one.call.expr is call.expr), None)


def _find(project: Project) -> Iterator[SessionOpening]:
    names = {
        name.rpartition(".")[2] for name in (*session_configs.SESSIONS, session_configs.MONITORED_SESSION)
    }
    for spelling in sorted(names | aliases_of(project, names)):
        for key, site in project.calls_named(spelling):
            call = ref_of_call(key, site)
            meant = externals_called(project, call)
            if len(meant) != 1:
                continue
            (name,) = meant
            taken = session_configs.SESSIONS.get(name)
            if taken is not None:
                yield _opening(project, call, name, *taken)
            elif name == session_configs.MONITORED_SESSION and _makes_its_creator(call):
                yield SessionOpening(call, name, "session_creator", None, None)
    yield from _partials(project)
    yield from _of_a_choice(project)


def _of_a_choice(project: Project) -> Iterator[SessionOpening]:
    """The calls of a name that may mean several classes of plain sessions, which all take the same."""
    words = {name.rpartition(".")[2] for name in tf.RAW_SESSIONS}
    for word in sorted(words | aliases_of(project, words)):
        for key in project.files_mentioning(word):
            for site in (*project.attributes(key, word), *project.names(key, word)):
                called = isinstance(site.parent, Call) and site.parent.func is site.expr
                ref = project.ref_of(key, site)
                if called or site.stored or not external_names(project, key, site.scope, site.expr):
                    continue
                for use in uses(project, ref):
                    if use.kind == "call" and _only_calls_plain_sessions(project, use.ref):
                        yield _opening(project, use.ref, _SESSION, *session_configs.SESSIONS[_SESSION])


def _only_calls_plain_sessions(project: Project, call: Ref) -> bool:
    assert isinstance(call.expr, Call)
    meant = origins(project, call._replace(expr=call.expr.func))
    names = [external_names(project, one.key, one.scope, one.expr) for one in meant]
    return bool(names) and all(one and one <= tf.RAW_SESSIONS for one in names)


def _opening(project: Project, call: Ref, name: str, keyword: str, position: int | None) -> SessionOpening:
    given, in_view = given_config(project, call, keyword, position)
    return SessionOpening(call, name, keyword, position, given, in_view)


def _partials(project: Project) -> Iterator[SessionOpening]:
    """``partial(tf.Session, config=config)`` where it is seen to be called, without another config."""
    for name in sorted({_PARTIAL} | aliases_of(project, {_PARTIAL})):
        for key, site in project.calls_named(name):
            call = ref_of_call(key, site)
            if not site.call.args or not is_partial(project, call):
                continue
            meant = external_names(project, key, site.scope, site.call.args[0])
            opened = meant.intersection(session_configs.SESSIONS) if len(meant) == 1 else ()
            for session in opened:
                keyword, position = session_configs.SESSIONS[session]
                shifted = None if position is None else position + 1
                calls = list(_calls_of_partial(project, call))
                if calls and not any(
                    isinstance(one.expr, Call) and argument(one.expr, keyword) for one in calls
                ):
                    yield _opening(project, call, session, keyword, shifted)


def _calls_of_partial(project: Project, partial: Ref) -> Iterator[Ref]:
    return (use.ref for use in uses(project, partial) if use.kind == "call")


def _makes_its_creator(call: Ref) -> bool:
    """Whether a ``MonitoredSession`` gets no creator, so that it makes one without a config."""
    assert isinstance(call.expr, Call)
    given = argument(call.expr, "session_creator", 0)
    return (given is None or is_none(given)) and not has_star(call)


class Given(NamedTuple):
    """The config that a call is seen to get, if any; `in_view`: it gets no other one."""

    config: Ref | None
    in_view: bool


def given_config(project: Project, call: Ref, keyword: str, position: int | None) -> Given:
    """The config that a call gets, by itself or out of a dictionary; a constant None is no config."""
    passed = passed_objects(project, call, keyword, position)
    given = [one for one in passed.values if not is_none(one.expr)]
    return Given(given[0] if len(given) == 1 else None, passed.certain and len(passed.values) < 2)


def is_none(expr: Expr) -> bool:
    """Whether an expression is the constant None."""
    return isinstance(expr, Constant) and expr.value is None


def sessions_made(project: Project, opening: SessionOpening) -> Iterator[Ref]:
    """The calls that give the session: its own call, or those that get the creator which it makes."""
    if is_partial(project, opening.call):
        yield from _calls_of_partial(project, opening.call)
        return
    if opening.name != session_configs.CREATOR:
        yield opening.call
        return
    for name in _CREATED:
        for key, site in project.calls_named(name):
            given = argument(site.call, "session_creator", 0)
            if given is not None:
                call = ref_of_call(key, site)
                made = origins(project, call._replace(expr=given))
                if any(origin.expr is opening.call.expr for origin in made):
                    yield call


def is_local(project: Project, opening: SessionOpening) -> bool | None:
    """Whether a session runs in this process; False for one of a server, None if that cannot be told."""
    taken = session_configs.MASTERS.get(opening.name)
    assert isinstance(opening.call.expr, Call)
    if taken is not None and taken.position is not None and is_partial(project, opening.call):
        taken = taken._replace(position=taken.position + 1)
    if taken is None:
        return True
    passed = passed_objects(project, opening.call, *taken)
    masters = [one for one in passed.values if not is_none(one.expr)]
    found = (origin for one in masters for origin in origins(project, one))
    if any(isinstance(one.expr, Attribute) and one.expr.attr == "target" for one in found):
        return False
    return True if passed.certain and all(_is_here(project, one) for one in masters) else None


def _is_here(project: Project, master: Ref) -> bool:
    return evaluate(project, master).every(lambda value: value in ("", None, "local"))


def is_restored(project: Project, opening: SessionOpening) -> bool:
    """Whether a session is given to what fills its variables with those of a checkpoint or a model, or is
    opened with the name of a checkpoint.
    """
    taken = session_configs.CHECKPOINTS.get(opening.name)
    named = argument(opening.call.expr, *taken) if taken and isinstance(opening.call.expr, Call) else None
    if named is not None and not is_none(named):
        return True
    return any(
        use.kind == "argument"
        and isinstance(use.ref.expr, Call)
        and not externals_called(project, use.ref).isdisjoint(tf.RESTORING)
        for made in sessions_made(project, opening)
        for use in uses(project, made)
    )
