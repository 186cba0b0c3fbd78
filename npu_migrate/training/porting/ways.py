"""How a program may get to a piece of code: by more ways than a plan may rest on."""

from __future__ import annotations

from collections.abc import Iterator

from npu_migrate.index.facts import Attribute, Call, Constant, Expr, Name, Subscript, last_name
from npu_migrate.index.names import enclosing_class
from npu_migrate.project.once import once
from npu_migrate.project.project import Project
from npu_migrate.project.ref import Ref, ref_of_call
from npu_migrate.semantics.aliases import aliases_of
from npu_migrate.semantics.calls.callers import is_wrapped
from npu_migrate.semantics.flow import (
    call_targets,
    callee_definitions,
    externals_called,
    instance_classes,
    origins,
)
from npu_migrate.semantics.inheritance import methods_named, subclasses
from npu_migrate.semantics.resolution import (
    Definition,
    External,
    Module,
    all_bases,
    external_names,
    scope_of,
    symbols,
)
from npu_migrate.semantics.uses import Use, uses
from npu_migrate.training.pipelines.input_functions import references
from npu_migrate.training.pipelines.reachability import (
    calls_seen,
    function_of,
    is_reached,
    ways_to_function,
)
from npu_migrate.training.porting.staying.test_code import in_test
from npu_migrate.training.reading.fields_by_name import is_of_unknown_class

_CONSTRUCTOR = "__init__"
_READERS_BY_NAME = (("getattr", 1), ("methodcaller", 0), ("attrgetter", 0))
"""The functions that read a method of a given name, and which argument the name is."""

_TYPE_TESTS = frozenset({"isinstance", "issubclass", "super", "type"})
IMPORTERS = ("import_module", "__import__")
"""The functions that import a module of a given name."""

_OUT_OF_SIGHT = frozenset({"argument", "contained", "iterated", "returned", "stored", "unpacked"})
"""What becomes of a value that is not followed further."""

_HANDING_ON = (
    "collections.",
    "concurrent.",
    "copy.",
    "functools.",
    "heapq.",
    "itertools.",
    "multiprocessing.",
    "queue.",
    "Queue.",
    "random.",
    "threading.",
    "types.",
    "weakref.",
)
"""Python's modules whose functions and objects give what they got, whatever that is."""

_ASKED = "__getattr__"
_ON_SUBCLASS = "__init_subclass__"
_SUBCLASSES = "__subclasses__"
_WITH_METACLASS = ("with_metaclass", "add_metaclass")
_HOOK = "Hook"
_HOOK_METHODS = frozenset({"begin", "after_create_session", "before_run", "after_run", "end"})
_DECLARING = frozenset({"FunctionDef", "AsyncFunctionDef", "ClassDef", "Try", "ExceptHandler"})
"""Statements whose own expressions name classes for other reasons than to make objects of them."""


def may_run(project: Project, ref: Ref, program: str) -> bool:
    """Whether a program may run the code at `ref`.

    Besides calls that are seen, those count that leave a method to a subclass, name it in a ``getattr``, are
    Python's own, as of ``__enter__``, or TensorFlow's, as of ``before_run``, or are of an object that
    nobody sees made, whose class is handed on. So does a decorator, which gets the function below it, and so
    do functions of modules that are imported by a text.
    """
    if is_reached(project, ref, program):
        return True
    files = project.programs.by_entry[program].files
    known = project.facts(ref.key) is not None and ref.key in files
    return known and _may_be_reached(project, function_of(project, ref), program)


@once
def _may_be_reached(project: Project, function: Definition, program: str) -> bool:
    files = project.programs.by_entry[program].files
    return any(
        is_reached(project, one, program) for one in ways_to_function(project, function, calls_perhaps, files)
    )


@once
def calls_perhaps(project: Project, function: Definition) -> tuple[Ref, ...]:
    """Where a function may be run from, as far as names tell: the steps of `may_run`."""
    return (*calls_seen(project, function), *_by_other_ways(project, function))


def _by_other_ways(project: Project, method: Definition) -> Iterator[Ref]:
    facts = project.facts(method.key)
    assert facts is not None
    name = facts.scopes[method.scope].name
    parent = facts.scopes[method.scope].parent
    yield from _decorated_at(project, method)
    if facts.scopes[parent].kind != "class":
        yield from _looked_up(project, method)
        return
    owner = Definition(method.key, parent)
    if (name.startswith("__") and name != _CONSTRUCTOR) or is_hook_method(project, method):
        yield from references(project, owner)
        yield from _constructed(project, owner)
        return
    for reader, position in _READERS_BY_NAME:
        for key, site in project.calls_named(reader):
            given = site.call.args[position] if len(site.call.args) > position else None
            if isinstance(given, Constant) and given.value == name:
                yield ref_of_call(key, site)
    yield from _calls_of_objects(project, owner, name)


def _decorated_at(project: Project, function: Definition) -> Iterator[Ref]:
    """Where a decorator gets a function: it may call it, or keep it for others who do. Tests stay tests."""
    facts = project.facts(function.key)
    assert facts is not None
    scope = facts.scopes[function.scope]
    if scope.kind == "function" and is_wrapped(scope):
        statement = facts.statements[scope.statement]
        if not in_test(project, Ref(function.key, function.scope, statement.id, scope.decorators[0])):
            yield Ref(function.key, statement.scope, statement.id, scope.decorators[0])


def is_hook_method(project: Project, method: Definition) -> bool:
    """Whether a function is a method of a session hook that the session calls."""
    facts = project.facts(method.key)
    assert facts is not None
    scope = facts.scopes[method.scope]
    if scope.name not in _HOOK_METHODS or facts.scopes[scope.parent].kind != "class":
        return False
    return any(
        isinstance(base, External) and base.name.startswith("tensorflow.") and base.name.endswith(_HOOK)
        for base in all_bases(project, Definition(method.key, scope.parent))
    )


@once
def _calls_of_objects(project: Project, owner: Definition, name: str) -> tuple[Ref, ...]:
    """Where a method may be called of an object of which only the base class is known, or nothing."""
    return (
        *_own_calls(project, owner, name),
        *_calls_of_the_handed_on(project, owner, name),
        *_reads_of_travelling(project, owner, name),
    )


def _constructed(project: Project, owner: Definition) -> Iterator[Ref]:
    facts = project.facts(owner.key)
    assert facts is not None
    name = facts.scopes[owner.scope].name
    for key, site in project.calls_named(name):
        yield ref_of_call(key, site)


def _own_calls(project: Project, owner: Definition, name: str) -> Iterator[Ref]:
    """The calls ``self.name()`` in the base classes of `owner`, which leave the method to subclasses."""
    for base in all_bases(project, owner)[1:]:
        facts = project.facts(base.key) if isinstance(base, Definition) else None
        if facts is None or not isinstance(base, Definition) or name not in facts.words:
            continue
        for site in facts.calls:
            func = site.call.func
            of_self = isinstance(func, Attribute) and func.attr == name and isinstance(func.value, Name)
            if of_self and enclosing_class(facts, site.scope) == base.scope:
                yield ref_of_call(base.key, site)


def _calls_of_the_handed_on(project: Project, owner: Definition, name: str) -> Iterator[Ref]:
    places = [one for each in (owner, *subclasses(project, owner)) for one in _handed_on(project, each)]
    if not places:
        return
    if name == _CONSTRUCTOR:
        yield from places
        return
    for key, site in project.calls_named(name):
        call = ref_of_call(key, site)
        known = call_targets(project, call) or externals_called(project, call)
        if isinstance(site.call.func, Attribute) and not known:
            yield call


def _reads_of_travelling(project: Project, owner: Definition, name: str) -> Iterator[Ref]:
    """Where a method is read of an object of which nobody sees the class, if it may be one of `owner`.

    It may if such objects go to where they are not followed: into a list, a generator, a queue.
    """
    if name == _CONSTRUCTOR:
        return
    near = project.neighbours(owner.key)
    read = [one for one in _reads_of_the_unknown(project, name) if one.key in near]
    if not read:
        return
    found = _what_becomes_of(project, owner)
    yield from (use.ref for use in found if use.kind == "attribute" and use.name == name)
    if any(use.kind in _OUT_OF_SIGHT for use in found):
        yield from read


@once
def _reads_of_the_unknown(project: Project, name: str) -> tuple[Ref, ...]:
    """Where a method of this name is called, or read to be called, of an object of an unknown class."""
    return tuple(
        project.ref_of(key, site)
        for key in project.files_mentioning(name)
        for site in project.attributes(key, name)
        if isinstance(site.expr, Attribute) and not site.stored
        if _may_be_any(project, Ref(key, site.scope, site.statement, site.expr.value))
    )


def _may_be_any(project: Project, holder: Ref) -> bool:
    """Whether a method may be one of any class: if that of its object is not seen, or asks another object.

    Python's own code hands on what it got, whatever its class is.
    """
    if is_of_unknown_class(project, holder):
        return True
    if any(methods_named(project, one, _ASKED) for one in instance_classes(project, holder)):
        return True
    made = [externals_called(project, one) for one in origins(project, holder)]
    return any(name.startswith(_HANDING_ON) for names in made for name in names)


@once
def _what_becomes_of(project: Project, owner: Definition) -> tuple[Use, ...]:
    """What becomes of the objects of a class, and of those that are derived from it."""
    return tuple(
        use
        for each in (owner, *subclasses(project, owner))
        for made in _made_objects(project, each)
        for use in uses(project, made)
    )


def _made_objects(project: Project, owner: Definition) -> Iterator[Ref]:
    """The calls that make an object of a class by its name."""
    name = scope_of(project, owner).name
    for spelling in sorted({name} | aliases_of(project, {name})):
        for key, site in project.calls_named(spelling):
            ref = ref_of_call(key, site)
            if owner in callee_definitions(project, ref, site.call):
                yield ref


@once
def _handed_on(project: Project, owner: Definition) -> tuple[Ref, ...]:
    """Where a class is used as a value, so that code which does not name it may make its objects."""
    scope = scope_of(project, owner)
    facts = project.facts(owner.key)
    assert facts is not None
    around = facts.statements[scope.statement].scope
    registered = (
        Ref(owner.key, around, scope.statement, one)
        for one in scope.decorators
        if not external_names(project, owner.key, around, one.func if isinstance(one, Call) else one)
    )
    used = (one for one in references(project, owner) if _is_value(project, one))
    return (*registered, *used, *_looked_up(project, owner), *_handed_on_by_a_base(project, owner))


def _handed_on_by_a_base(project: Project, owner: Definition) -> Iterator[Ref]:
    """Where a class is handed on because of a base class, which may keep all that are derived from it.

    It does by its metaclass, or by its ``__init_subclass__``; or somebody asks for its ``__subclasses__``.
    """
    scope = scope_of(project, owner)
    facts = project.facts(owner.key)
    assert facts is not None
    around = Ref(
        owner.key, facts.statements[scope.statement].scope, scope.statement, Constant(None, scope.span)
    )
    for base in all_bases(project, owner):
        if isinstance(base, Definition):
            is_kept = base != owner and bool(methods_named(project, base, _ON_SUBCLASS))
            for expr in scope.bases if is_kept else _metaclasses(project, base):
                yield around._replace(expr=expr)
                break
            yield from _asked_for_subclasses(project, base)


def _metaclasses(project: Project, owner: Definition) -> Iterator[Expr]:
    """The metaclass of a class, if it is a class of the project."""
    scope = scope_of(project, owner)
    facts = project.facts(owner.key)
    assert facts is not None
    statement = facts.statements[scope.statement]
    given = [*statement.values[len(scope.decorators) + len(scope.bases) :]]
    for made in (*scope.bases, *scope.decorators):
        if isinstance(made, Call) and last_name(made.func) in _WITH_METACLASS:
            given += made.args[:1]
    given += [one.value for one in scope.bindings.get("__metaclass__", ()) if one.value is not None]
    for expr in given:
        meant = symbols(project, owner.key, statement.scope, expr)
        if any(isinstance(symbol, Definition) for symbol in meant):
            yield expr


@once
def _asked_for_subclasses(project: Project, owner: Definition) -> tuple[Ref, ...]:
    return tuple(
        project.ref_of(key, site)
        for key in project.files_mentioning(_SUBCLASSES)
        for site in project.attributes(key, _SUBCLASSES)
        if isinstance(site.expr, Attribute) and owner in symbols(project, key, site.scope, site.expr.value)
    )


def _looked_up(project: Project, owner: Definition) -> Iterator[Ref]:
    """Where a function or class of a module may be read by its name: ``getattr(models, name)``.

    Or it is read of a module that is imported by its own: ``import_module(name).Model``.
    """
    scope = scope_of(project, owner)
    if scope.parent != 0:
        return
    for key, site in project.calls_named("getattr"):
        given = site.call.args
        if len(given) < 2 or (isinstance(given[1], Constant) and given[1].value != scope.name):
            continue
        of_its_module = Module(owner.key) in symbols(project, key, site.scope, given[0])
        if of_its_module or _is_imported_by_name(project, Ref(key, site.scope, site.statement, given[0])):
            yield ref_of_call(key, site)
    for key in project.files_mentioning(scope.name) if _imports_by_name(project) else ():
        for read in project.attributes(key, scope.name):
            if isinstance(read.expr, Attribute) and not read.stored:
                ref = project.ref_of(key, read)
                if _is_imported_by_name(project, ref._replace(expr=read.expr.value)):
                    yield ref
    for key, site in project.calls_named("globals"):
        if key == owner.key and not site.call.args:
            ref = ref_of_call(key, site)
            parent = project.parent_ref(ref)
            if parent is not None and isinstance(parent.expr, Subscript):
                yield ref
    for key, site in project.calls_named("eval"):
        if key == owner.key and isinstance(site.call.func, Name):
            yield ref_of_call(key, site)


@once
def _imports_by_name(project: Project) -> bool:
    return any(project.calls_named(name) for name in IMPORTERS)


def _is_imported_by_name(project: Project, ref: Ref) -> bool:
    """Whether something is a module of which an expression says the name."""
    return _imports_by_name(project) and any(
        isinstance(one.expr, Call) and last_name(one.expr.func) in IMPORTERS for one in origins(project, ref)
    )


def _is_value(project: Project, ref: Ref) -> bool:
    """Whether a class is neither a base, nor asked for in a test, nor read for one of its attributes."""
    statement = project.statement(ref)
    parent = project.parent_ref(ref)
    if statement.kind in _DECLARING:
        return False
    if parent is None:
        return statement.kind != "Expr"
    if isinstance(parent.expr, Attribute):
        return False
    return not (isinstance(parent.expr, Call) and last_name(parent.expr.func) in _TYPE_TESTS)
