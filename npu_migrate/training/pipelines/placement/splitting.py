"""Takes an iterator's initializer out of a run that assigns variables: it gets a run of its own right behind.

In the ``init_op`` of a managed session it is registered instead: the session's default local init op, which
is a run of its own, initializes what is registered, also where a checkpoint is restored [TF].
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from npu_migrate.index.facts import (
    NOTHING,
    Attribute,
    Call,
    Collection,
    Constant,
    Operation,
    argument,
    is_starred,
)
from npu_migrate.index.names import code_scope, spelled
from npu_migrate.intents import DropItems, InsertStatement, Intent, Side
from npu_migrate.knowledge import tensorflow as tf
from npu_migrate.project.project import Project
from npu_migrate.project.ref import Ref
from npu_migrate.semantics.calls.parameters import is_bound_method
from npu_migrate.semantics.calls.passing import passed_objects
from npu_migrate.semantics.flow import call_targets, externals_called
from npu_migrate.semantics.resolution import Definition, receiver_class
from npu_migrate.semantics.uses import Use, uses
from npu_migrate.training.pipelines.local_init import names_local_init_collection
from npu_migrate.training.pipelines.partition.executions import Execution, executions
from npu_migrate.training.pipelines.partition.feeds import stands_on_placeholder
from npu_migrate.training.pipelines.partition.initial_zeros import Start, local_start
from npu_migrate.training.pipelines.partition.joined import Joined, assigning
from npu_migrate.training.pipelines.partition.op_parts import Kind, Part, alternatives
from npu_migrate.training.pipelines.placement.code import code_of, is_readable
from npu_migrate.training.pipelines.placement.keeping import KeptBeside, kept_beside
from npu_migrate.training.pipelines.placement.spelling import tensorflow_spelling
from npu_migrate.training.pipelines.placement.spot import insert_at
from npu_migrate.training.pipelines.placement.table_runs import all_tables

Split = tuple[Intent, ...] | str
"""The intents of a split, or why there is none: a key of the rules' words."""

_LIST_METHODS = ("append", "extend", "insert", "name", "op")


def split(project: Project, found: Joined) -> Split:
    """The parts that initialize iterators leave the run that holds them together with variables."""
    drops = _drops(found)
    if drops is None:
        return "held"
    reached: set[Ref] = set()
    for container in _containers(found):
        calls = _reached(project, container)
        if calls is None:
            return "shared"
        reached |= calls
    places = [one for one in executions(project) if any(one.call.expr is call.expr for call in reached)]
    if found.execution.kind == "run":
        if any(one.kind != "run" for one in places):
            return "shared"
        return _with_runs(project, found, places or [found.execution], drops)
    if any(one.call.expr is not found.execution.call.expr for one in places):
        return "shared"
    if found.execution.kind == "local_init_op":
        return "local-init"
    return _with_registrations(project, found, drops)


def _drops(found: Joined) -> tuple[DropItems, ...] | None:
    """The items that leave their lists and groups; None if one of them cannot."""
    items: dict[Ref, list[Ref]] = {}
    for part in found.data:
        if part.item is None or part.container is None:
            return None
        mixed = [
            other for other in found.parts if other.item is not None and other.item.expr is part.item.expr
        ]
        if any(other not in found.data for other in mixed):
            return None
        chosen = items.setdefault(part.container, [])
        if part.item not in chosen:
            chosen.append(part.item)
    return tuple(
        DropItems(container.place, tuple(item.place for item in chosen))
        for container, chosen in items.items()
    )


def _containers(found: Joined) -> list[Ref]:
    return list({id(part.container.expr): part.container for part in found.data if part.container}.values())


def _reached(project: Project, container: Ref) -> set[Ref] | None:
    """The calls that run a list or group, or hand it to a managed session; None if it goes anywhere else."""
    calls: set[Ref] = set()
    stack, seen = [container], set()
    while stack:
        current = stack.pop()
        if id(current.expr) in seen:
            continue
        seen.add(id(current.expr))
        for use in _uses(project, current):
            further = _followed(project, use, calls)
            if further is None:
                return None
            stack.extend(further)
    return calls


def _uses(project: Project, ref: Ref) -> Iterable[Use]:
    found = uses(project, ref)
    return (one for one in found if one.kind != "tested")


def _followed(project: Project, use: Use, calls: set[Ref]) -> list[Ref] | None:
    """Where a use leads on to; None where that is not known. The calls it ends at are added to `calls`."""
    call = use.ref.expr
    if use.kind == "attribute":
        if use.name in _LIST_METHODS:
            return []
        around = project.parent_ref(use.ref)
        if use.name == "run" and around is not None and isinstance(around.expr, Call):
            calls.add(around)
            return []
        return None
    if use.kind == "contained":
        whole = isinstance(call, (Collection, Operation)) or (is_starred(call))
        return [use.ref] if whole else None
    if use.kind != "argument" or not isinstance(call, Call):
        return None
    if any(one.call.expr is call for one in executions(project)):
        calls.add(use.ref)
        return []
    called = externals_called(project, use.ref)
    if called & tf.GROUPS or (not called and spelled(call.func) in ("list", "tuple")):
        return [use.ref]
    if tf.CONTROL_DEPENDENCIES in called:
        return _under_control(project, use.ref)
    return None


def _under_control(project: Project, manager: Ref) -> list[Ref] | None:
    """The op that a block of one statement makes under control dependencies."""
    facts = project.facts(manager.key)
    assert facts is not None
    block = project.block(facts, manager.statement, "body")
    if len(block) != 1 or block[0].kind not in ("Assign", "Return") or len(block[0].values) != 1:
        return None
    return [Ref(manager.key, block[0].scope, block[0].id, block[0].values[0])]


# -- runs ----------------------------------------------------------------------------------------------


def _with_runs(
    project: Project, found: Joined, places: list[Execution], drops: tuple[DropItems, ...]
) -> Split:
    lines: list[Intent] = []
    kept = kept_beside(project, found.data)
    for place in places:
        if not _joins_in_every_case(project, found, place):
            return "shared"
        line = _own_run(project, found, place, kept)
        if isinstance(line, str):
            return line
        lines.extend(one for one in line if one not in lines)
    return (*drops, *lines)


def _joins_in_every_case(project: Project, found: Joined, place: Execution) -> bool:
    """Whether the place runs the same iterators' parts whichever of its ops it gets.

    To initialize tables once more does no harm: what is registered has to be initialized in any case.
    """
    wanted = {id(part.leaf.expr) for part in found.data if part.kind is Kind.ITERATOR}
    return all(wanted <= {id(part.leaf.expr) for part in parts} for parts in alternatives(project, place.op))


def _own_run(
    project: Project, found: Joined, place: Execution, kept: KeptBeside | None
) -> tuple[InsertStatement, ...] | str:
    """The run of the iterator's parts alone, behind the run at `place`, and what it needs elsewhere."""
    facts = project.facts(place.call.key)
    assert facts is not None
    statement = facts.statements[place.call.statement]
    call = place.call.expr
    assert isinstance(call, Call) and isinstance(call.func, Attribute)
    if statement.kind != "Expr" or statement.values != (call,):
        return "value-used"
    if code_scope(facts, place.call.scope) != code_scope(facts, statement.scope):
        return "value-used"
    codes = []
    keeping: tuple[InsertStatement, ...] = ()
    for part in found.data:
        code = _part_code(project, part, place)
        if code is None and kept is not None and part.kind is Kind.ITERATOR:
            code = kept.code_at(place.op)
            keeping = (kept.statement,)
        if code is None:
            return "out-of-reach"
        if code not in codes:
            codes.append(code)
    by_itself = call.func.value is place.op.expr
    fetched = codes[0] if len(codes) == 1 else f"[{', '.join(codes)}]"
    rest = _other_arguments(project, found, call, by_itself)
    if rest is None:
        return "feed"
    if by_itself:
        if len(codes) > 1:
            return "held"
        line = f"{fetched}.run({', '.join(rest)})"
        return (*keeping, insert_at(facts, (statement.id, "after"), line, 0))
    receiver = code_of(call.func.value, calls=True)
    if receiver is None:
        return "out-of-reach"
    code = f"{receiver}.{call.func.attr}({', '.join([fetched, *rest])})"
    return (*keeping, insert_at(facts, (statement.id, "after"), code, 0))


def _part_code(project: Project, part: Part, place: Execution) -> str | None:
    """What runs one part at `place`."""
    item = part.item
    assert item is not None
    same_statement = (item.key, item.statement) == (place.call.key, place.call.statement)
    if same_statement:
        return code_of(item.expr, calls=True)
    if is_readable(project, item, place.call):
        return code_of(item.expr)
    if part.kind is Kind.TABLES:
        return all_tables(project, place.call)
    if isinstance(part.leaf.expr, Attribute) and is_readable(project, part.leaf, place.call):
        return code_of(part.leaf.expr)
    return _read_from_receiver(project, part.leaf, place)


def _read_from_receiver(project: Project, leaf: Ref, place: Execution) -> str | None:
    """What reads a method's ``self.iterator.initializer`` where ``net.init_op()`` is run: from ``net``."""
    call, text = place.op.expr, spelled(leaf.expr)
    if not isinstance(call, Call) or not isinstance(call.func, Attribute) or text is None:
        return None
    facts = project.facts(leaf.key)
    assert facts is not None
    root, _, rest = text.partition(".")
    method = Definition(leaf.key, code_scope(facts, leaf.scope))
    own = receiver_class(facts, leaf.scope, root) != NOTHING and is_bound_method(project, method)
    receiver = code_of(call.func.value)
    # Python gives names such as `__iterator` another name inside of a class.
    if not own or not rest or "__" in rest or receiver is None:
        return None
    return f"{receiver}.{rest}" if call_targets(project, place.op) == (method,) else None


def _other_arguments(project: Project, found: Joined, call: Call, by_itself: bool) -> list[str] | None:
    """The arguments of the new run behind what it fetches: the feed if it needs one, and the session."""
    given = []
    for position, name in enumerate(("feed_dict", "session") if by_itself else ("fetches", "feed_dict")):
        value = argument(call, name, position)
        if value is None or name == "fetches":
            continue
        code = code_of(value)
        if code is None and (name != "feed_dict" or _needs_feed(project, found.data)):
            return None
        if code is not None and (name != "feed_dict" or _needs_feed(project, found.data)):
            given.append(f"{name}={code}")
    return given


def _needs_feed(project: Project, parts: Iterable[Part]) -> bool:
    """Whether one of the iterators is made of a placeholder; of registered ones that is not known here."""
    return any(part.kind is Kind.ITERATOR and stands_on_placeholder(project, part.leaf) for part in parts)


# -- init ops ------------------------------------------------------------------------------------------


def _with_registrations(project: Project, found: Joined, drops: tuple[DropItems, ...]) -> Split:
    obstacle = registration_obstacle(project, found.execution.call, found.data)
    if obstacle:
        return obstacle
    lines = list(registrations_before(project, found.data))
    if None in lines:
        return "out-of-reach"
    return (*drops, *(line for line in lines if line is not None))


def registrations_before(project: Project, data: Iterable[Part]) -> Iterator[InsertStatement | None]:
    """Each iterator's part of an init op is registered before the statement that puts it there."""
    for part in data:
        if part.kind is not Kind.ITERATOR:
            continue
        item = part.item or part.leaf
        facts = project.facts(item.key)
        assert facts is not None
        code, spelling = code_of(item.expr, calls=True), tensorflow_spelling(project, facts, item.scope)
        statement = facts.statements[item.statement]
        lies_deeper = code_scope(facts, item.scope) != code_scope(facts, statement.scope)
        if code is None or spelling is None or lies_deeper or statement.kind in ("While", "FunctionDef"):
            yield None
            continue
        line = f"{spelling}.add_to_collection({spelling}.GraphKeys.TABLE_INITIALIZERS, {code})"
        yield insert_at(facts, (statement.id, Side.BEFORE.value), line, 0)


def registration_obstacle(project: Project, call: Ref, data: Iterable[Part]) -> str:
    """Why what is registered is not initialized alone by the managed session that `call` describes."""
    if any(part.kind is Kind.ITERATOR and stands_on_placeholder(project, part.leaf) for part in data):
        return "feed"
    if externals_called(project, call) & {"tensorflow.train.SessionManager.prepare_session"}:
        return "local-init"
    for value in passed_objects(project, call, "init_fn").values:
        if not (isinstance(value.expr, Constant) and value.expr.value is None):
            return "init-fn"
    own = passed_objects(project, call, "local_init_op")
    if not own.certain:
        return "unseen-local-init"
    if names_local_init_collection(project, call.key):
        return "local-init"
    for value in own.values:
        for parts in alternatives(project, value):
            if not any(part.kind is Kind.TABLES for part in parts):
                return "local-init"
            if any(assigning(project, call.key, parts, doubtful=True)):
                return "local-init"
    if not own.values and local_start(project, call.key) is not Start.ZERO:
        return "local-variables"
    return ""
