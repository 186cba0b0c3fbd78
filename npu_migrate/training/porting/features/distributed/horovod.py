"""The calls of Horovod, and npu_bridge's functions in their place.

Sources: DOC-HVD, DOC-AR; CODE:npu_init.py, CODE:npu_optimizer.py, CODE:npu_hook.py, CODE:hccl_ops.py.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from types import MappingProxyType
from typing import NamedTuple

from npu_migrate.index.facts import Attribute, Call, Constant, Expr, FileFacts, Keyword, Name
from npu_migrate.index.names import ancestors, lookup
from npu_migrate.intents import (
    DropItems,
    InsertStatement,
    Intent,
    ReplaceExpression,
    ReplaceStatement,
    Side,
)
from npu_migrate.places import Place
from npu_migrate.project.once import once
from npu_migrate.project.project import Project
from npu_migrate.project.ref import Ref, ref_of_call
from npu_migrate.semantics.resolution import symbols
from npu_migrate.training.npu.readings import files_with_npu_init
from npu_migrate.training.porting.features.distributed.communication import communication
from npu_migrate.training.porting.features.distributed.horovod_calls import (
    HorovodCall,
    files_importing_horovod,
    horovod_calls,
    horovod_imports,
)
from npu_migrate.training.porting.features.found import Imported, keyword_of
from npu_migrate.training.porting.spelling import source_text

INIT, RANK, OPTIMIZER, BROADCAST, COLLECTIVE = "init", "rank", "optimizer", "broadcast", "collective"

_ALIAS = "hvd"
"""What everybody calls it."""

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
    keys = files_importing_horovod(project)
    found = [use for one in horovod_calls(project) for use in _made(project, one)]
    found += [use for key in sorted(files_with_npu_init(project) - keys) for use in _left_over(project, key)]
    once_each = {id(use.ref.expr): use for use in reversed(found)}
    return tuple(sorted(once_each.values(), key=lambda use: (use.ref.key, use.ref.expr.span)))


def _made(project: Project, one: HorovodCall) -> Iterator[Use]:
    facts = project.facts(one.ref.key)
    assert facts is not None
    assert isinstance(one.ref.expr, Call)
    yield _use(project, facts, one.ref, one.ref.expr, one.name)


def is_imported_on_condition(project: Project, files: frozenset[str]) -> bool:
    """Whether some of a program's `files` import Horovod, and do so below an ``if`` wherever they do."""
    imports = [one for one in horovod_imports(project) if one.key in files]
    return bool(imports) and all(_is_below_an_if(project, one) for one in imports)


def _is_below_an_if(project: Project, one: Imported) -> bool:
    facts = project.facts(one.key)
    assert facts is not None
    return any(facts.statements[outer].kind == "If" for outer in ancestors(facts, one.statement))


def _left_over(project: Project, key: str) -> Iterator[Use]:
    """The calls of Horovod in a file that the vendor's converter has taken its import from (TOOL)."""
    facts = project.facts(key)
    assert facts is not None
    for site in facts.calls if _ALIAS in facts.words else ():
        func = site.call.func
        if isinstance(func, Attribute) and isinstance(func.value, Name) and func.value.id == _ALIAS:
            ref = ref_of_call(key, site)
            if lookup(facts, site.scope, _ALIAS) is None and not symbols(
                project, key, site.scope, func.value
            ):
                yield _use(project, facts, ref, site.call, func.attr)


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
        return _init(project, ref, call)
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


def _init(project: Project, ref: Ref, call: Call) -> _Change:
    """The session that initializes the collective communication, and the operation that ends it."""
    statement = project.statement(ref)
    if statement.kind != "Expr" or statement.values[0] is not call or call.args or call.keywords:
        return _MANUAL
    place = Place(ref.key, statement.span)
    return (ReplaceStatement(place, communication(project, ref).begin),), ("init_resource",)


def _shutdown(project: Project, ref: Ref) -> _Change:
    statement = project.statement(ref)
    if statement.kind != "Expr" or statement.values[0] is not ref.expr:
        return _MANUAL
    place = Place(ref.key, statement.span)
    _, shut_down, close = communication(project, ref)
    return (
        ReplaceStatement(place, shut_down),
        InsertStatement(place, Side.AFTER, close),
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
