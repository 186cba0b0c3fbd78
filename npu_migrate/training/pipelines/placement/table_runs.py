"""What initializes all registered tables in a session."""

from __future__ import annotations

from npu_migrate.index.facts import Attribute, Call
from npu_migrate.index.names import spelled
from npu_migrate.project.project import Project
from npu_migrate.project.ref import Ref
from npu_migrate.training.pipelines.placement.spelling import tensorflow_spelling
from npu_migrate.training.pipelines.sessions import Session, graph_argument, sessions_of


def tables_in(project: Project, session: Session, text: str, spelling: str) -> str:
    """What runs all registered initializers in a session that is read as `text`.

    Read from the session's graph where that is not the default, or takes no more ops.
    """
    if _may_be_finalized(project, session) or (
        graph_argument(project, session) is not None and not session.entered
    ):
        return collection_of(text, spelling)
    return f"{spelling}.tables_initializer()"


def _may_be_finalized(project: Project, session: Session) -> bool:
    """Whether a program of a session finalizes a graph, in whichever function."""
    near = project.neighbours(session.key)
    return any(key in near for key, _ in project.calls_named("finalize"))


def collection_of(text: str, spelling: str) -> str:
    """The registered initializers themselves: reading them makes no new op."""
    return f"{text}.graph.get_collection({spelling}.GraphKeys.TABLE_INITIALIZERS)"


def all_tables(project: Project, run: Ref) -> str | None:
    """What fetches all registered initializers beside the run at `run`; None if the file cannot say it."""
    facts = project.facts(run.key)
    assert facts is not None and isinstance(run.expr, Call)
    spelling = tensorflow_spelling(project, facts, run.scope)
    if spelling is None:
        return None
    func = run.expr.func
    text = spelled(func.value) if isinstance(func, Attribute) else None
    for session in sessions_of(project, run.key, facts.statements[run.statement].scope):
        if session.text is not None and session.text == text:
            return tables_in(project, session, session.text, spelling)
    return f"{spelling}.tables_initializer()"
