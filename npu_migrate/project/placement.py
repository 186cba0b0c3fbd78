"""Where the initializer of an iterator has to run, as intents: the placement table of NPU101 and NPU102.

Two ways: directly (``sess.run(iterator.initializer)`` where both can be read), or through the collection
``TABLE_INITIALIZERS``, which managed sessions run by themselves and a raw session runs with
``sess.run(tf.tables_initializer())`` [TF].
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from npu_migrate.findings import Applicability, Place
from npu_migrate.index.facts import (
    NOTHING,
    Attribute,
    Call,
    Expr,
    FileFacts,
    Lambda,
    Name,
    Statement,
    last_name,
)
from npu_migrate.index.names import enclosing_class, lookup, names_in_use
from npu_migrate.knowledge.tensorflow import ONLY_IN_V1
from npu_migrate.project.input_functions import input_employment, runs_in_dataset
from npu_migrate.project.iterators import Creation, Holder, holder, spelled
from npu_migrate.project.local_init import missing_tables
from npu_migrate.project.order import (
    certainly_before,
    insertion_point,
    is_inside,
    runs_unconditionally,
    tables_run_after,
)
from npu_migrate.project.owners import Owner, Owners, owners_of
from npu_migrate.project.project import Project, Ref
from npu_migrate.project.resolution import (
    Definition,
    External,
    Module,
    attribute_symbols,
    receiver_class,
)
from npu_migrate.project.sessions import Session, graph_argument
from npu_migrate.rewrite.intents import (
    AddImport,
    BindExpression,
    InsertStatement,
    Intent,
    KeepInner,
    Side,
    WrapExpression,
)


class Plan(NamedTuple):
    """What has to change so that an iterator's initializer runs.

    `obstacle` names why there is no edit (``comprehension``, ``lambda``, ``conditional``, ``dataset``,
    ``statement``, ``module``); it is empty when `intents` do the whole job. `returns_dataset` tells that
    the dataset itself is returned and no iterator is left.
    """

    intents: tuple[Intent, ...]
    applicability: Applicability
    obstacle: str = ""
    returns_dataset: bool = False


def _manual(obstacle: str) -> Plan:
    return Plan((), Applicability.UNSAFE, obstacle)


class Spot(NamedTuple):
    """An iterator about to be initialized: its name, and the statement after which it is there.

    `rank` orders the initializations that meet at one place: that of the creation's line.
    """

    project: Project
    facts: FileFacts
    creation: Creation
    scope: int
    statement: Statement
    name: Holder | None
    fresh: str
    rank: int


def plan_initialization(
    project: Project, creation: Creation, partners: Sequence[Creation], fresh: str
) -> Plan:
    """Plans the initialization of one iterator.

    `partners` are creations that bind the same name in the other branches of one ``if`` or ``try``;
    `fresh` is the name to use if the iterator has none.
    """
    ref = creation.ref
    facts = project.facts(ref.key)
    assert facts is not None
    if runs_in_dataset(project, ref.key, ref.scope):
        return _manual("dataset")
    scope = code_scope(facts, ref.scope)
    dataset = _returned_dataset(project, creation, scope)
    if dataset is not None:
        return dataset
    name = holder(project, ref)
    if name is None:
        obstacle = unbindable(project, ref)
        if obstacle:
            return _manual(obstacle)
    if name is not None and _used_in_dataset(project, ref, name):
        return _manual("dataset")
    statement = facts.statements[effective_statement(facts, creation, partners)]
    rank = min(item.ref.expr.span[0] for item in (creation, *partners))
    spot = Spot(project, facts, creation, scope, statement, name, fresh, rank)
    owners = owners_of(project, ref.key, scope, statement.id)
    direct = _direct_plan(spot, owners)
    return direct if direct is not None else _collection_plan(spot, owners)


def code_scope(facts: FileFacts, scope: int) -> int:
    """The function, lambda or module scope around (or at) a scope."""
    current = facts.scopes[scope]
    while current.kind not in ("function", "lambda", "module"):
        current = facts.scopes[current.parent]
    return current.id


def effective_statement(facts: FileFacts, creation: Creation, partners: Sequence[Creation]) -> int:
    """The statement after which the iterator's name is bound, whichever of the branches ran."""
    if not partners:
        return creation.ref.statement
    chains = []
    for item in (creation, *partners):
        chain = [item.ref.statement]
        while facts.statements[chain[-1]].parent != NOTHING:
            chain.append(facts.statements[chain[-1]].parent)
        chains.append(chain)
    return next(number for number in chains[0] if all(number in chain for chain in chains[1:]))


def partners_of(project: Project, creation: Creation, others: Iterable[Creation]) -> tuple[Creation, ...]:
    """The creations that have to change together with this one.

    Those that bind the same name in every other branch of the ``if`` or ``try`` around it, and those in the
    same list.
    """
    facts = project.facts(creation.ref.key)
    assert facts is not None
    name = holder(project, creation.ref)
    statement = facts.statements[creation.ref.statement]
    if name is not None and name.target is not None and len(statement.values) == 1:
        together = tuple(
            other
            for other in others
            if other is not creation
            and other.ref.statement == statement.id
            and _same_holder(project, other, name)
        )
        if together:
            return together
    if name is None or statement.parent == NOTHING:
        return ()
    outer = facts.statements[statement.parent]
    if outer.kind not in ("If", "Try"):
        return ()
    blocks = {s.block for s in facts.statements if s.parent == outer.id} - {"finalbody"}
    if outer.kind == "If" and len(blocks) < 2:
        return ()
    if outer.kind == "Try":
        blocks -= {"orelse"}
    found: dict[str, Creation] = {}
    for other in others:
        place = facts.statements[other.ref.statement]
        same = holder(project, other.ref)
        if place.parent == outer.id and same is not None and same.text == name.text:
            found[place.block] = other
    if set(found) | {statement.block} != blocks or len(blocks) < 2:
        return ()
    return tuple(other for block, other in sorted(found.items()) if block != statement.block)


def _same_holder(project: Project, other: Creation, name: Holder) -> bool:
    same = holder(project, other.ref)
    return same is not None and same.text == name.text


# -- input functions -----------------------------------------------------------------------------------


def _returned_dataset(project: Project, creation: Creation, scope: int) -> Plan | None:
    """``return ds.make_…().get_next()`` of an input function: the dataset itself may be returned."""
    ref = creation.ref
    facts = project.facts(ref.key)
    assert facts is not None
    attribute = project.parent_ref(ref)
    if attribute is None or creation.dataset is None or last_name(attribute.expr) != "get_next":
        return None
    call = project.parent_ref(attribute)
    if (
        call is None
        or not isinstance(call.expr, Call)
        or call.expr.func is not attribute.expr
        or call.expr.args
    ):
        return None
    outer = project.parent_ref(call)
    statement = facts.statements[ref.statement]
    returned = (outer is None and statement.kind == "Return") or (
        outer is not None and isinstance(outer.expr, Lambda) and outer.expr.body is call.expr
    )
    if not returned or input_employment(project, Definition(ref.key, scope)) != "only":
        return None
    keep = KeepInner(call.place, Place(ref.key, creation.dataset.span))
    return Plan((keep,), Applicability.SAFE, returns_dataset=True)


# -- names ---------------------------------------------------------------------------------------------


def fresh_names(facts: FileFacts, count: int) -> tuple[str, ...]:
    """`count` names for iterators that no scope of the file binds: ``iterator``, ``iterator_1``, …."""
    taken = names_in_use(facts)
    names: list[str] = []
    number = 0
    while len(names) < count:
        name = f"iterator_{number}" if number else "iterator"
        if name not in taken:
            names.append(name)
        number += 1
    return tuple(names)


def unbindable(project: Project, ref: Ref) -> str:
    """Why the expression cannot get a name on a statement before its own; empty if it can."""
    facts = project.facts(ref.key)
    assert facts is not None
    kind = facts.scopes[ref.scope].kind
    if kind in ("comprehension", "lambda"):
        return kind
    if kind == "class":
        return "statement"
    current: Ref | None = ref
    while current is not None:
        outer = project.parent_ref(current)
        if outer is not None:
            operator = getattr(outer.expr, "operator", "")
            first = getattr(outer.expr, "operands", (None,))[0]
            if type(outer.expr).__name__ == "Conditional" and current.expr is not outer.expr.test:  # type: ignore[union-attr]
                return "conditional"
            if operator in ("And", "Or") and first is not current.expr:
                return "conditional"
        current = outer
    statement = facts.statements[ref.statement]
    if statement.kind in ("While", "FunctionDef", "ClassDef"):
        return "statement"
    return ""


# -- direct --------------------------------------------------------------------------------------------


def _direct_plan(spot: Spot, owners: Owners) -> Plan | None:
    """``sess.run(iterator.initializer)`` for every owner; None if one of them cannot read the iterator."""
    intents: list[Intent] = []
    here: list[str] = []
    if not owners.complete:
        return None
    for owner in owners.found:
        if owner.kind == "parameter" and owner.scope == spot.scope and owner.key == spot.facts.key:
            here.append(_run(spot, owner.text or ""))
            continue
        session = owner.session
        if session is None or session.kind == "managed":
            return None
        if session.kind == "evaluate":
            if session.scope != spot.scope or session.key != spot.facts.key:
                return None
            here.append(_run_in(spot, session))
            continue
        step = _direct_step(spot, owner, session)
        if step is None:
            return None
        if isinstance(step, str):
            here.append(step)
        else:
            intents.append(step)
    return Plan((*_after_creation(spot, tuple(dict.fromkeys(here))), *intents), Applicability.SAFE)


def _direct_step(spot: Spot, owner: Owner, session: Session) -> InsertStatement | str | None:
    """One owner's step: a statement elsewhere, or the code to run right after the creation."""
    facts = spot.facts
    if session.key != facts.key:
        return None
    if session.scope == spot.scope:
        if _is_open(facts, session, spot.statement.id):
            return _in_open_session(spot, session)
        if not certainly_before(facts, spot.statement.id, session.opened) or _rebound(spot):
            return None
        return _statement_at(spot, session, spot.statement.id)
    if not runs_unconditionally(facts, spot.statement.id) or spot.name is None or _rebound(spot):
        return None
    if spot.scope == 0 and isinstance(spot.name.target, Name):
        found = lookup(facts, session.scope, spot.name.target.id)
        return _statement_at(spot, session, NOTHING) if found is not None and found.scope == 0 else None
    return _direct_in_class(spot, owner, session)


def _in_open_session(spot: Spot, session: Session) -> InsertStatement | str | None:
    """The session is open when the iterator is made: right behind it, or behind the variables' initializers
    that follow."""
    point = insertion_point(spot.project, spot.facts, session, spot.statement.id)
    if point is None or point == (spot.statement.id, "after"):
        return _run_in(spot, session)
    return _statement_at(spot, session, spot.statement.id)


def _direct_in_class(spot: Spot, owner: Owner, session: Session) -> InsertStatement | str | None:
    """Iterator and session both belong to one object: ``self.sess.run(self.iterator.initializer)``."""
    facts = spot.facts
    target = spot.name.target if spot.name is not None else None
    if not isinstance(target, Attribute) or not isinstance(target.value, Name):
        return None
    same_class = enclosing_class(facts, spot.scope)
    if same_class == NOTHING or enclosing_class(facts, session.scope) != same_class:
        return None
    if receiver_class(facts, session.scope, target.value.id) != same_class:
        return None
    on_self = session.text is not None and session.text.startswith(f"{target.value.id}.")
    method = facts.scopes[session.scope].name
    if owner.barrier == NOTHING and on_self and method == "__init__":
        return _run(spot, session.text or "")
    if owner.barrier != NOTHING and _is_open(facts, session, owner.barrier):
        return _run(spot, session.text or "") if on_self else _statement_at(spot, session, owner.barrier)
    return _statement_at(spot, session, owner.barrier)


def _is_open(facts: FileFacts, session: Session, statement: int) -> bool:
    opened = facts.statements[session.opened]
    if opened.kind == "With":
        return is_inside(facts, statement, opened.id)
    return certainly_before(facts, opened.id, statement)


def _rebound(spot: Spot) -> bool:
    """Whether the iterator's name is bound to something else as well."""
    if spot.name is None:
        return False
    if isinstance(spot.name.target, Name):
        found = lookup(spot.facts, spot.creation.ref.scope, spot.name.target.id)
        bindings = found.bindings if found is not None else ()
        return any(
            binding.statement != spot.statement.id
            and not is_inside(spot.facts, binding.statement, spot.statement.id)
            for binding in bindings
        )
    attribute = last_name(spot.name.target) or ""
    stores = [
        site
        for site in spot.project.syntax(spot.facts.key).attributes.get(attribute, ())
        if site.stored and spelled(site.expr) == spot.name.text
    ]
    outside = [
        site
        for site in stores
        if site.statement != spot.statement.id
        and not is_inside(spot.facts, site.statement, spot.statement.id)
        and not _stores_none(spot.facts.statements[site.statement])
    ]
    return bool(outside)


def _stores_none(statement: Statement) -> bool:
    return len(statement.values) == 1 and getattr(statement.values[0], "value", 0) is None


def _statement_at(spot: Spot, session: Session, barrier: int) -> InsertStatement | None:
    point = insertion_point(spot.project, spot.facts, session, barrier)
    if point is None:
        return None
    return _insert(spot.facts, point, _run_in(spot, session), spot.rank)


def _insert(facts: FileFacts, point: tuple[int, str], code: str, rank: int) -> InsertStatement:
    return InsertStatement(Place(facts.key, facts.statements[point[0]].span), Side(point[1]), code, rank)


def _run(spot: Spot, session: str) -> str:
    return f"{session}.run({_initializer(spot)})"


def _run_in(spot: Spot, session: Session) -> str:
    """The statement that runs the initializer in a session, named or not."""
    if session.text is not None:
        return _run(spot, session.text)
    if session.of_test:
        return f"self.evaluate({_initializer(spot)})"
    return _run(spot, _default_session(spot))


def _initializer(spot: Spot) -> str:
    if spot.name is not None and spot.name.each:
        return f"[{spot.fresh}.initializer for {spot.fresh} in {spot.name.text}]"
    return f"{_text(spot)}.initializer"


def _text(spot: Spot) -> str:
    return spot.name.text if spot.name is not None else spot.fresh


def _default_session(spot: Spot) -> str:
    spelling = tensorflow_spelling(spot.project, spot.facts, spot.creation.ref.scope)
    return f"{spelling or 'tf'}.get_default_session()"


def _after_creation(spot: Spot, lines: tuple[str, ...]) -> tuple[Intent, ...]:
    """The iterator's name if it needs one, and the given statements right behind its creation."""
    facts = spot.facts
    if spot.name is None:
        return (BindExpression(spot.creation.ref.place, spot.fresh, lines),)
    return tuple(_insert(facts, (spot.statement.id, "after"), line, spot.rank) for line in lines)


# -- through the collection ----------------------------------------------------------------------------


def _collection_plan(spot: Spot, owners: Owners) -> Plan:
    spelling = tensorflow_spelling(spot.project, spot.facts, spot.creation.ref.scope)
    intents: list[Intent] = []
    if spelling is None:
        spelling = "tf"
        if "tf" in names_in_use(spot.facts):
            return _manual("module")
        intents.append(AddImport(spot.facts.key, "import tensorflow as tf"))
    key = f"{spelling}.GraphKeys.TABLE_INITIALIZERS"
    if spot.name is not None and spot.name.each:
        line = (
            f"for {spot.fresh} in {spot.name.text}:\n"
            f"    {spelling}.add_to_collection({key}, {spot.fresh}.initializer)"
        )
    else:
        line = f"{spelling}.add_to_collection({key}, {_text(spot)}.initializer)"
    steps = _owner_steps(spot, owners)
    if steps is None:
        return _manual("module")
    early, later = steps
    intents.extend(_after_creation(spot, early if early else (line,)))
    intents.extend(later)
    safe = owners.complete
    return Plan(tuple(intents), Applicability.SAFE if safe else Applicability.UNSAFE)


def _owner_steps(spot: Spot, owners: Owners) -> tuple[tuple[str, ...], list[Intent]] | None:
    """What the sessions have to run besides; the first part replaces the registration."""
    later: list[Intent] = []
    at_once = 0
    for owner in owners.found:
        session = owner.session
        if owner.kind == "parameter":
            step = _tables_for_parameter(spot, owner)
        elif session is None or session.kind == "managed":
            step = []
            for wrapped in missing_tables(spot.project, session, owner.key):
                facts = spot.project.facts(wrapped.key)
                assert facts is not None
                spelling = tensorflow_spelling(spot.project, facts, wrapped.scope)
                if spelling is None:
                    return None
                step.append(
                    WrapExpression(wrapped.place, f"{spelling}.group(", f", {spelling}.tables_initializer())")
                )
        elif _built_in_loop(spot, owner):
            at_once += 1
            continue
        else:
            step = _tables_in_session(spot, owner, session)
        if step is None:
            return None
        later.extend(step)
    if at_once and at_once == len(owners.found) and spot.scope != 0:
        return (_run(spot, _default_session(spot)),), later
    if at_once:
        return None
    return (), later


def _built_in_loop(spot: Spot, owner: Owner) -> bool:
    """Whether the pipeline is built again and again while the session is open as the default one."""
    session = owner.session
    facts = spot.project.facts(owner.key)
    assert facts is not None and session is not None
    if owner.barrier == NOTHING or not session.entered:
        return False
    opened = facts.statements[session.opened]
    chain = [owner.barrier]
    while facts.statements[chain[-1]].parent not in (NOTHING, opened.id):
        chain.append(facts.statements[chain[-1]].parent)
    inside = facts.statements[chain[-1]].parent == opened.id
    return inside and any(facts.statements[number].kind in ("For", "While") for number in chain[1:])


def _tables_in_session(spot: Spot, owner: Owner, session: Session) -> list[Intent] | None:
    facts = spot.project.facts(session.key)
    assert facts is not None
    if tables_run_after(spot.project, facts, session, owner.barrier):
        return []
    spelling = tensorflow_spelling(spot.project, facts, session.scope)
    intents: list[Intent] = []
    if spelling is None:
        if "tf" in names_in_use(facts):
            return None
        spelling = "tf"
        intents.append(AddImport(facts.key, "import tensorflow as tf"))
    point = insertion_point(spot.project, facts, session, owner.barrier)
    if point is None:
        return None
    if session.kind == "evaluate":
        point = (session.opened, "before")
    if session.text is None and session.of_test:
        code = f"self.evaluate({spelling}.tables_initializer())"
    else:
        text = session.text or f"{spelling}.get_default_session()"
        code = f"{text}.run({_all_tables(spot.project, session, text, spelling)})"
    return [*intents, _insert(facts, point, code, 0)]


def _all_tables(project: Project, session: Session, text: str, spelling: str) -> str:
    """What initializes all registered tables; read from the session's graph where that is not the default."""
    if graph_argument(project, session) is not None and not session.entered:
        return f"{text}.graph.get_collection({spelling}.GraphKeys.TABLE_INITIALIZERS)"
    return f"{spelling}.tables_initializer()"


def _tables_for_parameter(spot: Spot, owner: Owner) -> list[Intent] | None:
    """A session that a caller of the building function got as a parameter."""
    facts = spot.project.facts(owner.key)
    assert facts is not None
    spelling = tensorflow_spelling(spot.project, facts, owner.scope)
    if spelling is None or owner.barrier == NOTHING:
        return None
    return [_insert(facts, (owner.barrier, "after"), f"{owner.text}.run({spelling}.tables_initializer())", 0)]


# -- spelling ------------------------------------------------------------------------------------------


def tensorflow_spelling(project: Project, facts: FileFacts, scope: int) -> str | None:
    """How the file spells TensorFlow's 1.x API: ``tf``, ``tf.compat.v1``, ``tf1``; None if it does not.

    A spelling of ``compat.v1`` is preferred: it is right whichever TensorFlow is installed.
    """
    memo_key = ("tensorflow", facts.key)
    known = project.memo.get(memo_key)
    if known is None:
        known = tuple(sorted(_module_spellings(project, facts)))
        project.memo[memo_key] = known
    for _, name in known:  # type: ignore[attr-defined]
        found = lookup(facts, scope, name.partition(".")[0])
        if found is not None and found.scope == 0:
            return str(name)
    return None


def _module_spellings(project: Project, facts: FileFacts) -> Iterator[tuple[int, str]]:
    for name, bindings in facts.scopes[0].bindings.items():
        imported = all(binding.kind in ("import", "assign") for binding in bindings)
        if not imported or External("tensorflow") not in attribute_symbols(project, Module(facts.key), name):
            continue
        targets = [binding.target for binding in bindings]
        plain = any(
            target is not None and target.module == "tensorflow" and not target.name for target in targets
        )
        if not plain:
            yield 0, name
        elif _uses_compat(facts, name):
            yield 1, f"{name}.compat.v1"
        else:
            yield (2 if name == "tf" else 3), name


def _uses_compat(facts: FileFacts, alias: str) -> bool:
    """Whether the file reaches the 1.x API through ``compat.v1``, and never calls 1.x names without it."""
    called = {spelled(site.call.func) or "" for site in facts.calls}
    if any(f"{alias}.{name}" in called for name in ONLY_IN_V1):
        return False
    return any(name.startswith(f"{alias}.compat.v1.") for name in called)


def _used_in_dataset(project: Project, ref: Ref, name: Holder) -> bool:
    """Whether a dataset function or graph loop reads the iterator."""
    facts = project.facts(ref.key)
    assert facts is not None
    if isinstance(name.target, Name):
        sites = project.syntax(ref.key).names.get(name.target.id, ())
    else:
        sites = project.syntax(ref.key).attributes.get(last_name(name.target) or "", ())
    own = code_scope(facts, ref.scope)
    return any(
        not site.stored
        and _reads(facts, site.scope, site.expr, name, ref.scope)
        and code_scope(facts, site.scope) != own
        and runs_in_dataset(project, ref.key, site.scope)
        for site in sites
    )


def _reads(facts: FileFacts, scope: int, expr: Expr, name: Holder, home: int) -> bool:
    if isinstance(expr, Name):
        here, there = lookup(facts, scope, expr.id), lookup(facts, home, expr.id)
        return here is not None and there is not None and here.scope == there.scope
    return spelled(expr) == name.text
