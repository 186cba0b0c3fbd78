"""Where a value comes from, with the calls on the way: a function is left by the call it was entered through.

`npu_migrate.semantics.flow.origins` takes a parameter for everything that any call passes. Here each step
remembers through which calls it has come, so what one caller passes is not taken for what another one gets,
and two objects of a class keep their own fields.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import NamedTuple

from npu_migrate.index.facts import (
    NOTHING,
    Attribute,
    Binding,
    Call,
    Collection,
    Conditional,
    Constant,
    Expr,
    FileFacts,
    Mapping,
    Name,
    Operation,
    Other,
    Part,
    Subscript,
    argument,
    is_starred,
    item_at,
    last_name,
)
from npu_migrate.index.keys import ANY, anywhere, of_part, taken_out
from npu_migrate.index.names import code_scope, enclosing_class, lookup
from npu_migrate.index.stores import stored_value
from npu_migrate.project.once import once_in_cycles, once_settled
from npu_migrate.project.project import Project
from npu_migrate.project.reaching import held_bindings
from npu_migrate.project.ref import Ref
from npu_migrate.semantics.calls.construction import (
    ObjectClass,
    class_of_method,
    constructed_class,
    inherits,
    is_of,
    is_of_own_object,
    may_be_for,
)
from npu_migrate.semantics.calls.object_calls import object_calls
from npu_migrate.semantics.calls.parameters import Passed, default_for, is_bound_method, passed_for
from npu_migrate.semantics.calls.returns import is_generator, returned_values, yielded_values
from npu_migrate.semantics.filled_fields import filled_outside
from npu_migrate.semantics.flow import (
    Store,
    all_stores,
    call_sites,
    call_targets,
    calls_elsewhere,
    externals_called,
    module_variable_sources,
    owner_classes,
    stores_before,
)
from npu_migrate.semantics.handed_on import OF_SIX, handed_on
from npu_migrate.semantics.inheritance import methods_named
from npu_migrate.semantics.resolution import (
    Definition,
    Module,
    definitions,
    external_names,
    receiver_class,
    scope_of,
    symbols,
)
from npu_migrate.semantics.stores_at_entry import method_reading, stores_at_call, stores_at_entry

DEEPEST_CALL = 12
"""How many functions are entered one in another."""

_MOST_ASSUMED = 6
_MOST_FRAMES = 24
_MOST_KEYS = 8
"""How many keys and calls are remembered: loops and recursion have no end."""

_LONGEST_WALK = 2000
MOST_CONTEXTS = 16
"""In how many contexts one expression is looked at: chains of calls with several callers each have no end."""

_NAMED_TUPLES = frozenset({"collections.namedtuple", "typing.NamedTuple"})


class Frame(NamedTuple):
    """How a function was entered: through `call`, or by code that is not seen, where `call` is None.

    `bound` are parameters that were given before, as ``functools.partial`` does it. A class as the `target`
    says that what is entered is an object of it, where nobody has seen how that was made.
    """

    target: Definition
    call: Ref | None
    bound: tuple[tuple[str, Traced], ...] = ()


class Traced(NamedTuple):
    """An expression, and what is known of how its code was entered.

    `keys` are the indices, keys and fields still to be taken out of its value; the last of them may be a
    `Part` of what the others lead to. `frames` are the functions that were entered, the innermost last.
    `assumed` are callers that were chosen where several were possible; a value that is followed on stays with
    them.
    """

    ref: Ref
    keys: tuple[object, ...] = ()
    frames: tuple[Frame, ...] = ()
    assumed: tuple[Frame, ...] = ()

    @property
    def mark(self) -> tuple[object, ...]:
        """What tells it from others, whatever the order of `assumed`."""
        return (self.ref.expr, self.keys, self.frames, frozenset(self.assumed))

    def at(self, expr: Expr, scope: int | None = None) -> Traced:
        """Another expression of the same statement, as a whole."""
        key, inside, statement, _, _ = self.ref
        ref = Ref(key, inside if scope is None else scope, statement, expr)
        return Traced(ref, (), self.frames, self.assumed)


def traced(ref: Ref) -> Traced:
    """`ref` with nothing known of how its code was entered."""
    return Traced(ref._replace(path=()), ref.path)


class Step(NamedTuple):
    """What a value may be, one step back; `complete` is False where it may be something else besides."""

    found: tuple[Traced, ...]
    complete: bool = True


_UNKNOWN = Step((), complete=False)


@once_settled
def ends(project: Project, start: Traced) -> tuple[Traced, ...]:
    """The expressions that the value may have been made by, each as far back as it can be followed."""
    return tuple(way for way, is_end in _ways(project, start) if is_end)


def ways(project: Project, start: Traced) -> tuple[Traced, ...]:
    """Every expression on the ways from the value to its `ends`, both included."""
    return tuple(way for way, _ in _ways(project, start))


def _ways(project: Project, start: Traced) -> Iterator[tuple[Traced, bool]]:
    seen: set[object] = set()
    contexts: Counter[int] = Counter()
    stack = [start]
    while stack and len(seen) < _LONGEST_WALK:
        current = stack.pop()
        mark = current.mark
        if mark in seen or contexts[id(current.ref.expr)] >= MOST_CONTEXTS:
            continue
        seen.add(mark)
        contexts[id(current.ref.expr)] += 1
        step = back(project, current)
        is_end = step is None or not step.found
        yield current, is_end
        if step is not None:
            stack.extend(reversed(step.found))


@once_in_cycles(None)
def back(project: Project, here: Traced) -> Step | None:
    """One step back without changing the value; None where the expression itself makes it."""
    step = _back(project, here)
    if step is None or not any(_is_endless(way) for way in step.found):
        return step
    return step._replace(found=tuple(bounded(way) for way in step.found))


def bounded(way: Traced) -> Traced:
    """`way` with the last calls, and the first keys, of those that it has gathered in circles."""
    if not _is_endless(way):
        return way
    keys = way.keys if len(way.keys) <= _MOST_KEYS else (*way.keys[: _MOST_KEYS - 1], ANY)
    return way._replace(keys=keys, frames=way.frames[-_MOST_FRAMES:])


def _is_endless(way: Traced) -> bool:
    return len(way.keys) > _MOST_KEYS or len(way.frames) > _MOST_FRAMES


def _back(project: Project, here: Traced) -> Step | None:
    expr = here.ref.expr
    if isinstance(expr, Name):
        return _name(project, here, expr)
    if isinstance(expr, Attribute):
        return _attribute(project, here, expr)
    if isinstance(expr, Call):
        return _call(project, here, expr)
    if isinstance(expr, Conditional):
        return Step((_moved(here, expr.body), _moved(here, expr.orelse)))
    if isinstance(expr, Operation) and expr.operator in ("Or", "And"):
        return Step(tuple(_moved(here, operand) for operand in expr.operands))
    if isinstance(expr, Other) and expr.kind == "NamedExpr":
        return Step((_moved(here, expr.parts[1]),))
    if isinstance(expr, Subscript):
        return Step((_moved(here, expr.value, taken_out(expr.item, here.keys)),))
    return _item(here, expr) if here.keys else None


def _moved(here: Traced, expr: Expr, keys: tuple[object, ...] | None = None) -> Traced:
    return here._replace(ref=here.ref._replace(expr=expr), keys=here.keys if keys is None else keys)


def _item(here: Traced, expr: Expr) -> Step | None:
    key, rest = here.keys[0], here.keys[1:]
    if isinstance(key, Part):
        return None
    if isinstance(expr, Collection):
        item = item_at(expr.items, key) if isinstance(key, int) else None
        if item is not None:
            return Step((_moved(here, item, rest),))
        found = tuple(
            _moved(here, one.parts[0], (ANY, *rest)) if is_starred(one) else _moved(here, one, rest)
            for one in expr.items
        )
        return Step(found) if found else None
    if isinstance(expr, Mapping):
        if any(not isinstance(index, Constant) for index in expr.keys):
            return None
        pairs = [
            value
            for index, value in zip(expr.keys, expr.values, strict=True)
            if key == ANY or (isinstance(index, Constant) and index.value == key)
        ]
        return Step(tuple(_moved(here, value, rest) for value in pairs)) if pairs else None
    return None


# -- names ---------------------------------------------------------------------------------------------


def _name(project: Project, here: Traced, expr: Name) -> Step | None:
    facts = project.facts(here.ref.key)
    assert facts is not None
    found = lookup(facts, here.ref.scope, expr.id)
    if found is None:
        return None
    home = here._replace(frames=_frames_around(facts, found.scope, here.frames))
    found_ways: list[Traced] = []
    is_followed, complete = False, True
    for binding in _bindings_before(project, facts, here.ref, expr.id):
        step = _binding(project, home, facts, found.scope, expr.id, binding)
        if step is None:
            complete = complete and not _may_be_more(project, facts, binding)
            continue
        is_followed = True
        found_ways.extend(step.found)
        complete = complete and step.complete
    return Step(tuple(found_ways), complete) if is_followed else None


def _may_be_more(project: Project, facts: FileFacts, binding: Binding) -> bool:
    """Whether a binding that cannot be followed may give what the program makes, and not another library."""
    target = binding.target
    if target is None or target.name is None:
        return binding.kind not in ("import", "delete")
    return project.resolve_module(facts.key, target.module, target.level) is not None


def _frames_around(facts: FileFacts, scope: int, frames: tuple[Frame, ...]) -> tuple[Frame, ...]:
    """The frames that the code of a scope has: those of the functions that it called are left."""
    target = Definition(facts.key, code_scope(facts, scope) if facts.scopes[scope].kind != "class" else 0)
    for index in reversed(range(len(frames))):
        if frames[index].target == target:
            return frames[: index + 1]
    return () if target.scope == 0 else frames


def _bindings_before(project: Project, facts: FileFacts, ref: Ref, name: str) -> tuple[Binding, ...]:
    """The bindings of a name that may hold at `ref`: all, where another run of code reads it."""
    found = lookup(facts, ref.scope, name)
    assert found is not None
    held = held_bindings(facts, project.blocks(ref.key), found, name, ref.scope, ref.statement)
    return found.bindings if held is None else held


def _binding(
    project: Project, here: Traced, facts: FileFacts, scope: int, name: str, binding: Binding
) -> Step | None:
    if binding.kind == "param":
        return _parameter(project, here, facts, scope, name)
    if binding.target is not None:
        return _imported(project, here, binding)
    if binding.kind == "augment":
        return _augmented(here, facts, binding)
    value, keys = binding.value, here.keys
    if binding.rest is not None:
        value, keys = binding.rest.value, of_part(binding.rest.part, keys)
    if value is None:
        return None
    keys = (*binding.path, *keys)
    if binding.kind in ("for", "comprehension"):
        keys = (ANY, *keys)
    ref = Ref(facts.key, binding.scope, binding.statement, value)
    return Step((here._replace(ref=ref, keys=keys),))


def _augmented(here: Traced, facts: FileFacts, binding: Binding) -> Step:
    """``x += y``: what x was before, and y."""
    statement = facts.statements[binding.statement]
    assert binding.value is not None
    added = Ref(facts.key, statement.scope, statement.id, binding.value)
    ways = [here._replace(ref=added, keys=anywhere(here.keys))]
    before = statement.targets[0]
    if before is not None and before is not here.ref.expr:
        ways.append(here._replace(ref=added._replace(expr=before)))
    return Step(tuple(ways))


def _imported(project: Project, here: Traced, binding: Binding) -> Step | None:
    target = binding.target
    assert target is not None
    module = (
        None if target.name is None else project.resolve_module(here.ref.key, target.module, target.level)
    )
    if module is None or target.name is None:
        return None
    return _of_module(project, here, module, target.name)


def _of_module(project: Project, here: Traced, module: str, name: str) -> Step | None:
    found = module_variable_sources(project, module, name)
    if found is None:
        return None
    return Step(
        tuple(Traced(ref._replace(path=()), (*ref.path, *here.keys), (), here.assumed) for ref in found)
    )


def _parameter(project: Project, here: Traced, facts: FileFacts, scope: int, name: str) -> Step | None:
    if receiver_class(facts, scope, name) != NOTHING:
        return None
    target = Definition(facts.key, scope)
    owner = class_of_method(project, target)
    made = None if owner is None else _class_of_object(project, here, owner)
    for index in reversed(range(len(here.frames))):
        if _entered(project, here.frames[index], target, made):
            outside = here._replace(frames=here.frames[:index])
            return _given(project, outside, here.frames[index], name)
    for frame in here.assumed:
        if _entered(project, frame, target, made):
            return _given(project, here._replace(frames=()), frame, name)
    sites = (
        *call_sites(project, target),
        *calls_elsewhere(project, target),
        *object_calls(project, target),
    )
    if made is not None:
        sites = tuple(site for site in sites if may_be_for(project, made, site))
    if not sites:
        return _UNKNOWN
    steps = []
    for site in sites:
        frame = Frame(target, site)
        assumed = here.assumed if len(here.assumed) >= _MOST_ASSUMED else (*here.assumed, frame)
        frames = () if made is None else _frames_outside(project, here, site)
        steps.append(_given(project, here._replace(frames=frames, assumed=assumed), frame, name))
    return Step(tuple(way for step in steps for way in step.found), all(step.complete for step in steps))


def _entered(project: Project, frame: Frame, target: Definition, made: ObjectClass | None) -> bool:
    """Whether a frame is one of the function `target`, of a method for an object of the class `made`."""
    if frame.target != target:
        return False
    return made is None or frame.call is None or may_be_for(project, made, frame.call)


def _class_of_object(project: Project, here: Traced, owner: Definition) -> ObjectClass | None:
    """The class of the object that a method of `owner` runs for, as far as the way to it says so: by a
    constructor that was entered or assumed, or by a method that read a field of its own object."""
    return next((made for _, made in objects_entered(project, here, owner)), None)


def objects_entered(project: Project, here: Traced, owner: Definition) -> Iterator[tuple[Frame, ObjectClass]]:
    """The frames on the way that say for which object a method of `owner` runs, the nearest first."""
    for frame in (*reversed(here.frames), *reversed(here.assumed)):
        made = _constructed_in(project, frame)
        if made is not None and inherits(project, made, owner):
            yield frame, made


def _constructed_in(project: Project, frame: Frame) -> ObjectClass | None:
    """The class of the object that a frame is about: of a constructor, or one that stands for itself."""
    scope = scope_of(project, frame.target)
    if scope.kind == "class":
        return ObjectClass(frame.target, exact=False)
    if scope.name != "__init__" or frame.call is None:
        return None
    return constructed_class(project, frame.call)


def _frames_outside(project: Project, here: Traced, site: Ref) -> tuple[Frame, ...]:
    """The frames in which a constructor calls that of a base class, to whose call `here` goes back; none for
    other calls."""
    facts = project.facts(site.key)
    assert facts is not None
    home = Definition(site.key, code_scope(facts, site.scope))
    is_constructor = scope_of(project, home).name == "__init__"
    return here.frames if is_constructor and is_of_own_object(project, site) else ()


def _given(project: Project, outside: Traced, frame: Frame, name: str) -> Step:
    """What a parameter gets from the call of its frame, or from its default."""
    for bound, value in frame.bound:
        if bound == name:
            return Step((value._replace(keys=(*value.keys, *outside.keys)),))
    passed = Passed()
    if frame.call is not None and isinstance(frame.call.expr, Call):
        passed = passed_for(project, frame.call, frame.target, name)
        if passed.value is not None:
            return Step((outside._replace(ref=passed.value),))
    found = [outside._replace(ref=ref, keys=(*keys, *outside.keys)) for ref, keys in passed.hidden]
    default = default_for(project, frame.target, name)
    if default is not None:
        found.append(outside._replace(ref=default))
    return Step(tuple(found)) if found else _UNKNOWN


# -- attributes ----------------------------------------------------------------------------------------


def _attribute(project: Project, here: Traced, expr: Attribute) -> Step | None:
    for symbol in symbols(project, here.ref.key, here.ref.scope, expr.value):
        if isinstance(symbol, Module):
            return _of_module(project, here, symbol.key, expr.attr)
    found: list[Traced] = []
    just_stored = _just_stored(project, here, expr)
    for inside, owner in instances(project, here.at(expr.value)):
        stores = all_stores(project, (owner,), expr.attr) if just_stored is None else map(Store, just_stored)
        for store in stores:
            keys = _into_stored(store, here.keys)
            place = _own_object(project, inside, owner, store)
            found.append(place._replace(ref=store.ref._replace(path=()), keys=keys))
        for method in methods_named(project, owner, expr.attr):
            if scope_of(project, method).decorators:
                found.extend(returned_by(project, inside, method, here.keys))
    found = found or list(_fields(project, here, expr))
    if just_stored is None and all(_is_none(one) for one in found):
        found.extend(_stored_outside(project, here, expr))
    return Step(tuple(found)) if found else None


def _is_none(value: Traced) -> bool:
    """Whether a value stands for none: a field is made with it, and filled by whoever has the object."""
    return isinstance(value.ref.expr, Constant) and value.ref.expr.value is None


def _just_stored(project: Project, here: Traced, expr: Attribute) -> tuple[Ref, ...] | None:
    """What a field of the own object holds where the method that reads it, or what called that, has just
    stored to it; None where that is not certain."""
    stored = stores_before(project, here.ref, expr)
    if stored is not None:
        return stored
    method = method_reading(project, here.ref, expr)
    owner = None if method is None else class_of_method(project, method)
    if method is None or owner is None or is_generator(project, method):
        return None
    if len(all_stores(project, (owner,), expr.attr)) < 2:
        return None  # a field that is stored to once holds that everywhere
    for frame in reversed(here.frames):
        if frame.target == method and frame.call is not None:
            return stores_at_call(project, frame.call, expr.attr)
    return stores_at_entry(project, method, expr.attr)


def _own_object(project: Project, inside: Traced, owner: Definition, store: Store) -> Traced:
    """`inside`, an object of the class `owner`, with a frame that says so where a base class has stored to
    its field: the methods of that run for sister classes, too, which are not meant."""
    facts = project.facts(store.ref.key)
    assert facts is not None
    home = Definition(store.ref.key, enclosing_class(facts, store.ref.scope))
    if home.scope == NOTHING or home == owner:
        return inside
    known = _class_of_object(project, inside, home)
    if known is not None and is_of(project, known, owner):
        return inside  # what is known may be of another object, which was made on the way to this one
    return inside._replace(frames=(*inside.frames, Frame(owner, None)))


def _into_stored(store: Store, keys: tuple[object, ...]) -> tuple[object, ...]:
    """What leads to a value that `keys` take out of a field, in what is stored to it."""
    if store.kind == "added":
        return anywhere(keys)
    keys = keys if store.part is None else of_part(store.part, keys)
    return (*((ANY,) if store.kind == "each" else ()), *store.ref.path, *keys)


def _fields(project: Project, here: Traced, expr: Attribute) -> Iterator[Traced]:
    """What a call is given for the field that is read: of a named tuple, a data class and the like."""
    for end in ends(project, here.at(expr.value)):
        call = end.ref.expr
        if not isinstance(call, Call) or end.keys:
            continue
        given = next((k.value for k in call.keywords if k.name == expr.attr), None)
        if given is None:
            names = _field_names(project, end, call)
            position = names.index(expr.attr) if expr.attr in names else None
            given = None if position is None else argument(call, expr.attr, position)
        if given is not None:
            yield end.at(given)._replace(keys=here.keys)


def _field_names(project: Project, made: Traced, call: Call) -> tuple[str, ...]:
    """The fields of a named tuple that a call makes, in order, as ``namedtuple("T", "a b")`` has them."""
    for end in ends(project, made.at(call.func)):
        maker = end.ref.expr
        if isinstance(maker, Call) and _NAMED_TUPLES & externals_called(project, end.ref):
            fields = argument(maker, "field_names", 1)
            if isinstance(fields, Constant) and isinstance(fields.value, str):
                return tuple(fields.value.replace(",", " ").split())
            if isinstance(fields, Collection):
                return tuple(str(item.value) for item in fields.items if isinstance(item, Constant))
    return ()


def _stored_outside(project: Project, here: Traced, expr: Attribute) -> Iterator[Traced]:
    """What code stores to a field of such an object that the methods of its class never fill."""
    outside = filled_outside(project, expr.attr)
    owners = {owner for _, owner in instances(project, here.at(expr.value))} if outside else set()
    for holder, target in outside if owners else ():
        facts = project.facts(holder.key)
        assert facts is not None
        stored = stored_value(facts.statements[holder.statement], target)
        if stored is not None and owners & {owner for _, owner in instances(project, traced(holder))}:
            value, path = stored
            yield Traced(holder._replace(expr=value), (*path, *here.keys), (), here.assumed)


def instances(project: Project, receiver: Traced) -> Iterator[tuple[Traced, Definition]]:
    """The objects of project classes that a value may be, each with its class.

    The first of the pair is a place inside such an object: its frames know how it was made.
    """
    expr = receiver.ref.expr
    facts = project.facts(receiver.ref.key)
    assert facts is not None
    if isinstance(expr, Name):
        owner = receiver_class(facts, receiver.ref.scope, expr.id)
        if owner != NOTHING:
            yield receiver, Definition(receiver.ref.key, owner)
            return
    if not isinstance(expr, (Name, Attribute, Call, Subscript)):
        return
    made = False
    for end in ends(project, receiver):
        if end.keys:
            continue
        inner = end.ref.expr
        if isinstance(inner, Call):
            for definition in definitions(project, end.ref.key, end.ref.scope, inner.func):
                if scope_of(project, definition).kind == "class":
                    made = True
                    frames = tuple(
                        Frame(start, end.ref) for start in methods_named(project, definition, "__init__")
                    )
                    yield end._replace(frames=(*end.frames, *frames)), definition
        elif isinstance(inner, Name):
            other = project.facts(end.ref.key)
            assert other is not None
            owner = receiver_class(other, end.ref.scope, inner.id)
            if owner != NOTHING:
                made = True
                yield end, Definition(end.ref.key, owner)
    if not made and isinstance(expr, (Name, Attribute, Call)):
        probe = Attribute(expr, "", expr.span)
        for owner_class in owner_classes(project, receiver.ref, probe):
            yield receiver, owner_class


# -- calls ---------------------------------------------------------------------------------------------


def _call(project: Project, here: Traced, call: Call) -> Step | None:
    entered = tuple(entered_by(project, here))
    # A function that hands nothing back raises an error, or gives None, of which nothing is made.
    found = tuple(
        value for inside, target in entered for value in returned_by(project, inside, target, here.keys)
    )
    if found:
        return Step(found)
    if not here.keys or entered:
        return None
    return _of_dict(project, here, call) or _handed_on(project, here, call)


def _handed_on(project: Project, here: Traced, call: Call) -> Step | None:
    """What a function of Python, or a method of a dictionary, takes out of what it gets."""
    handed = handed_on(call, here.keys)
    if handed is None or not _is_of_python(project, here, call):
        return None
    return Step((_moved(here, *handed),))


def _is_of_python(project: Project, here: Traced, call: Call) -> bool:
    """Whether the name of a function that may hand things on is that of Python's own, or of ``six``."""
    func = call.func
    if last_name(func) in OF_SIX:
        names = external_names(project, here.ref.key, here.ref.scope, func)
        return bool(names) and all(name.startswith("six.") for name in names)
    facts = project.facts(here.ref.key)
    assert facts is not None
    return not isinstance(func, Name) or lookup(facts, here.ref.scope, func.id) is None


def _of_dict(project: Project, here: Traced, call: Call) -> Step | None:
    """An item of what ``dict(key=value)`` makes, where all of it is said there."""
    func = call.func
    if not isinstance(func, Name) or func.id != "dict" or call.args:
        return None
    if symbols(project, here.ref.key, here.ref.scope, func) or any(k.name is None for k in call.keywords):
        return None
    key, rest = here.keys[0], here.keys[1:]
    given = [keyword.value for keyword in call.keywords if key in (ANY, keyword.name)]
    return Step(tuple(_moved(here, value, rest) for value in given)) if given else None


def entered_by(project: Project, here: Traced) -> Iterator[tuple[Traced, Definition]]:
    """The project functions that the call at `here` runs, each with a place inside that knows the call.

    Methods of objects know how the object was made; an object that is called runs its ``__call__``.
    """
    call = here.ref.expr
    assert isinstance(call, Call)
    if len(here.frames) >= DEEPEST_CALL or any(
        frame.call is not None and frame.call.expr is call for frame in here.frames
    ):
        return
    targets = [target for target in call_targets(project, here.ref) if _is_function(project, target)]
    owner = here.at(call.func.value) if isinstance(call.func, Attribute) else None
    for target in targets:
        frame = Frame(target, here.ref)
        inside = [here]
        if owner is not None and is_bound_method(project, target):
            inside = [place for place, _ in instances(project, owner)] or [here]
        for place in inside:
            yield place._replace(frames=(*place.frames, frame), keys=here.keys), target
    if not targets and isinstance(call.func, (Name, Attribute, Subscript, Call)):
        yield from _called_objects(project, here, call)


def _called_objects(project: Project, here: Traced, call: Call) -> Iterator[tuple[Traced, Definition]]:
    if isinstance(call.func, Attribute) and symbols(project, here.ref.key, here.ref.scope, call.func.value):
        return
    for place, owner in instances(project, here.at(call.func)):
        for target in methods_named(project, owner, "__call__"):
            yield place._replace(frames=(*place.frames, Frame(target, here.ref)), keys=here.keys), target


def _is_function(project: Project, target: Definition) -> bool:
    scope = scope_of(project, target)
    return scope.kind in ("function", "lambda") and scope.name != "__init__"


def returned_by(
    project: Project, inside: Traced, target: Definition, keys: tuple[object, ...]
) -> list[Traced]:
    """What a function hands back; of a generator what it yields, one by one or as a context manager.

    `inside` is a place whose frames end with the function, `keys` what is taken out of its result.
    """
    values = returned_values(project, target)
    if not values:
        values = yielded_values(project, target)
        keys = keys[1:] if keys[:1] == (ANY,) or (keys[:1] and isinstance(keys[0], Part)) else keys
    return [inside._replace(ref=value._replace(path=()), keys=(*value.path, *keys)) for value in values]
