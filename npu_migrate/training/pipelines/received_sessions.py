"""Sessions that code gets from helpers and objects: ``sess = open_session()``, ``runner.sess``.

Where a pipeline is built while such a session is open, this is what reads it.
"""

from __future__ import annotations

from collections.abc import Iterator

from npu_migrate.index.facts import (
    NOTHING,
    Attribute,
    Call,
    Expr,
    FileFacts,
    Name,
    Statement,
    Subscript,
    last_name,
    walk,
)
from npu_migrate.index.names import code_scope, lookup, spelled
from npu_migrate.knowledge import tensorflow as tf
from npu_migrate.places import Place
from npu_migrate.project.once import once
from npu_migrate.project.project import Project
from npu_migrate.project.ref import Ref
from npu_migrate.semantics.contexts import ends, instances, traced
from npu_migrate.semantics.inheritance import methods_named
from npu_migrate.semantics.resolution import External, all_bases, definitions, receiver_class, scope_of
from npu_migrate.training.pipelines.sessions import Session, session_kind

_QUIET = frozenset(
    {"run", "super", "isinstance", "len", "list", "tuple", "dict", "get", "items", "keys", "values"}
)
"""Calls in a `run` that change nothing but by the run of the session inside."""


@once
def received_sessions(project: Project, key: str, scope: int) -> tuple[Session, ...]:
    """The raw sessions that the code of a function or module has from somewhere, or opens, as it reads them.

    Objects that run one for others count, if they do no more than that. In the order in which they come up.
    """
    facts = project.facts(key)
    if facts is None:
        return ()
    found = {session.text: session for session in reversed(list(_received(project, facts, scope)))}
    return tuple(reversed(found.values()))


@once
def session_getters(project: Project, key: str, scope: int) -> tuple[str, ...]:
    """The calls without arguments, such as ``get_session()``, by which code of a file gets to a raw session,
    and which code of the scope can make as well."""
    facts = project.facts(key)
    if facts is None:
        return ()
    found: dict[str, None] = {}
    for site in facts.calls:
        getter = site.call.func.value if isinstance(site.call.func, Attribute) else None
        if last_name(site.call.func) != "run" or not isinstance(getter, Call):
            continue
        text = spelled(getter.func)
        if text is None or getter.args or getter.keywords or not _is_known_in(facts, text, site.scope, scope):
            continue
        if _made(project, Ref(key, site.scope, site.statement, getter)) is not None:
            found[f"{text}()"] = None
    return tuple(found)


def _is_known_in(facts: FileFacts, text: str, there: int, here: int) -> bool:
    """Whether a name of the module, or an attribute of the same object, means the same at two places."""
    root = text.partition(".")[0]
    bound = [lookup(facts, scope, root) for scope in (there, here)]
    if all(one is not None and one.scope == 0 for one in bound):
        return True
    owners = {receiver_class(facts, scope, root) for scope in (there, here)}
    return len(owners) == 1 and NOTHING not in owners


def _received(project: Project, facts: FileFacts, scope: int) -> Iterator[Session]:
    for site in facts.calls:
        if code_scope(facts, site.scope) != scope:
            continue
        for expr in _candidates(site.call):
            text, opened = spelled(expr), _bound(facts, site.scope, expr)
            ref = Ref(facts.key, site.scope, site.statement, expr)
            if text is None or opened is None:
                continue
            made = _made(project, ref)
            if made is not None:
                yield Session("raw", made, facts.key, scope, opened, text, False)


def _candidates(call: Call) -> Iterator[Expr]:
    """What a call runs, or hands on."""
    if isinstance(call.func, Attribute) and call.func.attr == "run":
        yield call.func.value
    yield from (one for one in call.args if isinstance(one, (Name, Attribute)))
    for keyword in call.keywords:
        if isinstance(keyword.value, (Name, Attribute)):
            yield keyword.value


def _bound(facts: FileFacts, scope: int, expr: Expr) -> int | None:
    """The statement that binds the variable which the expression begins with; `NOTHING` for a parameter."""
    roots = [part for part in walk(expr) if isinstance(part, Name)]
    found = lookup(facts, scope, roots[0].id) if len(roots) == 1 else None
    if found is None or not found.bindings:
        return None
    first = found.bindings[0].statement
    inside = first != NOTHING and code_scope(facts, facts.statements[first].scope) == code_scope(facts, scope)
    return first if inside and found.bindings[0].kind in ("assign", "with") else NOTHING


def _made(project: Project, ref: Ref) -> Ref | None:
    """Where the raw session is made that the expression is, or that such an object runs; None for others."""
    found = [end.ref for end in ends(project, traced(ref))]
    made = [one for one in found if isinstance(one.expr, Call)]
    if made and all(session_kind(project, one) == "raw" or _is_own_session(project, one) for one in made):
        return made[0]
    runs = any(methods_named(project, owner, "run") for _, owner in instances(project, traced(ref)))
    return ref if runs and not any(run_of_its_own(project, ref)) else None


def run_of_its_own(project: Project, value: Ref) -> Iterator[Place]:
    """The `run` methods of the objects of the program's own classes that a value may be, as far as they do
    more than run a session: what they count or keep is different where something else is run, too."""
    for _, owner in instances(project, traced(value)):
        for method in methods_named(project, owner, "run"):
            facts = project.facts(method.key)
            assert facts is not None
            scope = facts.scopes[method.scope]
            inside = [one for one in facts.statements if one.scope == method.scope]
            keeps = bool(scope.outer_names) or any(map(_keeps_something, inside))
            if keeps or not all(map(_is_quiet, _calls_in(facts, method.scope))):
                yield Place(method.key, scope.span)


def _keeps_something(statement: Statement) -> bool:
    """Whether a statement changes more than a variable of its function."""
    targets = [part for one in statement.targets if one is not None for part in walk(one)]
    return any(isinstance(one, (Attribute, Subscript)) for one in targets)


def _calls_in(facts: FileFacts, scope: int) -> Iterator[Call]:
    return (site.call for site in facts.calls if code_scope(facts, site.scope) == scope)


def _is_quiet(call: Call) -> bool:
    return (last_name(call.func) or "") in _QUIET


def _is_own_session(project: Project, call: Ref) -> bool:
    """Whether a call makes an object of a class of the program that derives from a raw session."""
    assert isinstance(call.expr, Call)
    return any(
        isinstance(base, External) and base.name in tf.RAW_SESSIONS
        for found in definitions(project, call.key, call.scope, call.expr.func)
        if scope_of(project, found).kind == "class"
        for base in all_bases(project, found)
    )
