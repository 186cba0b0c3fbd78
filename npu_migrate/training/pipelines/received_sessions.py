"""Sessions that code gets from helpers and objects: ``sess = open_session()``, ``runner.sess``.

Where a pipeline is built while such a session is open, this is what reads it.
"""

from __future__ import annotations

from collections.abc import Iterator

from npu_migrate.index.facts import Attribute, Call, Constant, Expr, FileFacts, Name, walk
from npu_migrate.index.names import code_scope, lookup, spelled
from npu_migrate.project.once import once
from npu_migrate.project.project import Project
from npu_migrate.project.ref import Ref
from npu_migrate.semantics.contexts import ends, traced
from npu_migrate.training.pipelines.sessions import session_kind

_OWN_NAMES = ("self", "cls")


@once
def received_sessions(project: Project, key: str, scope: int) -> tuple[str, ...]:
    """What reads the raw sessions that the code of a function or module has from somewhere, or opens.

    Names and attributes, in the order in which they come up.
    """
    facts = project.facts(key)
    if facts is None:
        return ()
    return tuple(dict.fromkeys(_received(project, facts, scope)))


def _received(project: Project, facts: FileFacts, scope: int) -> Iterator[str]:
    for site in facts.calls:
        if code_scope(facts, site.scope) != scope:
            continue
        for expr in _candidates(site.call):
            text = spelled(expr)
            ref = Ref(facts.key, site.scope, site.statement, expr)
            if text is not None and _is_readable(facts, site.scope, expr) and _is_raw_session(project, ref):
                yield text


def _candidates(call: Call) -> Iterator[Expr]:
    """What a call runs, or hands on."""
    if isinstance(call.func, Attribute) and call.func.attr == "run":
        yield call.func.value
    yield from (one for one in call.args if isinstance(one, (Name, Attribute)))
    for keyword in call.keywords:
        if isinstance(keyword.value, (Name, Attribute)):
            yield keyword.value


def _is_readable(facts: FileFacts, scope: int, expr: Expr) -> bool:
    """Whether the expression begins with a variable, and reads only attributes of it."""
    roots = [part for part in walk(expr) if isinstance(part, Name)]
    return len(roots) == 1 and lookup(facts, scope, roots[0].id) is not None


def _is_raw_session(project: Project, ref: Ref) -> bool:
    found = ends(project, traced(ref))
    made = [
        end.ref for end in found if not (isinstance(end.ref.expr, Constant) and end.ref.expr.value is None)
    ]
    known = [one for one in made if isinstance(one.expr, Call)]
    return bool(known) and all(session_kind(project, one) == "raw" for one in known)
