"""Programs whose sessions are opened, or brought up, where they cannot be followed.

A class of their own may bring up monitored sessions and leave initializers out. A text that is executed as
code may open a session.
"""

from __future__ import annotations

from npu_migrate.index.facts import Constant, Name, last_name, walk
from npu_migrate.project.once import once
from npu_migrate.project.project import Project
from npu_migrate.project.ref import Ref
from npu_migrate.semantics.flow import origins
from npu_migrate.semantics.inheritance import derived_classes

_CREATOR = "SessionCreator"
_EXECUTORS = ("exec", "eval", "compile")
_RUNS = ("Session", ".run(", ".eval(")


@once
def programs_bringing_up_sessions(project: Project) -> frozenset[str]:
    """The entries of programs with a class that derives from a ``SessionCreator`` [TF]."""
    found: set[str] = set()
    for owner in derived_classes(project):
        facts = project.facts(owner.key)
        assert facts is not None
        if any((last_name(base) or "").endswith(_CREATOR) for base in facts.scopes[owner.scope].bases):
            found.update(project.programs_of(owner.key))
    return frozenset(found)


@once
def programs_executing_runs(project: Project) -> frozenset[str]:
    """The entries of programs that execute a text in which a session is opened or runs something.

    A text that is read from elsewhere counts as one that runs nothing: it holds settings.
    """
    return frozenset(
        program
        for name in _EXECUTORS
        for key, site in project.calls_named(name)
        if isinstance(site.call.func, Name) and site.call.args
        if _runs_something(project, Ref(key, site.scope, site.statement, site.call.args[0]))
        for program in project.programs_of(key)
    )


def _runs_something(project: Project, text: Ref) -> bool:
    return any(
        isinstance(part, Constant) and isinstance(part.value, str) and any(one in part.value for one in _RUNS)
        for origin in (text, *origins(project, text))
        for part in walk(origin.expr)
    )
