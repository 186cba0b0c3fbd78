"""Horovod, and npu_bridge's functions in its place: all of a program is replaced, or nothing.

Sources: DOC-HVD, DOC-AR; CODE:npu_init.py, CODE:npu_optimizer.py, CODE:npu_hook.py, CODE:hccl_ops.py.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from types import MappingProxyType
from typing import NamedTuple

from npu_migrate.index.facts import NOTHING, Attribute, Call, Constant, Expr, FileFacts, Keyword, Name, walk
from npu_migrate.index.names import code_scope, lookup
from npu_migrate.intents import (
    DropItems,
    InsertStatement,
    Intent,
    ReplaceExpression,
    ReplaceStatement,
    Side,
)
from npu_migrate.knowledge import npu, npu_calls
from npu_migrate.places import Place
from npu_migrate.project.once import once
from npu_migrate.project.project import Project
from npu_migrate.project.ref import Ref
from npu_migrate.semantics.flow import externals_called
from npu_migrate.semantics.resolution import symbols
from npu_migrate.training.npu.configs import calls_of
from npu_migrate.training.npu.readings import files_with_npu_init
from npu_migrate.training.porting.config_edits import NAME_TAKEN
from npu_migrate.training.porting.edit import Edit, refused
from npu_migrate.training.porting.entry_code import import_of
from npu_migrate.training.porting.features.blocks import conditional_end, end_of_training
from npu_migrate.training.porting.features.found import Imported, imports_of, keyword_of
from npu_migrate.training.porting.spelling import line_text, source_text

PACKAGE = "horovod"
INIT, RANK, OPTIMIZER, BROADCAST, COLLECTIVE = "init", "rank", "optimizer", "broadcast", "collective"

_ALIAS = "hvd"
"""What everybody calls it."""

_SESSION, _SHUTDOWN = "npu_sess", "npu_shutdown"
_RANKS: Mapping[str, str] = MappingProxyType(
    {
        "rank": "get_npu_rank_id",
        "size": "get_npu_rank_size",
        "local_rank": "get_npu_local_rank_id",
        "local_size": "get_npu_local_rank_size",
    }
)
_OPTIMIZER = "npu_distributed_optimizer_wrapper"
_HOOK = "NPUBroadcastGlobalVariablesHook"
_CALLBACK = "NPUBroadcastGlobalVariablesCallback"
_WITHOUT_EFFECT = frozenset({"name", "device_dense", "device_sparse"})
"""Arguments that do not change what is computed, whatever they are."""

_KINDS: Mapping[str, str] = MappingProxyType(
    {
        "init": INIT,
        "shutdown": INIT,
        **dict.fromkeys(_RANKS, RANK),
        "DistributedOptimizer": OPTIMIZER,
        "DistributedGradientTape": OPTIMIZER,
        "BroadcastGlobalVariablesHook": BROADCAST,
        "broadcast_global_variables": BROADCAST,
        "broadcast_variables": BROADCAST,
        "BroadcastGlobalVariablesCallback": BROADCAST,
    }
)


class Use(NamedTuple):
    """A call of Horovod: `name` is the function, `kind` what it is for, `change` its replacement, if any.

    `imported` are the names of npu_bridge that the change needs, `read` the names of Horovod that it takes
    away.
    """

    ref: Ref
    name: str
    kind: str
    change: tuple[Intent, ...] | None
    imported: tuple[str, ...] = ()


@once
def horovod_uses(project: Project) -> tuple[Use, ...]:
    """All calls of Horovod, in order of file and place."""
    keys = {one.key for one in imports_of(project, (PACKAGE,))}
    found = [use for key in sorted(keys) for use in _uses_in(project, key)]
    found += [use for key in sorted(files_with_npu_init(project) - keys) for use in _left_over(project, key)]
    return tuple(sorted(found, key=lambda use: (use.ref.key, use.ref.expr.span)))


def _left_over(project: Project, key: str) -> Iterator[Use]:
    """The calls of Horovod in a file that the vendor's converter has taken its import from (TOOL)."""
    facts = project.facts(key)
    assert facts is not None
    for site in facts.calls if _ALIAS in facts.words else ():
        func = site.call.func
        if isinstance(func, Attribute) and isinstance(func.value, Name) and func.value.id == _ALIAS:
            ref = Ref(key, site.scope, site.statement, site.call)
            if lookup(facts, site.scope, _ALIAS) is None and not symbols(
                project, key, site.scope, func.value
            ):
                yield _use(project, facts, ref, site.call, func.attr)


def _uses_in(project: Project, key: str) -> Iterator[Use]:
    facts = project.facts(key)
    assert facts is not None
    for site in sorted(facts.calls, key=lambda one: one.call.span):
        ref = Ref(key, site.scope, site.statement, site.call)
        names = [name for name in externals_called(project, ref) if _is_function(name)]
        if len(names) == 1:
            yield _use(project, facts, ref, site.call, names[0].rpartition(".")[2])


def _is_function(name: str) -> bool:
    """Whether a canonical name is that of a function or class of a module of Horovod, not of a method.

    ``horovod.__version__.split`` is one of a text.
    """
    first, *inner, _ = name.split(".") if "." in name else ("", "")
    return first == PACKAGE and all(one.islower() and not one.startswith("__") for one in inner)


def _use(project: Project, facts: FileFacts, ref: Ref, call: Call, name: str) -> Use:
    kind = _KINDS.get(name, COLLECTIVE)
    change, imported = _change(project, facts, ref, call, name)
    return Use(ref, name, kind, change, imported)


_Change = tuple[tuple[Intent, ...] | None, tuple[str, ...]]
_MANUAL: _Change = (None, ())


def _change(project: Project, facts: FileFacts, ref: Ref, call: Call, name: str) -> _Change:
    func = Place(ref.key, call.func.span)
    if name in _RANKS:
        if call.args or call.keywords:
            return _MANUAL
        return (ReplaceExpression(func, _RANKS[name]),), (_RANKS[name],)
    if name == "init":
        return _init(facts, ref, call)
    if name == "shutdown":
        return _shutdown(project, ref)
    if name == "DistributedOptimizer":
        return _optimizer(ref, call, func)
    if name == "BroadcastGlobalVariablesHook":
        return _hook(project, ref, call)
    if name == "BroadcastGlobalVariablesCallback":
        if len(call.args) != 1 or call.keywords:
            return _MANUAL
        return (ReplaceExpression(func, _CALLBACK),), (_CALLBACK,)
    return _collective(project, ref, call, name, func)


def _init(facts: FileFacts, ref: Ref, call: Call) -> _Change:
    """The session that initializes the collective communication, and the operation that ends it."""
    statement = facts.statements[ref.statement]
    if statement.kind != "Expr" or statement.values[0] is not call or call.args or call.keywords:
        return _MANUAL
    place = Place(ref.key, statement.span)
    return (ReplaceStatement(place, f"{_SESSION}, {_SHUTDOWN} = init_resource()"),), ("init_resource",)


def _shutdown(project: Project, ref: Ref) -> _Change:
    statement = project.statement(ref)
    if statement.kind != "Expr" or statement.values[0] is not ref.expr:
        return _MANUAL
    place = Place(ref.key, statement.span)
    code = f"shutdown_resource({_SESSION}, {_SHUTDOWN})"
    return (
        ReplaceStatement(place, code),
        InsertStatement(place, Side.AFTER, f"close_session({_SESSION})"),
    ), ("shutdown_resource", "close_session")


def _optimizer(ref: Ref, call: Call, func: Place) -> _Change:
    others = [one for one in call.keywords if one.name != "optimizer"]
    if len(call.args) + len(call.keywords) - len(others) != 1:
        return _MANUAL
    if not all(_changes_nothing(one) for one in others):
        return _MANUAL
    dropped = tuple(Place(ref.key, one.value.span) for one in others)
    intents: tuple[Intent, ...] = (ReplaceExpression(func, _OPTIMIZER),)
    if dropped:
        intents += (DropItems(ref.place, dropped),)
    return intents, (_OPTIMIZER,)


def _hook(project: Project, ref: Ref, call: Call) -> _Change:
    given = call.args[0] if len(call.args) == 1 else keyword_of(call, "root_rank")
    text = None if given is None else source_text(project, ref._replace(expr=given))
    if text is None or len(call.args) + len(call.keywords) != 1:
        return _MANUAL
    code = f"{_HOOK}({text}, get_npu_rank_id())"
    return (ReplaceExpression(ref.place, code),), (_HOOK, "get_npu_rank_id")


def _collective(project: Project, ref: Ref, call: Call, name: str, func: Place) -> _Change:
    given = source_text(project, ref._replace(expr=call.args[0])) if call.args else None
    if given is None:
        return _MANUAL
    if name == "allreduce" and len(call.args) == 1:
        return _allreduce(ref, call, func, given)
    if name == "allgather" and len(call.args) == 1 and not call.keywords:
        code = f"hccl_ops.allgather({given}, get_npu_rank_size())"
        return (ReplaceExpression(ref.place, code),), ("hccl_ops", "get_npu_rank_size")
    if name == "broadcast" and len(call.args) == 2 and not call.keywords:
        root = source_text(project, ref._replace(expr=call.args[1]))
        if root is not None:
            code = f"hccl_ops.broadcast([{given}], {root})[0]"
            return (ReplaceExpression(ref.place, code),), ("hccl_ops",)
    return _MANUAL


def _allreduce(ref: Ref, call: Call, func: Place, given: str) -> _Change:
    given_too = [one for one in call.keywords if not _changes_nothing(one)]
    if not call.keywords:
        return (ReplaceExpression(func, "npu_allreduce"),), ("npu_allreduce",)
    if not given_too:
        return (ReplaceExpression(ref.place, f"npu_allreduce({given})"),), ("npu_allreduce",)
    first, *rest = given_too
    if rest:
        return _MANUAL
    means_sum = first.name == "op" and isinstance(first.value, Attribute) and first.value.attr == "Sum"
    if means_sum or (first.name == "average" and _is(first.value, False)):
        return (ReplaceExpression(ref.place, f'hccl_ops.allreduce({given}, "sum")'),), ("hccl_ops",)
    return _MANUAL


def _changes_nothing(given: Keyword) -> bool:
    """Whether an argument leaves what is computed as it is: the mean, not compressed."""
    if given.name in _WITHOUT_EFFECT:
        return True
    if given.name == "average":
        return _is(given.value, True)
    word = given.value.attr if isinstance(given.value, Attribute) else None
    return (given.name, word) in (("op", "Average"), ("compression", "none"))


def _is(expr: Expr, value: object) -> bool:
    return isinstance(expr, Constant) and expr.value is value


# -- all together ------------------------------------------------------------------------------------------


WITH_OTHERS = "something else of Horovod in the program cannot be replaced"
SEVERAL_INITS = "init() is called at several places, and init_resource() has to be run once"
NO_INIT = "no call of init() is seen in the program"
NO_END = (
    "behind all of the training, in the function or module that calls init(), no place is found for "
    "shutdown_resource()"
)
SHUTDOWN_ELSEWHERE = "shutdown() is called in another function than init(), which keeps the session"
READ_OTHERWISE = (
    "Horovod's module is also used otherwise than in calls, or is not imported by a statement of its own "
    "at the top of its file"
)
LEFT_BY_A_CONVERSION = "its import is gone, and the program does not begin with init_resource()"


@once
def horovod_group(project: Project, program: str) -> Edit:
    """What replaces Horovod in a program as a whole, or the reason why nothing does."""
    files = project.programs.by_entry[program].files
    used = [use for use in horovod_uses(project) if use.ref.key in files]
    inits = [use for use in used if use.name == "init"]
    if not any(one.key in files for one in imports_of(project, (PACKAGE,))):
        return _replaced_leftovers(project, files, used)
    if any(use.change is None for use in used):
        return refused(WITH_OTHERS)
    if len(inits) != 1:
        return refused(SEVERAL_INITS if inits else NO_INIT)
    intents = [intent for use in used for intent in use.change or ()]
    ending: tuple[str, ...] = ()
    if not any(use.name == "shutdown" for use in used):
        closing = _closing(project, inits[0].ref)
        if not closing:
            return refused(NO_END)
        intents += closing
        ending = ("shutdown_resource", "close_session")
    elif not _in_one_scope(project, used):
        return refused(SHUTDOWN_ELSEWHERE)
    imports = _imports(project, files, used, ending, inits[0].ref.key)
    return refused(READ_OTHERWISE) if imports is None else Edit(tuple(dict.fromkeys((*intents, *imports))))


def _closing(project: Project, init: Ref) -> tuple[InsertStatement, ...]:
    """What ends the communication behind all trainings, under the condition under which it was begun."""
    lines = f"shutdown_resource({_SESSION}, {_SHUTDOWN})", f"close_session({_SESSION})"
    last = end_of_training(project, init)
    if last is not None:
        place = Place(init.key, last)
        return tuple(InsertStatement(place, Side.AFTER, line, 90 + i) for i, line in enumerate(lines))
    end = conditional_end(project, init)
    if end is None:
        return ()
    code = "\n    ".join((f"if {end.condition}:", *lines))
    return (InsertStatement(Place(init.key, end.last), Side.AFTER, code, 90),)


def _replaced_leftovers(project: Project, files: frozenset[str], used: list[Use]) -> Edit:
    """What replaces the calls that a conversion has left, in a program that it has given everything else."""
    begun = any(call.key in files for call in calls_of(project, npu_calls.INIT_RESOURCE))
    if any(use.change is None for use in used):
        return refused(WITH_OTHERS)
    if not begun or any(use.kind == INIT for use in used):
        return refused(LEFT_BY_A_CONVERSION)
    intents = [intent for use in used for intent in use.change or ()]
    for key in sorted({use.ref.key for use in used}):
        facts = project.facts(key)
        assert facts is not None
        names = {name for use in used if use.ref.key == key for name in use.imported}
        imports = import_of(project, facts, 0, *sorted(names))
        if imports is None:
            return refused(NAME_TAKEN)
        intents += imports
    return Edit(tuple(dict.fromkeys(intents)))


def _in_one_scope(project: Project, used: list[Use]) -> bool:
    """Whether what ``init`` gives can be read where ``shutdown`` is called."""
    scopes = set()
    for use in used:
        if use.kind == INIT:
            facts = project.facts(use.ref.key)
            assert facts is not None
            scopes.add((use.ref.key, code_scope(facts, use.ref.scope)))
    return len(scopes) == 1


def _imports(
    project: Project, files: frozenset[str], used: list[Use], ending: tuple[str, ...], home: str
) -> tuple[Intent, ...] | None:
    """What takes the place of the imports of Horovod; None where something else of it is used."""
    found: list[Intent] = []
    for key in sorted({one.key for one in imports_of(project, (PACKAGE,)) if one.key in files}):
        imports = [one for one in imports_of(project, (PACKAGE,)) if one.key == key]
        own = [use for use in used if use.ref.key == key]
        if _is_read_otherwise(project, key, own) or not all(_stands_alone(project, one) for one in imports):
            return None
        names = {name for use in own for name in use.imported} | ({*ending} if key == home else set())
        statements = {one.statement: one.place for one in imports}
        first, *others = statements.values()
        if names and all(_can_go(project, key, number) for number in statements):
            facts = project.facts(key)
            assert facts is not None
            adding = import_of(project, facts, 0, *sorted(names))
            if adding is None:
                return None
            found += (*adding, ReplaceStatement(first, ""))
        else:
            code = f"from {npu.NPU_INIT} import {', '.join(sorted(names))}" if names else "import npu_bridge"
            found.append(ReplaceStatement(first, code))
        found += (ReplaceStatement(place, "") for place in others)
    return tuple(found)


def _stands_alone(project: Project, one: Imported) -> bool:
    """Whether an import statement at the top of the module imports nothing but Horovod."""
    facts = project.facts(one.key)
    assert facts is not None
    bound = [binding.target for _, _, binding in facts.bindings() if binding.statement == one.statement]
    modules = {target.module.partition(".")[0] for target in bound if target is not None}
    return modules == {PACKAGE} and None not in bound and facts.statements[one.statement].scope == 0


def _can_go(project: Project, key: str, number: int) -> bool:
    """Whether an import has a line of its own at the top of the module, without a comment behind it."""
    facts = project.facts(key)
    assert facts is not None
    statement = facts.statements[number]
    line = line_text(project, Place(key, statement.span))
    return statement.parent == NOTHING and line is not None and not set("#;\\").intersection(line)


def _is_read_otherwise(project: Project, key: str, used: list[Use]) -> bool:
    """Whether a name of Horovod is read where no call of it is replaced."""
    facts = project.facts(key)
    assert facts is not None
    aliases = {
        name
        for _, name, binding in facts.bindings()
        if binding.target is not None and binding.target.module.partition(".")[0] == PACKAGE
    }
    known = {
        id(expr)
        for use in used
        for expr in walk(use.ref.expr)
        if isinstance(expr, Name) and expr.id in aliases
    }
    return any(
        not site.stored and id(site.expr) not in known
        for alias in aliases
        for site in project.names(key, alias)
    )
