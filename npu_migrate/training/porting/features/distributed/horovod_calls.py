"""Where a program calls Horovod, also through objects that its module was given to, and where nobody sees it.

Horovod is one group: what replaces a part of it is only right if all of it is known.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from npu_migrate.index.facts import (
    Attribute,
    Binding,
    Call,
    Conditional,
    Constant,
    Expr,
    FileFacts,
    Name,
    Statement,
    last_name,
    walk,
)
from npu_migrate.project.once import once, once_per_file
from npu_migrate.project.project import Project
from npu_migrate.project.ref import Ref, ref_of_call
from npu_migrate.semantics.each_once import EachOnce
from npu_migrate.semantics.flow import activations, externals_called, origins
from npu_migrate.semantics.resolution import external_names
from npu_migrate.semantics.statements import names_of_scope
from npu_migrate.semantics.uses import Use, is_looked_at, uses
from npu_migrate.training.pipelines.reachability import function_of
from npu_migrate.training.porting.features.found import Imported, imports_of
from npu_migrate.training.porting.spelling import source_text
from npu_migrate.training.porting.ways import IMPORTERS

PACKAGE = "horovod"
_OF_OTHER_FRAMEWORKS = frozenset({"mxnet", "torch"})
"""The modules of Horovod with which nothing of TensorFlow is trained."""

_DISTINCTIVE = frozenset(
    {
        "BroadcastGlobalVariablesCallback",
        "BroadcastGlobalVariablesHook",
        "DistributedGradientTape",
        "DistributedOptimizer",
        "MetricAverageCallback",
        "LearningRateWarmupCallback",
        "LearningRateScheduleCallback",
        "allgather",
        "allreduce",
        "alltoall",
        "broadcast",
        "broadcast_global_variables",
        "broadcast_object",
        "broadcast_variables",
        "cross_size",
        "grouped_allreduce",
        "init",
        "is_initialized",
        "join",
        "load_model",
        "local_rank",
        "local_size",
        "mpi_threads_supported",
        "rank",
        "shutdown",
        "size",
    }
)
"""The functions and classes of its modules, as far as they are looked for through other objects."""

_FUNCTIONS = ("FunctionDef", "AsyncFunctionDef")
_FROM = "ImportFrom"
_STAR = re.compile(rf"from\s+{PACKAGE}\b.*\*")
_GETATTR = "getattr"


class HorovodCall(NamedTuple):
    """A call of a function or class of Horovod: `name` is its last word."""

    ref: Ref
    name: str


def is_of_horovod(name: str) -> bool:
    """Whether a dotted name is that of Horovod, or of something in it, that is there for TensorFlow."""
    package, _, inner = name.partition(".")
    return package == PACKAGE and inner.partition(".")[0] not in _OF_OTHER_FRAMEWORKS


@once
def horovod_imports(project: Project) -> tuple[Imported, ...]:
    """The imports of Horovod for TensorFlow, or of something in it, in order of file and place."""
    return tuple(one for one in imports_of(project, (PACKAGE,)) if is_of_horovod(one.module))


@once
def files_importing_horovod(project: Project) -> frozenset[str]:
    """The files that import Horovod, wherever in them, or all names of one of its modules."""
    starred = (facts.key for facts in project.relevant() if _has_star(project, facts))
    return frozenset((*(one.key for one in horovod_imports(project)), *starred))


@once_per_file
def _has_star(facts: FileFacts) -> bool:
    return any(
        not star.level and is_of_horovod(star.module) for scope in facts.scopes for star in scope.stars
    )


@once
def horovod_calls(project: Project) -> tuple[HorovodCall, ...]:
    """All calls of Horovod that are seen to be some."""
    found: dict[int, HorovodCall] = {}
    for key in sorted(files_importing_horovod(project)):
        for one in _called_by_name(project, key):
            found.setdefault(id(one.ref.expr), one)
    for one in _called_through_objects(project):
        found.setdefault(id(one.ref.expr), one)
    return tuple(found.values())


def _called_by_name(project: Project, key: str) -> Iterator[HorovodCall]:
    facts = project.facts(key)
    assert facts is not None
    for site in facts.calls:
        ref = ref_of_call(key, site)
        names = [name for name in externals_called(project, ref) if _is_function(name)]
        if len(names) == 1:
            yield HorovodCall(ref, names[0].rpartition(".")[2])


def _is_function(name: str) -> bool:
    """Whether a canonical name is that of a function or class of a module of Horovod, not of a method.

    ``horovod.__version__.split`` is one of a text, ``horovod.tensorflow.allreduce.eval`` one of a tensor.
    """
    _, *inner, _ = name.split(".") if "." in name else ("", "")
    return is_of_horovod(name) and all(
        one.islower() and not one.startswith("__") and one not in _DISTINCTIVE for one in inner
    )


def _called_through_objects(project: Project) -> Iterator[HorovodCall]:
    """The calls in programs with Horovod whose receiver is its module by way of other objects and files."""
    near = {one for key in files_importing_horovod(project) for one in project.neighbours(key)}
    for name in sorted(_DISTINCTIVE) if near else ():
        for key, site in project.calls_named(name):
            ref = ref_of_call(key, site)
            if key in near and _is_of_horovod(project, ref, site.call.func):
                yield HorovodCall(ref, name)
    for key, site in project.calls_named(_GETATTR) if near else ():
        ref = ref_of_call(key, site)
        name_read = _name_read(site.call)
        if key in near and name_read is not None and _is_horovod(project, ref, site.call.args[0]):
            outer = project.parent_ref(ref)
            if outer is not None and isinstance(outer.expr, Call) and outer.expr.func is site.call:
                yield HorovodCall(outer, name_read)


def _is_of_horovod(project: Project, call: Ref, func: Expr) -> bool:
    if any(_is_function(name) for name in externals_called(project, call)):
        return True
    return isinstance(func, Attribute) and _is_horovod(project, call, func.value)


def _is_horovod(project: Project, ref: Ref, expr: Expr) -> bool:
    """Whether an expression may be a module of Horovod."""
    made = (*origins(project, ref._replace(expr=expr, path=())), ref._replace(expr=expr))
    return any(_names_horovod(project, one) for one in made if isinstance(one.expr, (Name, Attribute)))


def _names_horovod(project: Project, ref: Ref) -> bool:
    names = external_names(project, ref.key, ref.scope, ref.expr)
    return any(map(is_of_horovod, names))


def _name_read(call: Call) -> str | None:
    """The name that a ``getattr`` reads, if it is a text."""
    given = call.args[1] if len(call.args) > 1 else None
    return given.value if isinstance(given, Constant) and isinstance(given.value, str) else None


# -- what nobody sees ----------------------------------------------------------------------------------


@once
def unseen_horovod(project: Project) -> tuple[Ref, ...]:
    """The first place in each file where Horovod goes to where nobody sees what is called of it."""
    called = frozenset(id(one.ref.expr) for one in horovod_calls(project))
    first: dict[str, Ref] = {}
    for ref in sorted(
        (*_imported_otherwise(project), *_reads(project)), key=lambda one: (one.key, one.expr.span)
    ):
        if ref.key not in first and (
            isinstance(ref.expr, (Call, Constant)) or _is_lost(project, ref, called)
        ):
            first[ref.key] = ref
    return tuple(first.values())


def _imported_otherwise(project: Project) -> Iterator[Ref]:
    """Horovod imported by a text, by an import that makes a field of a class, or with all of its names."""
    for name in IMPORTERS:
        for key, site in project.calls_named(name):
            given = site.call.args[0] if site.call.args else None
            text = given.value if isinstance(given, Constant) else None
            if isinstance(text, str) and is_of_horovod(text):
                yield ref_of_call(key, site)
    for key in sorted(files_importing_horovod(project)):
        facts = project.facts(key)
        assert facts is not None
        for scope, _, binding in facts.bindings():
            if scope.kind == "class" and binds_horovod(binding):
                yield _place_of(facts, facts.statements[binding.statement])
        for statement in facts.statements if _has_star(project, facts) else ():
            place = _place_of(facts, statement)
            if statement.kind == _FROM and _STAR.match(source_text(project, place) or ""):
                yield place


def _place_of(facts: FileFacts, statement: Statement) -> Ref:
    return Ref(facts.key, statement.scope, statement.id, Constant(None, statement.span))


def binds_horovod(binding: Binding) -> bool:
    """Whether an import binds a name to Horovod for TensorFlow, or to something of it."""
    return binding.target is not None and is_of_horovod(binding.target.dotted)


def _reads(project: Project) -> Iterator[Ref]:
    """Where a name is read by which a file imports Horovod, or something of it, there and around it."""
    homes = files_importing_horovod(project)
    near = {one for key in homes for one in project.neighbours(key)}
    found = [facts for facts in map(project.facts, sorted(homes)) if facts is not None]
    words = {name for facts in found for _, name, binding in facts.bindings() if binds_horovod(binding)}
    for word in sorted(words):
        for key in project.files_mentioning(word):
            for site in (*project.names(key, word), *project.attributes(key, word)) if key in near else ():
                ref = project.ref_of(key, site)
                if not site.stored and _names_horovod(project, ref):
                    yield ref


def _is_lost(project: Project, read: Ref, called: frozenset[int]) -> bool:
    """Whether Horovod, or a function of it, goes to where it is not seen what becomes of it."""
    values = EachOnce([read])
    for value in values:
        whole = _whole(project, value)
        parent = project.parent_ref(whole)
        if parent is not None and isinstance(parent.expr, Call) and parent.expr.func is whole.expr:
            if id(parent.expr) not in called and not _is_of_text(whole.expr):
                return True
            continue
        if not _may_be_called(project, whole):
            continue
        if _is_field_of_class(project, whole):
            return True
        for use in uses(project, whole):
            readers = _readers(project, use)
            if readers:
                values.add(*readers)
            elif not _is_in_sight(project, use, called):
                return True
    return False


def _whole(project: Project, ref: Ref) -> Ref:
    """The longest chain of attributes that something is the beginning of."""
    while True:
        parent = project.parent_ref(ref)
        if parent is None or not isinstance(parent.expr, Attribute):
            return ref
        ref = parent


def _is_of_text(read: Expr) -> bool:
    """Whether something is a method of a text: ``horovod.__version__.split``."""
    return any(isinstance(one, Attribute) and one.attr.startswith("__") for one in walk(read))


def _may_be_called(project: Project, read: Ref) -> bool:
    """Whether something of Horovod is a function, a class or a module, not a constant such as ``Average``."""
    names = external_names(project, read.key, read.scope, read.expr)
    if any(map(is_of_horovod, names)):
        return any(name == PACKAGE or (_is_function(name) and _is_called(name)) for name in names)
    return not isinstance(read.expr, Attribute) or _is_called(read.expr.attr)


def _is_called(name: str) -> bool:
    word = name.rpartition(".")[2]
    return word in _DISTINCTIVE or (word.islower() and not word.startswith("__"))


def _is_field_of_class(project: Project, read: Ref) -> bool:
    """Whether a value becomes a field of a class, which is read by ways that are not followed."""
    statement = project.statement(read)
    facts = project.facts(read.key)
    assert facts is not None
    return bool(statement.targets) and facts.scopes[statement.scope].kind == "class"


def _readers(project: Project, use: Use) -> tuple[Ref, ...]:
    """Where a value is read further: as the beginning of an attribute, by a property, by its default."""
    if use.kind == "attribute":
        return (use.ref,)
    if use.kind == "returned":
        return activations(project, function_of(project, use.ref))
    facts = project.facts(use.ref.key)
    assert facts is not None
    statement = facts.statements[use.ref.statement]
    if use.kind != "stored" or statement.kind not in _FUNCTIONS:
        return ()
    return tuple(
        Ref(use.ref.key, site.scope, site.statement, site.expr)
        for one in facts.scopes[statement.defines].parameters
        if one.default is use.ref.expr
        for site in names_of_scope(project, use.ref.key, one.name, statement.defines)
        if not site.stored
    )


def _is_in_sight(project: Project, use: Use, called: frozenset[int]) -> bool:
    """Whether it is known what becomes of Horovod, or a function of it, at a place where it goes."""
    call = use.ref.expr
    if use.kind == "call":
        return id(call) in called
    if use.kind != "argument" or not isinstance(call, Call):
        return use.kind == "tested" or (use.kind == "contained" and isinstance(call, Conditional))
    if last_name(call.func) == _GETATTR:
        outer = project.parent_ref(use.ref)
        return outer is not None and id(outer.expr) in called
    return id(call) in called or is_looked_at(use)
