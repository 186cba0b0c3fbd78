"""Where a program puts a function of its own in the place of a session's ``run``: what it counts or keeps is
different where something else is run, too."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise

from npu_migrate.index.facts import Attribute, Call, Constant, Expr, last_name
from npu_migrate.knowledge import tensorflow as tf
from npu_migrate.places import Place
from npu_migrate.project.once import once
from npu_migrate.project.project import Project
from npu_migrate.project.ref import Ref, ref_of_call
from npu_migrate.semantics.contexts import ends, traced
from npu_migrate.semantics.inheritance import methods_named
from npu_migrate.semantics.resolution import definitions, external_names, scope_of
from npu_migrate.training.pipelines.sessions import session_kind

_RUN = "run"
_READING = frozenset({"getattr", "hasattr", "delattr", "attrgetter"})
"""Calls that get something and the name of its attribute, and leave the attribute as it is."""
_REPLACING = ("patch", "wrap", "setattr")
"""Words in the names of what takes the full name of a function that it replaces."""
_LIBRARY = "tensorflow"


@once
def replaced_runs(project: Project, key: str) -> tuple[Place, ...]:
    """Where the programs of a file replace the ``run`` of sessions, or the class that has it, in order of
    file and place."""
    near = project.neighbours(key)
    found = {*_by_assignment(project, near), *_by_call(project, near), *_by_class(project, near)}
    return tuple(sorted(found, key=lambda one: (one.path, one.span)))


def _by_assignment(project: Project, near: frozenset[str]) -> Iterator[Place]:
    """``tf.Session.run = counted``, ``session.run = counted``."""
    for key in project.files_mentioning(_RUN):
        for site in project.attributes(key, _RUN) if key in near else ():
            if site.stored and isinstance(site.expr, Attribute):
                owner = Ref(key, site.scope, site.statement, site.expr.value)
                if _is_of_sessions(project, owner):
                    yield owner._replace(expr=site.expr).place


def _by_call(project: Project, near: frozenset[str]) -> Iterator[Place]:
    """``setattr(tf.Session, "run", counted)``, ``mock.patch.object(tf.Session, "run")``,
    ``mock.patch("tensorflow.Session.run")``."""
    for key in project.files_mentioning(_RUN):
        facts = project.facts(key)
        for site in facts.calls if facts is not None and key in near else ():
            name = last_name(site.call.func) or ""
            if name in _READING:
                continue
            ref = ref_of_call(key, site)
            if _names_run(project, ref) or (
                _means_replacing(site.call.func) and any(map(_is_full_name, site.call.args))
            ):
                yield ref.place


def _names_run(project: Project, ref: Ref) -> bool:
    """Whether a call gets a session, or a class of them, and then the name ``run``."""
    assert isinstance(ref.expr, Call)
    given = (*ref.expr.args, *(one.value for one in ref.expr.keywords if one.name in ("target", "attribute")))
    return any(
        isinstance(name, Constant) and name.value == _RUN and _is_of_sessions(project, ref._replace(expr=one))
        for one, name in pairwise(given)
    )


def _means_replacing(func: Expr) -> bool:
    name = last_name(func) or ""
    return any(word in name for word in _REPLACING)


def _is_full_name(expr: Expr) -> bool:
    """Whether a text is the full name of a session's run, or what it is in TensorFlow."""
    text = expr.value if isinstance(expr, Constant) else None
    return isinstance(text, str) and text.endswith(f"Session.{_RUN}")


def _by_class(project: Project, near: frozenset[str]) -> Iterator[Place]:
    """``tf.Session = Counting``, of a class with a ``run`` of its own."""
    for name in sorted(tf.RAW_SESSIONS):
        word = name.rpartition(".")[2]
        for key in project.files_mentioning(word):
            for site in project.attributes(key, word) if key in near else ():
                ref = project.ref_of(key, site)
                if site.stored and name in external_names(project, key, site.scope, site.expr):
                    values = project.statement(ref).values
                    if any(_runs_in_its_own_way(project, ref._replace(expr=one)) for one in values):
                        yield ref.place


def _runs_in_its_own_way(project: Project, ref: Ref) -> bool:
    return any(
        scope_of(project, one).kind == "class" and methods_named(project, one, _RUN)
        for one in definitions(project, ref.key, ref.scope, ref.expr)
    )


def _is_of_sessions(project: Project, ref: Ref) -> bool:
    """Whether something is a session, or one of TensorFlow's classes of them."""
    return _is_class_of_sessions(project, ref) or any(
        session_kind(project, end.ref) is not None
        if isinstance(end.ref.expr, Call)
        else _is_class_of_sessions(project, end.ref)
        for end in ends(project, traced(ref))
    )


def _is_class_of_sessions(project: Project, ref: Ref) -> bool:
    names = external_names(project, ref.key, ref.scope, ref.expr)
    return any(name.startswith(f"{_LIBRARY}.") and name.endswith("Session") for name in names)
