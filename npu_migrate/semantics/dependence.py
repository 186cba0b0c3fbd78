"""What a value is made from, through operations and calls, whatever they do with it.

The walk is a guess on the side of yes for each single step, and exact about which caller and which object
a value belongs to (`npu_migrate.semantics.contexts`). What somebody puts into a list or dictionary counts
as what that is made from.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import NamedTuple

from npu_migrate.index.facts import (
    Attribute,
    Call,
    Collection,
    Comprehension,
    Constant,
    Expr,
    FileFacts,
    Lambda,
    Name,
    Part,
    children,
)
from npu_migrate.index.keys import ANY, anywhere, part_of
from npu_migrate.index.names import lookup
from npu_migrate.index.stores import stored_items, stored_value
from npu_migrate.project.once import once, once_per_file, once_settled
from npu_migrate.project.project import Project
from npu_migrate.project.ref import Ref
from npu_migrate.semantics.calls.returns import returned_values
from npu_migrate.semantics.contexts import (
    MOST_CONTEXTS,
    Frame,
    Traced,
    back,
    bounded,
    instances,
)
from npu_migrate.semantics.flow import attribute_stores
from npu_migrate.semantics.inheritance import family
from npu_migrate.semantics.resolution import Definition, External, receiver_class, scope_of, symbols

LONGEST_WALK = 20_000
_PUTTING = {
    "append": 0,
    "appendleft": 0,
    "add": 0,
    "extend": 0,
    "put": 0,
    "put_nowait": 0,
    "update": 0,
    "insert": 1,
    "setdefault": 1,
}
"""Methods that put something into a list, set, dictionary or queue, and the argument that it is."""


_BINDING_UNSEEN = frozenset({"assign", "for", "with", "comprehension", "except", "match"})
"""Kinds of bindings that give a name what the program has computed."""

_WHOLE = frozenset({"extend", "update"})
_SHIFTING = frozenset({"appendleft", "insert"})


class Dependences(NamedTuple):
    """All that a value is made from; `complete` is False where some of it cannot be seen."""

    reached: tuple[Traced, ...]
    complete: bool


def dependences(
    project: Project,
    starts: Iterable[Traced],
    stops: Callable[[Traced], bool],
    more: Callable[[Project, Traced], Iterable[Traced]],
    longest: int = LONGEST_WALK,
    enough: Callable[[Traced], bool] | None = None,
) -> Dependences:
    """Walks from `starts` to everything that they are made from.

    Where `stops` holds the walk does not go on; `more` is a function of a module, which names what else
    something is made from. After `longest` steps, or where `enough` holds, it ends.
    """
    seen: set[object] = set()
    contexts: Counter[int] = Counter()
    found: list[Traced] = []
    complete = True
    stack = list(starts)
    while stack:
        current = stack.pop()
        mark = current.mark
        if mark in seen:
            continue
        seen.add(mark)
        if len(seen) > longest:
            return Dependences(tuple(found), False)
        contexts[id(current.ref.expr)] += 1
        if contexts[id(current.ref.expr)] > MOST_CONTEXTS:
            complete = False
            continue
        found.append(current)
        if enough is not None and enough(current):
            return Dependences(tuple(found), False)
        if stops(current):
            continue
        made_from = _made_from(project, current, more)
        complete = complete and made_from.complete
        stack.extend(made_from.reached)
    return Dependences(tuple(found), complete)


def nothing_more(_project: Project, _here: Traced) -> Iterable[Traced]:
    """For `dependences` that are those of the code alone."""
    return ()


@once_settled
def _made_from(
    project: Project, here: Traced, more: Callable[[Project, Traced], Iterable[Traced]]
) -> Dependences:
    """One step of the walk. Many walks of a program come by the same places."""
    reached = [*more(project, here), *put_into(project, here)]
    step = back(project, here)
    if step is None:
        complete = not _is_unknown(project, here)
    else:
        complete = step.complete
        reached.extend(step.found)
    if step is None or not step.found:
        parts = _parts(project, here)
        complete = complete and parts is not None
        reached.extend(parts or ())
    return Dependences(tuple(reached), complete)


def _is_unknown(project: Project, here: Traced) -> bool:
    """Whether a name is one that nobody in sight binds, or binds to something that can be seen."""
    expr = here.ref.expr
    if not isinstance(expr, Name) or symbols(project, here.ref.key, here.ref.scope, expr):
        return False
    facts = project.facts(here.ref.key)
    assert facts is not None
    found = lookup(facts, here.ref.scope, expr.id)
    if found is None:
        return any(scope.stars for scope in facts.scopes)
    return any(binding.kind in _BINDING_UNSEEN and binding.value is None for binding in found.bindings)


def _parts(project: Project, here: Traced) -> list[Traced] | None:
    """What an expression computes with; None for a field of an object that nobody is seen to fill."""
    expr = here.ref.expr
    if isinstance(expr, Attribute) and next(instances(project, here.at(expr.value)), None) is not None:
        return None
    return list(_operands(project, here))


def _operands(project: Project, here: Traced) -> Iterator[Traced]:
    expr = here.ref.expr
    if isinstance(expr, Lambda):
        frame = Frame(Definition(here.ref.key, expr.scope), None)
        yield bounded(here.at(expr.body, expr.scope)._replace(frames=(*here.frames, frame)))
    elif isinstance(expr, Comprehension):
        yield here.at(expr.sources[0])
        for part in children(expr):
            if part is not expr.sources[0]:
                yield here.at(part, expr.scope)
    elif isinstance(expr, Name):
        for symbol in symbols(project, here.ref.key, here.ref.scope, expr):
            if isinstance(symbol, Definition) and scope_of(project, symbol).kind == "function":
                frames = (*here.frames, Frame(symbol, None))
                for value in returned_values(project, symbol):
                    yield bounded(Traced(value._replace(path=()), value.path, frames, here.assumed))
    elif isinstance(expr, Attribute):
        yield here.at(expr.value)
        for symbol in symbols(project, here.ref.key, here.ref.scope, expr.value):
            if isinstance(symbol, Definition) and scope_of(project, symbol).kind == "class":
                for store in attribute_stores(project, (symbol,), expr.attr):
                    yield Traced(store._replace(path=()), store.path, assumed=here.assumed)
    elif isinstance(expr, Call) and isinstance(expr.func, Name):
        if not symbols(project, here.ref.key, here.ref.scope, expr.func):
            yield here.at(expr.func)
        yield from (here.at(part) for part in children(expr)[1:] if _is_made(project, here, part))
    else:
        parts = children(expr)
        if isinstance(expr, Collection) and here.keys and isinstance(here.keys[0], Part):
            parts = part_of(expr.items, here.keys[0])
        yield from (here.at(part) for part in parts if _is_made(project, here, part))


def _is_made(project: Project, here: Traced, part: Expr) -> bool:
    """Whether an operand is made from something: literals and what a library defines are not."""
    if isinstance(part, (Name, Attribute)):
        meant = symbols(project, here.ref.key, here.ref.scope, part)
        return not meant or not all(isinstance(symbol, External) for symbol in meant)
    return not isinstance(part, Constant)


# -- lists and dictionaries ----------------------------------------------------------------------------


class _Put(NamedTuple):
    """Something that is put into what `holder` is; `key` is where, `ANY` if that is not known.

    `whole`: it is a list or dictionary, whose items are put in. `shifts`: what was there before may now be
    elsewhere. `part` leads to what is put in, if that is only a part of `value`.
    """

    holder: Ref
    value: Ref
    key: object
    whole: bool
    shifts: bool = False
    part: tuple[object, ...] = ()


def put_into(project: Project, here: Traced) -> Iterator[Traced]:
    """What code puts into the list or dictionary that a variable, or a field of an object, holds."""
    expr = here.ref.expr
    facts = project.facts(here.ref.key)
    assert facts is not None
    if isinstance(expr, Name):
        meant = lookup(facts, here.ref.scope, expr.id)
        for put in _puts(project, facts).get(expr.id, ()):
            if isinstance(put.holder.expr, Name) and lookup(facts, put.holder.scope, expr.id) == meant:
                yield from _taken_out(here, here, put)
    elif isinstance(expr, Attribute):
        yield from _put_into_field(project, here, expr)


def _put_into_field(project: Project, here: Traced, expr: Attribute) -> Iterator[Traced]:
    """What methods put into a field of their object: ``self.losses.append(loss)``."""
    if not _is_put_into(project, expr.attr):
        return
    for inside, owner in instances(project, here.at(expr.value)):
        for member in family(project, owner):
            facts = project.facts(member.key)
            assert facts is not None
            for put in _puts(project, facts).get(expr.attr, ()):
                if _is_field_of(facts, put.holder, member.scope):
                    yield from _taken_out(here, inside, put)


@once
def _is_put_into(project: Project, attr: str) -> bool:
    """Whether something is put into fields of this name anywhere."""
    mentioning = (project.facts(key) for key in project.files_mentioning(attr))
    return any(facts is not None and attr in _puts(project, facts) for facts in mentioning)


def _is_field_of(facts: FileFacts, holder: Ref, owner: int) -> bool:
    expr = holder.expr
    if not isinstance(expr, Attribute) or not isinstance(expr.value, Name):
        return False
    return receiver_class(facts, holder.scope, expr.value.id) == owner


def _taken_out(here: Traced, inside: Traced, put: _Put) -> Iterator[Traced]:
    """What was put in, unless something else is taken out."""
    if here.keys and not _may_be_at(here.keys[0], put.key):
        return
    if put.shifts and here.keys and isinstance(here.keys[0], (int, Part)):
        yield here._replace(keys=anywhere(here.keys))
    keys = here.keys[1:]
    if put.whole:
        is_counted = bool(here.keys) and isinstance(here.keys[0], (int, Part))
        keys = anywhere(here.keys) if is_counted else here.keys
    yield inside._replace(ref=put.value, keys=(*put.part, *keys))


def _may_be_at(wanted: object, key: object) -> bool:
    """Whether what is taken out at `wanted` may be what was put in at `key`."""
    if ANY in (wanted, key) or isinstance(wanted, Part) or wanted == key:
        return True
    return isinstance(wanted, int) and isinstance(key, int) and (wanted < 0) != (key < 0)


def _holder_name(expr: Expr) -> str | None:
    if isinstance(expr, Name):
        return expr.id
    if isinstance(expr, Attribute) and isinstance(expr.value, Name):
        return expr.attr
    return None


@once_per_file
def _puts(facts: FileFacts) -> Mapping[str, tuple[_Put, ...]]:
    """All that is put into something in a file, by the name of the variable or field."""
    found: dict[str, list[_Put]] = {}
    for put in (*_stored_items(facts), *_method_calls(facts)):
        word = _holder_name(put.holder.expr)
        if word is not None:
            found.setdefault(word, []).append(put)
    return {word: tuple(puts) for word, puts in found.items()}


def _stored_items(facts: FileFacts) -> Iterator[_Put]:
    for statement in facts.statements:
        for target in stored_items(statement) if statement.values else ():
            ref = Ref(facts.key, statement.scope, statement.id, target.value)
            key = target.item.value if isinstance(target.item, Constant) else ANY
            given, part = stored_value(statement, target) or (statement.values[0], ())
            yield _Put(ref, ref._replace(expr=given), key, False, part=part)


def _method_calls(facts: FileFacts) -> Iterator[_Put]:
    for site in facts.calls:
        func = site.call.func
        if isinstance(func, Attribute) and func.attr in _PUTTING:
            position = _PUTTING[func.attr]
            ref = Ref(facts.key, site.scope, site.statement, func.value)
            whole = func.attr in _WHOLE
            yield from (
                _Put(ref, ref._replace(expr=value), ANY, whole, func.attr in _SHIFTING)
                for value in site.call.args[position:]
            )
            for keyword in site.call.keywords:
                name = ANY if keyword.name is None else keyword.name
                yield _Put(ref, ref._replace(expr=keyword.value), name, keyword.name is None)
