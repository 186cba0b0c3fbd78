"""The calls that open a TensorFlow session of their own, and the config that each of them gets."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from npu_migrate.index.facts import Attribute, Call, Constant, Expr, argument
from npu_migrate.knowledge import session_configs
from npu_migrate.project.once import once
from npu_migrate.project.project import Project
from npu_migrate.project.ref import Ref
from npu_migrate.semantics.aliases import aliases_of
from npu_migrate.semantics.flow import externals_called, is_partial, origins
from npu_migrate.semantics.resolution import external_names
from npu_migrate.semantics.signatures import has_star
from npu_migrate.semantics.uses import uses
from npu_migrate.semantics.values.evaluation import evaluate

_PARTIAL = "partial"
_CREATED = ("MonitoredSession", "SingularMonitoredSession")


class SessionOpening(NamedTuple):
    """A call that opens a session.

    `name` is the canonical name of what is called, `keyword` and `position` are where it takes a config.
    `given` is the config that it gets; None if it gets none, or says None.
    """

    call: Ref
    name: str
    keyword: str
    position: int | None
    given: Ref | None


@once
def session_openings(project: Project) -> tuple[SessionOpening, ...]:
    """The calls that open a session, in order of file and place, each of a class that is known for certain.

    A call that may open sessions of several classes, or of one that nobody sees, is none of them: no plan
    could say how it takes its config. If such a session trains, `unrecognized` reports its program.
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
            call = Ref(key, site.scope, site.statement, site.call)
            meant = externals_called(project, call)
            if len(meant) != 1:
                continue
            (name,) = meant
            taken = session_configs.SESSIONS.get(name)
            if taken is not None:
                yield SessionOpening(call, name, *taken, given_config(call, *taken))
            elif name == session_configs.MONITORED_SESSION and _makes_its_creator(call):
                yield SessionOpening(call, name, "session_creator", None, None)
    yield from _partials(project)


def _partials(project: Project) -> Iterator[SessionOpening]:
    """``partial(tf.Session, config=config)`` where it is seen to be called, without another config."""
    for name in sorted({_PARTIAL} | aliases_of(project, {_PARTIAL})):
        for key, site in project.calls_named(name):
            call = Ref(key, site.scope, site.statement, site.call)
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
                    yield SessionOpening(
                        call, session, keyword, shifted, given_config(call, keyword, shifted)
                    )


def _calls_of_partial(project: Project, partial: Ref) -> Iterator[Ref]:
    return (use.ref for use in uses(project, partial) if use.kind == "call")


def _makes_its_creator(call: Ref) -> bool:
    """Whether a ``MonitoredSession`` gets no creator, so that it makes one without a config."""
    assert isinstance(call.expr, Call)
    given = argument(call.expr, "session_creator", 0)
    return (given is None or is_none(given)) and not has_star(call)


def given_config(call: Ref, keyword: str, position: int | None) -> Ref | None:
    """The config that a call gets; None if it gets none or the constant None."""
    assert isinstance(call.expr, Call)
    given = argument(call.expr, keyword, position)
    return None if given is None or is_none(given) else call._replace(expr=given)


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
                call = Ref(key, site.scope, site.statement, site.call)
                made = origins(project, call._replace(expr=given))
                if any(origin.expr is opening.call.expr for origin in made):
                    yield call


def is_local(project: Project, opening: SessionOpening) -> bool | None:
    """Whether a session runs in this process; False for one of a server, None if that cannot be told."""
    taken = session_configs.MASTERS.get(opening.name)
    assert isinstance(opening.call.expr, Call)
    if taken is not None and taken.position is not None and is_partial(project, opening.call):
        taken = taken._replace(position=taken.position + 1)
    given = None if taken is None else argument(opening.call.expr, *taken)
    if given is None or is_none(given):
        return True
    ref = opening.call._replace(expr=given)
    if any(isinstance(one.expr, Attribute) and one.expr.attr == "target" for one in origins(project, ref)):
        return False
    return True if evaluate(project, ref).every(lambda value: value in ("", None, "local")) else None
