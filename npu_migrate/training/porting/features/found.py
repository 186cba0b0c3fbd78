"""What the features of a GPU program are found by: calls by their names, imports, environment variables."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import NamedTuple

from npu_migrate.index.facts import (
    Attribute,
    Call,
    Collection,
    Conditional,
    Constant,
    Expr,
    FileFacts,
    Lambda,
    Mapping,
    Name,
    Subscript,
    item_at,
    last_name,
    walk,
)
from npu_migrate.index.stores import stored_items, stored_value
from npu_migrate.knowledge import training_libraries
from npu_migrate.places import Place
from npu_migrate.project.once import once, once_per_file
from npu_migrate.project.project import Project
from npu_migrate.project.ref import Ref, ref_of_call
from npu_migrate.semantics.aliases import aliases_of
from npu_migrate.semantics.flow import externals_called
from npu_migrate.semantics.resolution import external_names
from npu_migrate.training.porting.ways import IMPORTERS

_DECLARING = frozenset({"AsyncFunctionDef", "ClassDef", "Delete", "ExceptHandler", "FunctionDef"})
"""Statements whose own expressions name classes for other reasons than to call them."""

EXITS = frozenset({"builtins.exit", "builtins.quit", "os._exit", "sys.exit"})
"""Python's functions that end the program."""

_ALL_IMPORTERS = (*IMPORTERS, "LazyLoader", "lazy_import")
"""With the classes and functions that import when the module is needed."""

_ABOVE_TENSORFLOW = frozenset(
    name.partition(".")[0]
    for name in (
        "keras",
        "mx_rec",
        "npu_bridge",
        "tf_slim",
        *training_libraries.SESSION_LIBRARIES,
        *training_libraries.KERAS_LIBRARIES,
        *training_libraries.EITHER_KERAS,
    )
)
"""Packages beside TensorFlow's own that train with it, or are there for programs that do."""

_TESTS = frozenset({"hasattr", "isinstance", "issubclass", "type"})


class Found(NamedTuple):
    """One place: `name` is the canonical name of what was found there."""

    ref: Ref
    name: str


@once
def calls_among(project: Project, names: frozenset[str]) -> tuple[Found, ...]:
    """The calls of functions and classes outside the project with one of the canonical `names`.

    A name that ends with a dot stands for all that begins with it, in files that mention its last word.
    """
    found = {id(one.ref.expr): one for one in _find(project, names)}
    return tuple(sorted(found.values(), key=lambda one: (one.ref.key, one.ref.expr.span)))


def _find(project: Project, names: frozenset[str]) -> Iterator[Found]:
    prefixes = tuple(name for name in names if name.endswith("."))
    for prefix in prefixes:
        word = prefix.split(".")[-2]
        for facts in project.relevant():
            for site in facts.calls if _speaks_of(project, facts, word) else ():
                ref = ref_of_call(facts.key, site)
                for name in externals_called(project, ref):
                    if name.startswith(prefix):
                        yield Found(ref, name)
    last = {name.rpartition(".")[2] for name in names if not name.endswith(".")}
    for spelling in sorted(last | aliases_of(project, last)):
        for key, site in project.calls_named(spelling):
            ref = ref_of_call(key, site)
            for name in externals_called(project, ref) & names:
                yield Found(ref, name)


@once
def mentions_among(project: Project, names: frozenset[str]) -> tuple[Found, ...]:
    """Where a function or class with one of the canonical `names` is read and not called, but may be later.

    It is kept in a table or a field, given to ``partial`` or to other code, returned, or read by its name. A
    name that ends with a dot stands for all that begins with it.
    """
    found = {id(one.ref.expr): one for one in _find_mentions(project, names)}
    return tuple(sorted(found.values(), key=lambda one: (one.ref.key, one.ref.expr.span)))


def _find_mentions(project: Project, names: frozenset[str]) -> Iterator[Found]:
    prefixes = tuple(name for name in names if name.endswith("."))
    last = {name.rpartition(".")[2] for name in names if not name.endswith(".")}
    for spelling in sorted(last | aliases_of(project, last)):
        for key in project.files_mentioning(spelling):
            for site in (*project.attributes(key, spelling), *project.names(key, spelling)):
                yield from _mentioned(project, project.ref_of(key, site), names, ())
    for prefix in prefixes:
        word = prefix.split(".")[-2]
        for facts in project.relevant():
            for spelling in (
                sorted(_words_of_classes(project, facts)) if _speaks_of(project, facts, word) else ()
            ):
                for site in (*project.attributes(facts.key, spelling), *project.names(facts.key, spelling)):
                    yield from _mentioned(project, project.ref_of(facts.key, site), frozenset(), prefixes)
    for key, site_of_call in project.calls_named("getattr"):
        call = site_of_call.call
        text = call.args[1] if len(call.args) > 1 else None
        if isinstance(text, Constant) and text.value in last:
            for holder in external_names(project, key, site_of_call.scope, call.args[0]):
                if f"{holder}.{text.value}" in names:
                    ref = Ref(key, site_of_call.scope, site_of_call.statement, call)
                    yield Found(ref, f"{holder}.{text.value}")


@once_per_file
def _words_of_classes(facts: FileFacts) -> frozenset[str]:
    return frozenset(word for word in facts.words if word[:1].isupper())


def _mentioned(
    project: Project, ref: Ref, names: frozenset[str], prefixes: tuple[str, ...]
) -> Iterator[Found]:
    if not _is_kept(project, ref):
        return
    for name in external_names(project, ref.key, ref.scope, ref.expr):
        if name in names or (prefixes and name.startswith(prefixes)):
            yield Found(ref, name)


def _is_kept(project: Project, ref: Ref) -> bool:
    """Whether something that is read becomes a part of another value, or goes to other code."""
    site = project.site(ref)
    if site is None or site.stored:
        return False
    statement = project.statement(ref)
    if statement.kind in _DECLARING:
        return False
    parent = site.parent
    if parent is None:
        into_table = any(isinstance(target, Subscript) for target in statement.targets)
        return statement.kind == "Return" or (into_table and ref.expr not in statement.targets)
    if isinstance(parent, Call):
        return parent.func is not ref.expr and last_name(parent.func) not in _TESTS
    if isinstance(parent, Collection):
        around = project.parent_ref(ref)
        outer = None if around is None else project.parent_ref(around)
        return outer is None or not (isinstance(outer.expr, Call) and last_name(outer.expr.func) in _TESTS)
    return isinstance(parent, (Mapping, Conditional, Lambda))


def _speaks_of(project: Project, facts: FileFacts, word: str) -> bool:
    """Whether a file has a word in its expressions or imports."""
    return word in facts.words or word in _imported_words(project, facts)


@once_per_file
def _imported_words(facts: FileFacts) -> frozenset[str]:
    return frozenset(
        word for target in facts.import_targets() for word in f"{target.module}.{target.name}".split(".")
    )


class Imported(NamedTuple):
    """An import: the module, or the name of a module, and the place of its statement."""

    key: str
    module: str
    place: Place
    statement: int


def imports_of(project: Project, modules: Iterable[str]) -> Iterator[Imported]:
    """The imports of one of the `modules` or of something in them, in order of file and place."""
    for facts in project.relevant():
        for one in _imports(project, facts):
            if any(one.module == name or one.module.startswith(f"{name}.") for name in modules):
                yield one


@once
def files_that_may_use_tensorflow(project: Project) -> frozenset[str]:
    """The files that import TensorFlow or a library above it, or have a text by which they may import it."""
    by_text = {key for name in _ALL_IMPORTERS for key, _ in project.calls_named(name)}
    return frozenset(
        facts.key
        for facts in project.relevant()
        if any(map(_is_above_tensorflow, _modules(project, facts)))
        or (facts.key in by_text and any(map(_is_above_tensorflow, _texts(project, facts))))
    )


def _is_above_tensorflow(module: str) -> bool:
    package = module.partition(".")[0]
    return package.startswith("tensorflow") or package in _ABOVE_TENSORFLOW


@once_per_file
def _modules(facts: FileFacts) -> frozenset[str]:
    """The modules that a file imports, something of, or all names of, wherever in it."""
    bound = (binding.target for _, _, binding in facts.bindings())
    named = {target.module for target in bound if target is not None and not target.level}
    named.update(star.module for scope in facts.scopes for star in scope.stars if not star.level)
    return frozenset(named)


@once_per_file
def _texts(facts: FileFacts) -> frozenset[str]:
    """The texts that stand in the code of a file."""
    return frozenset(
        part.value
        for statement in facts.statements
        for value in statement.values
        for part in walk(value)
        if isinstance(part, Constant) and isinstance(part.value, str)
    )


@once_per_file
def _imports(facts: FileFacts) -> tuple[Imported, ...]:
    found = {}
    for _, _, binding in facts.bindings():
        target = binding.target
        if target is None or target.level:
            continue
        module = target.dotted
        place = Place(facts.key, facts.statements[binding.statement].span)
        found[binding.statement, module] = Imported(
            facts.key, binding.loads or module, place, binding.statement
        )
    return tuple(found[mark] for mark in sorted(found))


@once
def environment_stores(project: Project, name: str) -> tuple[Ref, ...]:
    """The values that a program gives to an environment variable, in order of file and place."""
    return tuple(_find_stores(project, name))


def _find_stores(project: Project, name: str) -> Iterator[Ref]:
    for key in project.files_mentioning("environ"):
        facts = project.facts(key)
        assert facts is not None
        for statement in facts.statements:
            place = Ref(key, statement.scope, statement.id, Constant(None, statement.span))
            for target in stored_items(statement):
                given = stored_value(statement, target) if _is_variable(target, name) else None
                if given is not None:
                    yield _part_of(place._replace(expr=given[0], path=given[1]))
        for site in facts.calls:
            for value in _stored_by(site.call, name):
                yield Ref(key, site.scope, site.statement, value)


def _part_of(value: Ref) -> Ref:
    """What a path leads to, as far as the value is written out there."""
    while value.path and isinstance(value.expr, Collection):
        item = item_at(value.expr.items, value.path[0])
        if item is None:
            break
        value = value._replace(expr=item, path=value.path[1:])
    return value


def _stored_by(call: Call, name: str) -> Iterator[Expr]:
    """The values that a call gives to an environment variable: ``os.environ.update(NAME="1")``."""
    func, given = call.func, call.args
    if not isinstance(func, Attribute):
        return
    if func.attr in ("setdefault", "putenv") and len(given) == 2 and _says(given[0], name):
        yield given[1]
    elif func.attr == "update" and _is_environment(func.value):
        yield from (one.value for one in call.keywords if one.name == name)
        for one in given:
            pairs = zip(one.keys, one.values, strict=True) if isinstance(one, Mapping) else ()
            yield from (value for key, value in pairs if key is not None and _says(key, name))


def environment_removals(project: Project, name: str) -> Iterator[Ref]:
    """Where a program removes an environment variable: ``del os.environ[name]``, ``os.environ.pop(name)``."""
    for key in project.files_mentioning("environ"):
        facts = project.facts(key)
        assert facts is not None
        for statement in facts.statements:
            if statement.kind == "Delete" and any(_is_variable(target, name) for target in statement.targets):
                yield Ref(key, statement.scope, statement.id, Constant(None, statement.span))
        for site in facts.calls:
            func, given = site.call.func, site.call.args
            removes = isinstance(func, Attribute) and func.attr in ("pop", "unsetenv")
            if removes and given and _says(given[0], name):
                yield ref_of_call(key, site)


def _is_variable(target: Expr | None, name: str) -> bool:
    if not isinstance(target, Subscript) or not _says(target.item, name):
        return False
    return _is_environment(target.value)


def _is_environment(holder: Expr) -> bool:
    return isinstance(holder, (Attribute, Name)) and last_name(holder) == "environ"


def _says(expr: Expr, text: str) -> bool:
    return isinstance(expr, Constant) and expr.value == text


def stores_of(project: Project, attr: str) -> Iterator[tuple[Ref, Ref]]:
    """The plain assignments to an attribute called `attr`: the target, and the value that it gets."""
    for key in project.files_mentioning(attr):
        facts = project.facts(key)
        assert facts is not None
        for statement in facts.statements:
            for target in statement.targets if statement.kind == "Assign" else ():
                if isinstance(target, Attribute) and target.attr == attr:
                    ref = Ref(key, statement.scope, statement.id, target)
                    yield ref, ref._replace(expr=statement.values[0])


def is_text(expr: Expr, *words: str) -> bool:
    """Whether an expression is a literal text that contains one of `words`, whatever the case."""
    return (
        isinstance(expr, Constant)
        and isinstance(expr.value, str)
        and any(word in expr.value.lower() for word in words)
    )


def keyword_of(call: Call, name: str) -> Expr | None:
    """The keyword argument `name` of a call."""
    return next((one.value for one in call.keywords if one.name == name), None)
