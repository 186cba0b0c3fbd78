"""What calls run and where values come from, within a file and across the files of the project.

The two belong together: which method a call runs depends on where its receiver comes from, and a value may
come out of a call. `origins` stops at what it does not understand and hands that out as it is, so that a
caller can tell knowledge from ignorance. Where values go is in `npu_migrate.semantics.uses`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Set
from itertools import chain
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
    Lambda,
    Name,
    Operation,
    Other,
    Part,
    Scope,
    Statement,
    Subscript,
    item_at,
    last_name,
)
from npu_migrate.index.names import enclosing_class, enclosing_function, lookup
from npu_migrate.index.stores import leaves, stored
from npu_migrate.index.syntax import Site
from npu_migrate.project.once import (
    gathered,
    kept_at,
    once,
    once_at,
    once_at_in_cycles,
    once_in_cycles,
    once_per_file,
    once_settled,
)
from npu_migrate.project.project import Project
from npu_migrate.project.reaching import last_statements, runs_at_once
from npu_migrate.project.ref import Ref, ref_of_call
from npu_migrate.semantics.aliases import aliases_of
from npu_migrate.semantics.calls.parameters import default_for, is_bound_method, is_super, passed_for
from npu_migrate.semantics.calls.returns import is_generator, returned_values
from npu_migrate.semantics.each_once import EachOnce
from npu_migrate.semantics.filled_fields import filled_outside
from npu_migrate.semantics.inheritance import (
    family,
    methods_named,
    overridden_methods,
    overriding_methods,
    subclasses,
)
from npu_migrate.semantics.resolution import (
    Definition,
    External,
    Module,
    base_classes,
    definitions,
    external_names,
    receiver_class,
    scope_of,
    symbols,
)

_LONGEST_WALK = 4000
_TRANSPARENT = frozenset({"staticmethod", "classmethod", "lru_cache"})
"""Decorators behind which a call still gives what the function returns."""

_PARTIAL = frozenset({"functools.partial"})
_READING_A_DICTIONARY = frozenset({"copy", "get", "items", "keys", "values"})
_IMPORTER = "importlib.import_module"


# -- calls ---------------------------------------------------------------------------------------------


@once_at
def call_targets(project: Project, ref: Ref) -> tuple[Definition, ...]:
    """The project functions that the call at `ref` runs; a class stands for its ``__init__``."""
    call = ref.expr
    assert isinstance(call, Call)
    return tuple(_call_targets(project, ref, call))


def _call_targets(project: Project, ref: Ref, call: Call) -> Iterator[Definition]:
    for definition in callee_definitions(project, ref, call):
        scope = scope_of(project, definition)
        if scope.kind == "class":
            yield from methods_named(project, definition, "__init__")
        else:
            yield definition
    if isinstance(call.func, (Name, Attribute)):
        facts = project.facts(ref.key)
        assert facts is not None
        for origin in _local_lambdas(facts, ref.scope, call.func):
            yield Definition(ref.key, origin.scope)


def callee_definitions(project: Project, ref: Ref, call: Call) -> tuple[Definition, ...]:
    """The functions and classes that `call` names, methods of project objects included."""
    if is_super(call) and isinstance(call.func, Attribute):
        return _inherited_methods(project, ref, call.func.attr)
    return named_definitions(project, ref._replace(expr=call.func))


def named_definitions(project: Project, ref: Ref) -> tuple[Definition, ...]:
    """The functions and classes that the name or attribute at `ref` stands for, bound methods included."""
    expr = ref.expr
    found = definitions(project, ref.key, ref.scope, expr)
    if found or not isinstance(expr, Attribute) or expr.attr not in _method_names(project):
        return found
    methods: list[Definition] = []
    for owner in instance_classes(project, ref._replace(expr=expr.value, path=())):
        methods.extend(methods_named(project, owner, expr.attr))
    return tuple(dict.fromkeys(methods))


def _inherited_methods(project: Project, ref: Ref, name: str) -> tuple[Definition, ...]:
    """What ``super().name`` means: the method of a base class in the project."""
    facts = project.facts(ref.key)
    assert facts is not None
    owner = enclosing_class(facts, ref.scope)
    if owner == NOTHING:
        return ()
    for base in base_classes(project, Definition(ref.key, owner)):
        if isinstance(base, Definition):
            found = methods_named(project, base, name)
            if found:
                return found
    return ()


@gathered
def _method_names(project: Project) -> frozenset[str]:
    """All names that classes of the project define: other method calls need not be looked into."""
    return frozenset[str]().union(*(_method_names_of(project, facts) for facts in project.relevant()))


@once_per_file
def _method_names_of(facts: FileFacts) -> frozenset[str]:
    return frozenset(
        name
        for scope in facts.scopes
        if scope.kind == "class"
        for name, bindings in scope.bindings.items()
        if any(binding.kind == "def" for binding in bindings)
    )


def _local_lambdas(facts: FileFacts, scope: int, func: Expr) -> Iterator[Lambda]:
    if isinstance(func, Name):
        found = lookup(facts, scope, func.id)
        for binding in found.bindings if found is not None else ():
            if isinstance(binding.value, Lambda) and not binding.path:
                yield binding.value


def instance_classes(project: Project, ref: Ref) -> tuple[Definition, ...]:
    """The project classes that the value of `ref` is an instance of, as far as that is known."""
    variable = _variable(project, ref)
    if variable is None:
        return _classes_at(project, ref)
    found = _classes_of_variable(project, *variable, ref.path)
    return _classes_of(project, (ref,)) if found is None else found


@once_in_cycles(())  # what a cyclic definition adds to itself
def _classes_of_variable(
    project: Project, key: str, scope: int, name: str, path: tuple[int, ...]
) -> tuple[Definition, ...] | None:
    """The classes of what a variable holds; None if its origins cannot be followed."""
    found = _origins_of_variable(project, key, scope, name, path)
    return None if found is None else _classes_of(project, found)


@once_at_in_cycles(())
def _classes_at(project: Project, ref: Ref) -> tuple[Definition, ...]:
    return _classes_of(project, origins(project, ref))


def _classes_of(project: Project, made: Iterable[Ref]) -> tuple[Definition, ...]:
    found: list[Definition] = []
    for origin in made:
        if isinstance(origin.expr, Call) and not origin.path:
            for definition in definitions(project, origin.key, origin.scope, origin.expr.func):
                if scope_of(project, definition).kind == "class":
                    found.append(definition)
        elif isinstance(origin.expr, Name):
            facts = project.facts(origin.key)
            assert facts is not None
            owner = receiver_class(facts, origin.scope, origin.expr.id)
            if owner != NOTHING:
                found.append(Definition(origin.key, owner))
    return tuple(dict.fromkeys(found))


@once_in_cycles(())
def call_sites(project: Project, target: Definition) -> tuple[Ref, ...]:
    """All calls in the project that run the function `target` (for ``__init__``: that construct its class).

    Calls through a name of its own (``lambda``, local alias) count; calls through objects whose class is
    not known do not.
    """
    return tuple(_call_sites(project, target))


def _call_sites(project: Project, target: Definition) -> Iterator[Ref]:
    scope = scope_of(project, target)
    names = {scope.name}
    facts = project.facts(target.key)
    assert facts is not None
    if scope.name == "__init__" and scope.parent != NOTHING:
        owner = facts.scopes[scope.parent]
        names = {owner.name, scope.name, *_subclass_names(project, Definition(target.key, owner.id))}
        names |= _own_names(facts, owner)
    if scope.kind == "lambda":
        names = set(_names_of_lambda(project, target))
    names |= aliases_of(project, names)
    meant = {target, *overridden_methods(project, target)}
    near = project.neighbours(target.key)
    for name in sorted(names):
        for key, site in project.calls_named(name):
            if key not in near:
                continue
            ref = ref_of_call(key, site)
            if not meant.isdisjoint(call_targets(project, ref)):
                yield ref


def calls_elsewhere(project: Project, target: Definition) -> Iterator[Ref]:
    """The calls of `target` in files that import its module, or are it, without playing a role of their own.

    Such files are read for this question only.
    """
    name = scope_of(project, target).name
    for key in project.other_importers(target.key, name):
        facts = project.facts(key)
        for site in facts.calls if facts is not None else ():
            ref = ref_of_call(key, site)
            if last_name(site.call.func) == name and target in call_targets(project, ref):
                yield ref


def activations(project: Project, target: Definition) -> tuple[Ref, ...]:
    """Every place that runs `target`: its calls, and for a decorated method (a property, cached or not) also
    the places that read it as an attribute."""
    sites = call_sites(project, target)
    scope = scope_of(project, target)
    if not scope.decorators or not is_bound_method(project, target):
        return sites
    reads = []
    for key in project.files_mentioning(scope.name):
        for site in project.attributes(key, scope.name):
            ref = project.ref_of(key, site)
            called = isinstance(site.parent, Call) and site.parent.func is site.expr
            if not site.stored and not called and target in named_definitions(project, ref):
                reads.append(ref)
    return (*sites, *reads)


def _names_of_lambda(project: Project, target: Definition) -> Iterator[str]:
    facts = project.facts(target.key)
    assert facts is not None
    for _, name, binding in facts.bindings():
        if isinstance(binding.value, Lambda) and binding.value.scope == target.scope:
            yield name


def _own_names(facts: FileFacts, owner: Scope) -> set[str]:
    """What the class methods of a class call it: ``cls``."""
    bound = (binding for bindings in owner.bindings.values() for binding in bindings)
    methods = (facts.scopes[one.defines] for one in bound if one.defines != NOTHING)
    return {
        method.parameters[0].name
        for method in methods
        if method.parameters
        and any(isinstance(item, Name) and item.id == "classmethod" for item in method.decorators)
    }


def _subclass_names(project: Project, owner: Definition) -> Iterator[str]:
    for definition in subclasses(project, owner):
        yield scope_of(project, definition).name


# -- backwards -----------------------------------------------------------------------------------------


def origins(project: Project, ref: Ref) -> tuple[Ref, ...]:
    """The expressions whose values `ref` may have.

    What cannot be followed further (a call of something outside, a literal, a parameter without visible
    callers) is an origin itself. Flow-insensitive: all assignments of a name count.
    """
    variable = _variable(project, ref)
    if variable is None:
        return _origins(project, ref)
    found = _origins_of_variable(project, *variable, ref.path)
    return (ref,) if found is None else found


def _variable(project: Project, ref: Ref) -> tuple[str, int, str] | None:
    """The variable that a name is: its file, its scope and its name; None for what nobody here binds."""
    if not isinstance(ref.expr, Name):
        return None
    facts = project.facts(ref.key)
    assert facts is not None
    found = lookup(facts, ref.scope, ref.expr.id)
    return None if found is None else (ref.key, found.scope, ref.expr.id)


@once_settled
def _origins_of_variable(
    project: Project, key: str, scope: int, name: str, path: tuple[int, ...]
) -> tuple[Ref, ...] | None:
    """The origins of a variable, wherever it is read; None if they cannot be followed.

    Of a variable that is bound a thousand times each place that reads it has the same thousand origins.
    """
    sources = _variable_sources(project, key, scope, name, path)
    return None if sources is None else _walked_back(project, sources)


@kept_at
def _origins(project: Project, ref: Ref) -> tuple[Ref, ...]:
    return _walked_back(project, [ref])


def _walked_back(project: Project, start: list[Ref]) -> tuple[Ref, ...]:
    seen: set[tuple[int, tuple[int, ...]]] = set()
    found: list[Ref] = []
    stack = [*reversed(start)]
    while stack:
        current = stack.pop()
        mark = (id(current.expr), current.path)
        if mark in seen:
            continue
        seen.add(mark)
        step = None if len(seen) > _LONGEST_WALK else sources_of(project, current)
        if step is None:
            found.append(current)
        else:
            stack.extend(reversed(step))
    return tuple(found)


@once_settled  # values that depend on each other in a circle are walked from each of them
def sources_of(project: Project, ref: Ref) -> tuple[Ref, ...] | None:
    """One step back: where the value of `ref` comes from directly; None when that is `ref` itself."""
    found = _sources_of(project, ref)
    return None if found is None else tuple(found)


def _sources_of(project: Project, ref: Ref) -> list[Ref] | None:
    expr = ref.expr
    if isinstance(expr, Name):
        return _name_sources(project, ref)
    if isinstance(expr, Attribute):
        return _attribute_sources(project, ref, expr)
    if isinstance(expr, Call):
        return _return_sources(project, ref)
    if isinstance(expr, Conditional):
        return [ref._replace(expr=expr.body), ref._replace(expr=expr.orelse)]
    if isinstance(expr, Operation) and expr.operator in ("Or", "And"):
        return [ref._replace(expr=operand) for operand in expr.operands]
    if isinstance(expr, Collection) and ref.path:
        item = item_at(expr.items, ref.path[0])
        return None if item is None else [ref._replace(expr=item, path=ref.path[1:])]
    if isinstance(expr, Other) and expr.kind == "NamedExpr":
        return [ref._replace(expr=expr.parts[1])]
    return None


def _name_sources(project: Project, ref: Ref) -> list[Ref] | None:
    variable = _variable(project, ref)
    return None if variable is None else _variable_sources(project, *variable, ref.path)


def _variable_sources(
    project: Project, key: str, scope: int, name: str, path: tuple[int, ...]
) -> list[Ref] | None:
    facts = project.facts(key)
    assert facts is not None
    found = lookup(facts, scope, name)
    assert found is not None
    result: list[Ref] = []
    for binding in found.bindings:
        step = binding_sources(project, facts, found.scope, name, binding, path)
        if step is None:
            return None
        result.extend(step)
    return result


def binding_sources(
    project: Project, facts: FileFacts, scope: int, name: str, binding: Binding, path: tuple[int, ...]
) -> list[Ref] | None:
    """The values that one binding of `name` gives it, `path` still to be applied; None if unknown."""
    key = facts.key
    if binding.kind in ("assign", "with") and binding.value is not None:
        return [Ref(key, binding.scope, binding.statement, binding.value, binding.path + path)]
    if binding.kind in ("for", "comprehension") and isinstance(binding.value, Collection):
        return [
            Ref(key, binding.scope, binding.statement, item, binding.path + path)
            for item in binding.value.items
        ]
    if binding.kind == "param":
        return _parameter_sources(project, facts, scope, name, path)
    if _imports_a_name(binding):
        variable = _imported_variable(project, key, binding)
        return None if variable is None else module_variable_sources(project, *variable, path)
    return None


def module_variable_sources(
    project: Project, module: str, name: str, path: tuple[int, ...] = ()
) -> list[Ref] | None:
    """The values that the module-level variable `name` of a project module gets; None when it is none.

    Modules may hand it on to each other in a circle: each of them is asked once.
    """
    result: list[Ref] = []
    variables = EachOnce([(module, name)])
    for home, word in variables:
        facts = project.facts(home)
        found = lookup(facts, 0, word) if facts is not None else None
        if facts is None or found is None:
            return None
        for binding in found.bindings:
            if _imports_a_name(binding):
                variable_there = _imported_variable(project, home, binding)
                if variable_there is None:
                    return None
                variables.add(variable_there)
                continue
            step = binding_sources(project, facts, 0, word, binding, path)
            if step is None:
                return None
            result.extend(step)
    return result or None


def _imports_a_name(binding: Binding) -> bool:
    return binding.target is not None and binding.target.name is not None


def _imported_variable(project: Project, key: str, binding: Binding) -> tuple[str, str] | None:
    """The file and the variable in it that an import of the file `key` binds; None outside the project."""
    target = binding.target
    assert target is not None and target.name is not None
    module = project.resolve_module(key, target.module, target.level)
    return None if module is None else (module, target.name)


def _parameter_sources(
    project: Project, facts: FileFacts, scope: int, name: str, path: tuple[int, ...]
) -> list[Ref] | None:
    target = Definition(facts.key, scope)
    result: list[Ref] = []
    if receiver_class(facts, scope, name) != NOTHING:
        return None  # an object of the class: to know the calls of its methods, one has to know just that
    sites = call_sites(project, target)
    if not sites:
        return None
    for site in sites:
        passed = passed_for(project, site, target, name)
        given = passed.value
        if given is None and not passed.hidden:
            given = default_for(project, target, name)
        if given is None:
            return None
        result.append(given._replace(path=path))
    return result


def _attribute_sources(project: Project, ref: Ref, expr: Attribute) -> list[Ref] | None:
    owners = owner_classes(project, ref, expr)
    if owners:
        just_stored = stores_before(project, ref, expr)
        stores = [
            *(attribute_stores(project, owners, expr.attr) if just_stored is None else just_stored),
            *_property_values(project, owners, expr.attr),
        ]
        return [store._replace(path=store.path + ref.path) for store in stores] or None
    result: list[Ref] = []
    for symbol in symbols(project, ref.key, ref.scope, expr.value):
        if isinstance(symbol, Module):
            result.extend(module_variable_sources(project, symbol.key, expr.attr, ref.path) or ())
    return result or None


def owner_classes(project: Project, ref: Ref, expr: Attribute) -> tuple[Definition, ...]:
    """The project classes whose instance ``expr.value`` is."""
    if isinstance(expr.value, Name):
        facts = project.facts(ref.key)
        assert facts is not None
        owner = receiver_class(facts, ref.scope, expr.value.id)
        if owner != NOTHING:
            return (Definition(ref.key, owner),)
    if isinstance(expr.value, (Name, Attribute, Call)):
        return instance_classes(project, ref._replace(expr=expr.value, path=()))
    return ()


class Store(NamedTuple):
    """A store to a field; `ref` is the value with the path into it, `part` and `kind` are as in `Stored`."""

    ref: Ref
    part: Part | None = None
    kind: str = "whole"


def attribute_stores(project: Project, owners: Iterable[Definition], attr: str) -> list[Ref]:
    """The values that methods of the classes store to ``self.<attr>``, and class-level assignments.

    What is added to such a value, or is one of several, is no store of its own: see `all_stores`.
    """
    return [one.ref for one in all_stores(project, owners, attr) if one.kind == "whole" and one.part is None]


def all_stores(project: Project, owners: Iterable[Definition], attr: str) -> list[Store]:
    """All that methods of the classes store to ``self.<attr>``, however, and class-level assignments."""
    members = dict.fromkeys(item for start in owners for item in family(project, start))
    return [store for owner in members for store in _stores_of_class(project, owner, attr)]


def stores_before(project: Project, ref: Ref, expr: Attribute) -> tuple[Ref, ...] | None:
    """What ``self.<attr>`` holds where the method that reads it has just stored to it itself.

    None where that is not certain: on some way the method reads what was there before, or other methods or
    functions, which may run in between, store to the field too.
    """
    facts = project.facts(ref.key)
    assert facts is not None
    reader = facts.statements[ref.statement]
    if not isinstance(expr.value, Name):
        return None
    owner = receiver_class(facts, ref.scope, expr.value.id)
    if owner == NOTHING or not runs_at_once(facts, ref.scope, reader.scope):
        return None
    here: dict[int, Store] = {}
    for member in family(project, Definition(ref.key, owner)):
        for store in _stores_of_class(project, member, expr.attr):
            is_here = store.ref.key == ref.key and store.ref.scope == reader.scope
            if is_here and store.kind == "whole" and store.part is None:
                here[store.ref.statement] = store
            elif is_here or not _runs_before(project, member, store, facts.scopes[reader.scope]):
                return None
    if not all(_is_plain_store(facts.statements[number], expr) for number in here):
        return None
    last = (
        last_statements(facts, project.blocks(ref.key), reader.scope, here, ref.statement) if here else None
    )
    if last is None or _is_stored_by_others(project, Definition(ref.key, owner), expr.attr):
        return None
    return tuple(here[number].ref for number in sorted(last))


@once
def _is_stored_by_others(project: Project, owner: Definition, attr: str) -> bool:
    """Whether functions that get an object of a class, or find it in a variable, store to its field:
    ``def fill(model): model.session = …``.

    Whoever makes an object and fills it does so before its methods run.
    """
    members, near = family(project, owner), project.neighbours(owner.key)
    words = (attr, "__setattr__")
    defined = (
        two for one in members for word in words for two in scope_of(project, one).bindings.get(word, ())
    )
    if any(binding.defines != NOTHING for binding in defined):
        return True  # a property, or a class that stores its own way
    filled = (holder for holder, _ in filled_outside(project, attr) if holder.key in near)
    named = (
        one for one in _set_by_name(project, near, attr, members) if not _is_in_constructor(project, one)
    )
    return any(
        not _is_at_home(project, one) and _may_be_of(project, one, members) for one in chain(filled, named)
    )


def _set_by_name(
    project: Project, near: Set[str], attr: str, members: tuple[Definition, ...]
) -> Iterator[Ref]:
    """The objects of ``setattr(object, "field", value)`` and ``object.__dict__["field"] = value``; where the
    name of the field is put together, those that are seen to be of the classes `members`."""
    for key in {one.key for one in members} & {*project.files_mentioning("__dict__")}:
        for place in project.attributes(key, "__dict__"):
            if isinstance(place.expr, Attribute) and _may_store_into(project, key, place, attr):
                whose = project.ref_of(key, place)._replace(expr=place.expr.value)
                if not set(_classes_held(project, whose)).isdisjoint(members):
                    yield whose
    for key, site in chain(project.calls_named("setattr"), project.calls_named("__setattr__")):
        if key not in near or len(site.call.args) != 3:
            continue
        holder, word = ref_of_call(key, site)._replace(expr=site.call.args[0]), site.call.args[1]
        if isinstance(word, Constant):
            is_meant = word.value == attr
        else:
            is_meant = not set(_classes_held(project, holder)).isdisjoint(members)
        if is_meant:
            yield holder


def _may_store_into(project: Project, key: str, place: Site, attr: str) -> bool:
    """Whether code that mentions the dictionary of an object may store a field there: it neither only reads
    it, as ``self.__dict__ == other.__dict__`` does, nor stores another field."""
    facts, parent = project.facts(key), place.parent
    assert facts is not None
    if isinstance(parent, Subscript):
        is_other = isinstance(parent.item, Constant) and parent.item.value != attr
        return not is_other and any(
            one is parent for one in leaves(facts.statements[place.statement].targets)
        )
    if isinstance(parent, Attribute):
        return parent.attr not in _READING_A_DICTIONARY
    return isinstance(parent, Call) or (parent is None and facts.statements[place.statement].kind != "Return")


def _is_at_home(project: Project, holder: Ref) -> bool:
    """Whether an object is used outside of functions, or by the function that has it in a variable of its
    own: while its methods run, that does not go on."""
    facts = project.facts(holder.key)
    assert facts is not None
    function = enclosing_function(facts, holder.scope)
    if facts.scopes[function].kind == "module":
        return True
    found = lookup(facts, holder.scope, holder.expr.id) if isinstance(holder.expr, Name) else None
    is_own = found is not None and enclosing_function(facts, found.scope) == function
    return is_own and found is not None and all(one.kind != "param" for one in found.bindings)


def _may_be_of(project: Project, holder: Ref, members: tuple[Definition, ...]) -> bool:
    """Whether a value may be an object of one of the classes; one of which nothing is known may be."""
    found = _classes_held(project, holder)
    return not found or not set(found).isdisjoint(members)


def _classes_held(project: Project, holder: Ref) -> tuple[Definition, ...]:
    return owner_classes(project, holder, Attribute(holder.expr, "", holder.expr.span))


def _is_in_constructor(project: Project, ref: Ref) -> bool:
    facts = project.facts(ref.key)
    assert facts is not None
    return facts.scopes[enclosing_function(facts, ref.scope)].name == "__init__"


def _is_plain_store(statement: Statement, expr: Attribute) -> bool:
    """Whether a statement assigns to the field as a whole, and to it alone."""
    (target,) = statement.targets[:1] or (None,)
    is_whole = isinstance(target, Attribute) and target.attr == expr.attr and len(statement.targets) == 1
    return is_whole and statement.kind in ("Assign", "AnnAssign")


def _runs_before(project: Project, member: Definition, store: Store, reader: Scope) -> bool:
    """Whether a store of elsewhere runs before a method, not while it runs: in the class, or ``__init__``."""
    scope = scope_of(project, member._replace(scope=store.ref.scope))
    return scope.kind == "class" or (scope.name == "__init__" and reader.name != "__init__")


@once
def _stores_of_class(project: Project, owner: Definition, attr: str) -> tuple[Store, ...]:
    """What one class by itself stores, first what it assigns outside its methods."""
    facts = project.facts(owner.key)
    assert facts is not None
    result: list[Store] = []
    for binding in facts.scopes[owner.scope].bindings.get(attr, ()):
        if binding.kind == "assign" and binding.value is not None:
            ref = Ref(owner.key, owner.scope, binding.statement, binding.value, binding.path)
            result.append(Store(ref))
    for site in project.attributes(owner.key, attr):
        if site.stored and _is_self_of(facts, site, owner.scope):
            found = stored(facts.statements[site.statement], site.expr)
            if found is not None:
                ref = Ref(owner.key, site.scope, site.statement, found.value, found.path)
                result.append(Store(ref, found.part, found.kind))
    return tuple(result)


def _property_values(project: Project, owners: Iterable[Definition], attr: str) -> Iterator[Ref]:
    """What the property `attr` of the classes gives that read it."""
    for getter in dict.fromkeys(one for owner in owners for one in methods_named(project, owner, attr)):
        decorators = scope_of(project, getter).decorators
        if len(decorators) == 1 and isinstance(decorators[0], Name) and decorators[0].id == "property":
            yield from returned_values(project, getter)


def _is_self_of(facts: FileFacts, site: Site, owner: int) -> bool:
    expr = site.expr
    return (
        isinstance(expr, Attribute)
        and isinstance(expr.value, Name)
        and receiver_class(facts, site.scope, expr.value.id) == owner
    )


def _return_sources(project: Project, ref: Ref) -> list[Ref] | None:
    call = ref.expr
    assert isinstance(call, Call)
    targets = callee_definitions(project, ref, call) or call_targets(project, ref)
    if not targets:
        return None
    result: list[Ref] = []
    for target in targets:
        scope = scope_of(project, target)
        if scope.kind == "class":
            return None
        values = _returned_without_wrapper(project, target)
        if not values and not is_generator(project, target):
            values = _returned_by_overrides(project, target)
        if not values:
            return None
        result.extend(value._replace(path=value.path + ref.path) for value in values)
    return result


def _returned_without_wrapper(project: Project, target: Definition) -> list[Ref]:
    """What a call of a function gives; nothing if a decorator may give something else."""
    if not all(map(_is_transparent, scope_of(project, target).decorators)):
        return []
    return returned_values(project, target)


def _returned_by_overrides(project: Project, target: Definition) -> list[Ref]:
    """What the methods return that override an abstract one; nothing if one of them returns nothing."""
    if returned_values(project, target):
        return []
    found = [_returned_without_wrapper(project, one) for one in overriding_methods(project, target)]
    return [value for values in found for value in values] if all(found) else []


def _is_transparent(decorator: Expr) -> bool:
    return last_name(decorator.func if isinstance(decorator, Call) else decorator) in _TRANSPARENT


def is_partial(project: Project, ref: Ref) -> bool:
    """Whether `ref` is a ``functools.partial(…)`` call."""
    return isinstance(ref.expr, Call) and bool(
        external_names(project, ref.key, ref.scope, ref.expr.func) & _PARTIAL
    )


@kept_at
def externals_called(project: Project, ref: Ref) -> frozenset[str]:
    """The canonical names of what the call at `ref` calls outside the project."""
    call = ref.expr
    if not isinstance(call, Call):
        return frozenset()
    names = external_names(project, ref.key, ref.scope, call.func)
    if names or not isinstance(call.func, Attribute):
        return names
    found = set[str]()
    for origin in origins(project, Ref(ref.key, ref.scope, ref.statement, call.func.value)):
        holders: tuple[Ref, ...] = (origin,)
        attributes = call.func.attr
        if isinstance(origin.expr, Attribute) and isinstance(origin.expr.value, Name) and not origin.path:
            # A field of an object of a library: ``supervisor.saver.restore``.
            holders = origins(project, origin._replace(expr=origin.expr.value))
            attributes = f"{origin.expr.attr}.{attributes}"
        for holder in holders:
            found.update(f"{name}.{attributes}" for name in _libraries_called(project, holder))
    return frozenset(found)


def _libraries_called(project: Project, ref: Ref) -> Iterator[str]:
    """The names of what a call calls that an import stands for, if `ref` is one as a whole.

    A module that is imported by a text may be one of the project.
    """
    if isinstance(ref.expr, Call) and not ref.path:
        for symbol in symbols(project, ref.key, ref.scope, ref.expr.func):
            if isinstance(symbol, External) and symbol.name != _IMPORTER:
                yield symbol.name
