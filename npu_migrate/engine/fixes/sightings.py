"""Owners of pipelines that nobody has found by reading, but that an abstract run has seen.

Which function a value holds, and which session an object opens on demand, is hard to tell from the text. A
run of the program knows it: it has the iterator, the session that takes its elements, and what was going on
when either of them was made. A plan for these owners is only a proposal. The judge has to verify it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import NamedTuple

from npu_migrate.abstract_run.judging import Originals, paths_of
from npu_migrate.abstract_run.log import DEFAULT, Kept, Level, Made, Opened, Path
from npu_migrate.index.facts import NOTHING, Call, last_name
from npu_migrate.index.names import code_scope
from npu_migrate.project.project import Project
from npu_migrate.project.ref import Ref
from npu_migrate.training.pipelines.owners import FindOwners, Owner, Owners, owners_of
from npu_migrate.training.pipelines.placement.code import code_of
from npu_migrate.training.pipelines.placement.spelling import tensorflow_spelling
from npu_migrate.training.pipelines.sessions import Session, all_sessions, session_kind


class Built(NamedTuple):
    """The statement that makes an iterator."""

    key: str
    statement: int


Seen = Mapping[Built, tuple[Owners, ...]]
"""The owners of iterators, as they may be looked at: in the order in which they should be tried."""


def seen_owners(originals: Originals, entries: Iterable[str]) -> Seen:
    """The owners of all iterators of some programs; none of a program that cannot be followed to its end."""
    spots: dict[Built, dict[Owner, None]] = {}
    views: dict[Built, dict[Owner, None]] = {}
    project = originals.project
    for entry in entries:
        paths = paths_of(originals, entry)
        for path in paths or ():
            for built, on_the_spot, at_session in _of_path(project, path):
                spots.setdefault(built, {}).update(dict.fromkeys(on_the_spot))
                views.setdefault(built, {}).update(dict.fromkeys(at_session))
    return {
        built: tuple(
            Owners(tuple(found), complete=True, seen=True)
            for found in dict.fromkeys((tuple(spots[built]), tuple(views[built])))
            if found
        )
        for built in spots
    }


def finding_owners(seen: Seen, attempt: int) -> FindOwners:
    """Who gives the owners that were seen, in the way that is tried at the `attempt`, counted from 0; what
    was not seen is found as always."""

    def find(project: Project, key: str, scope: int, statement: int) -> Owners:
        ways = seen.get(Built(key, statement), ())
        return ways[attempt] if attempt < len(ways) else owners_of(project, key, scope, statement)

    return find


def _of_path(project: Project, path: Path) -> Iterator[tuple[Built, list[Owner], list[Owner]]]:
    """For each iterator that a session has taken elements of: the owners where they can read it at once, and
    those where the session itself is told to."""
    seen = path.log.seen
    for number, made in seen.iterators.items():
        takers = sorted(session for iterator, session in seen.takes if iterator == number)
        on_the_spot: list[Owner] = []
        at_session: list[Owner] = []
        for session in takers:
            opened = seen.sessions[session]
            there = list(_at_session(project, made, opened))
            there = there or list(_where_kept(project, made, opened, seen.kept.get(session)))
            here = list(_on_the_spot(project, made, dict(made.readable).get(session)))
            on_the_spot.extend(here or there)
            at_session.extend(there or here)
        if takers:
            built = Built(made.stack[-1].key, made.stack[-1].statement)
            yield built, on_the_spot, at_session


def _on_the_spot(project: Project, made: Made, reads: str | None) -> Iterator[Owner]:
    inner = made.stack[-1]
    facts = project.facts(inner.key)
    assert facts is not None
    scope = code_scope(facts, inner.scope)
    if reads == DEFAULT:
        spelling = tensorflow_spelling(project, facts, scope)
        reads = f"{spelling}.get_default_session()" if spelling else None
    if reads is not None:
        yield Owner("parameter", inner.key, scope, inner.statement, None, reads)


def _at_session(project: Project, made: Made, opened: Opened) -> Iterator[Owner]:
    frames = {level.frame: level for level in made.stack}
    levels = {(level.key, level.scope, level.statement): level for level in opened.stack}
    # A session that one statement gives two names is told once.
    views = {
        (one.key, one.scope, one.opened): one
        for one in _created_at(project, opened.stack[-1])
        if (one.key, one.scope, one.opened) in levels
    }
    for view in views.values():
        level = levels[view.key, view.scope, view.opened]
        barrier = frames[level.frame].statement if level.frame in frames else NOTHING
        yield Owner("session", view.key, view.scope, barrier, view)
    if not opened.managed and not views:
        last = opened.stack[-1]
        barrier = frames[last.frame].statement if last.frame in frames else NOTHING
        for created in _unnamed_at(project, last):
            session = Session("raw", created, last.key, last.scope, last.statement, None, entered=False)
            yield Owner("unnamed", last.key, last.scope, barrier, session)
    if opened.managed and not views:
        inner = made.stack[-1]
        yield Owner("input-fn", inner.key, inner.scope, NOTHING)


def _where_kept(project: Project, made: Made, opened: Opened, kept: Kept | None) -> Iterator[Owner]:
    """Where the first variable or attribute gets a session that is handed on before it has a name."""
    created = _opening_call(project, opened.stack[-1])
    text = code_of(kept.target) if kept is not None else None
    if kept is None or text is None or opened.managed or created is None:
        return
    home, level = {level.frame: level for level in made.stack}, kept.stack[-1]
    facts = project.facts(level.key)
    assert facts is not None
    barrier = home[level.frame].statement if level.frame in home else NOTHING
    scope = code_scope(facts, level.scope)
    session = Session("raw", created, level.key, scope, level.statement, text, entered=False)
    yield Owner("session", level.key, scope, barrier, session)


def _opening_call(project: Project, level: Level) -> Ref | None:
    """The call of a statement that opens a session, as far as that can be told."""
    refs = [project.ref_of(level.key, site) for site in project.sites(level.key, level.statement).values()]
    calls = [ref for ref in refs if isinstance(ref.expr, Call)]
    known = [ref for ref in calls if session_kind(project, ref) == "raw"] or calls
    return known[0] if len(known) == 1 else None


def _unnamed_at(project: Project, level: Level) -> Iterator[Ref]:
    """The calls of a statement that open a session and run it at once: ``tf.Session().run(x)``."""
    for site in project.sites(level.key, level.statement).values():
        ref = project.ref_of(level.key, site)
        outer = project.parent_ref(ref)
        if not isinstance(ref.expr, Call):
            continue
        if session_kind(project, ref) == "raw" and outer is not None and last_name(outer.expr) == "run":
            yield ref


def _created_at(project: Project, level: Level) -> Iterator[Session]:
    for session in all_sessions(project):
        if (session.created.key, session.created.statement) == (level.key, level.statement):
            yield session
