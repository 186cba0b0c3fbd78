"""NPU configurations: entries of session configs, ``NPURunConfig`` calls, and the N that reaches them.

N is the value of ``iterations_per_loop``. Sources: CODE:npu_attrs.cc, CODE:npu_config.py, DOC-PORT.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple, cast

from npu_migrate.index.facts import (
    Attribute,
    Call,
    CallSite,
    Constant,
    Expr,
    FileFacts,
    Name,
    Subscript,
    argument,
    last_name,
)
from npu_migrate.index.names import code_scope
from npu_migrate.knowledge import npu
from npu_migrate.knowledge.run_config import POSITIONS
from npu_migrate.project.once import once, once_at
from npu_migrate.project.project import Project
from npu_migrate.project.ref import Ref, ref_of_call
from npu_migrate.semantics.aliases import aliases_of
from npu_migrate.semantics.calls.callers import callers
from npu_migrate.semantics.calls.parameters import argument_for
from npu_migrate.semantics.calls.signatures import passed_value
from npu_migrate.semantics.contexts import ends, traced
from npu_migrate.semantics.flow import call_targets, externals_called, is_partial, origins
from npu_migrate.semantics.latest import latest_origins
from npu_migrate.semantics.objects import Identity, identities
from npu_migrate.semantics.resolution import Definition, external_names
from npu_migrate.semantics.uses import Use, is_looked_at, uses
from npu_migrate.semantics.values.evaluation import evaluate
from npu_migrate.semantics.values.evidence import evidence
from npu_migrate.semantics.values.value import UNKNOWN, Known, Value, constant, is_integer, join
from npu_migrate.training.npu.options.written_pairs import written_pairs

CONFIG_LEVELS = ("custom_optimizers", "rewrite_options", "graph_options")
"""The attributes of a session config in which its entries are, the innermost first."""

FIELDS = frozenset({"b", "i", "f", "s", "list", "type", "shape", "tensor", "func", "placeholder"})
"""The fields of the protobuf value that a parameter map holds."""

_KNOWN_LIBRARIES = ("tensorflow.", "npu_bridge.", "keras.", "copy.", "logging.", "absl.")
_SETTER = "setattr"
"""Also the field of what it writes, since that may be computed."""

_MOST_MAKERS = 6
"""How many functions are looked at that make an entry, one by calling the other."""

_GETTERS = frozenset({"get_or_create", "__getitem__"})
_FILLING = ("CopyFrom", "MergeFrom", "ParseFromString", "extend", "append")
_COPIES = frozenset({"CopyFrom", "MergeFrom", "ParseFromString"})


class Entry(NamedTuple):
    """An ``….custom_optimizers.add()`` whose ``name`` is NpuOptimizer.

    `added` is the ``add()`` call, `named` the values given to ``name`` in assignments (none if ``add`` got
    it as an argument), `roots` the expressions that make the config, `configs` the objects that these are.
    """

    added: Ref
    named: tuple[Ref, ...]
    roots: tuple[Ref, ...]
    configs: frozenset[Identity]


class ParameterWrite(NamedTuple):
    """``entry.parameter_map[key].field = value``.

    `key` is None if it is computed, `value` if it cannot be told; `owner` is the expression that has the
    map, `target` the whole target. A write in a loop over a table counts once for each turn, one in a
    function that gets the key once for each call. `named` is the expression that says the key, `at` what
    makes the write happen: the target, or the call of the function. A value is `converted` if it passes
    through a function that makes bytes of texts on its way. A write is to `one_of_many` if the entry is made
    by a function that is called several times, and the write is to what one of these calls returned.
    """

    key: str | None
    field: str
    value: Ref | None
    owner: Ref
    target: Ref
    named: Ref
    at: Ref
    converted: bool = False
    one_of_many: bool = False

    @property
    def given(self) -> Ref | None:
        """The value, if all that the entry stands for get it."""
        return None if self.one_of_many else self.value


# -- the session route ---------------------------------------------------------------------------------


@once
def entries(project: Project) -> tuple[Entry, ...]:
    """All NpuOptimizer entries of session configs, in order of file and place."""
    if not project.mentions(npu.OPTIMIZER_NAME):
        return ()
    return tuple(one.entry for one in custom_optimizers(project) if one.is_called(npu.OPTIMIZER_NAME))


class CustomOptimizer(NamedTuple):
    """A custom optimizer of a session config, and what it may be called."""

    entry: Entry
    names: Value

    def is_called(self, name: str) -> bool:
        """Whether that is its name for certain."""
        return self.names.every(lambda given: given in (name, name.encode()))


@once
def custom_optimizers(project: Project) -> tuple[CustomOptimizer, ...]:
    """All custom optimizers of session configs, whatever they are called, in order of file and place.

    Those that are called otherwise are looked for only where there are any.
    """
    if not project.mentions(npu.OPTIMIZER_NAME) and not project.files_mentioning(CONFIG_LEVELS[0]):
        return ()
    found = _custom_optimizers(project)
    return tuple(sorted(found, key=lambda one: (one.entry.added.key, one.entry.added.expr.span)))


def _custom_optimizers(project: Project) -> Iterator[CustomOptimizer]:
    for key, site in project.calls_named("add"):
        added = ref_of_call(key, site)
        if not isinstance(site.call.func, Attribute):
            continue
        roots = tuple(config_roots(project, added._replace(expr=site.call.func.value), CONFIG_LEVELS))
        if not roots:
            continue
        named = tuple(_names_given(project, added))
        given = argument(site.call, "name")
        values = [evaluate(project, ref) for ref in named]
        if given is not None:
            values.append(evaluate(project, added._replace(expr=given)))
        configs = frozenset(item for root in roots for item in identities(project, root))
        yield CustomOptimizer(Entry(added, named, roots, configs), join(values))


def has_optimizers(project: Project, config: Ref) -> bool:
    """Whether code reads or fills the ``custom_optimizers`` of the session config made at `config`."""
    return any(
        root.expr is config.expr
        for key in project.files_mentioning(CONFIG_LEVELS[0])
        if key in project.neighbours(config.key)
        for site in project.attributes(key, CONFIG_LEVELS[0])
        for root in config_roots(project, project.ref_of(key, site), CONFIG_LEVELS)
    )


def is_filled_as_a_whole(project: Project, config: Ref) -> bool:
    """Whether code around a config fills one, or its part with the entries, from another one."""
    near = project.neighbours(config.key)
    return any(
        key in near and isinstance(site.call.func, Attribute) and _is_of_config(project, key, site)
        for name in _FILLING
        for key, site in project.calls_named(name)
    )


def _is_of_config(project: Project, key: str, site: CallSite) -> bool:
    assert isinstance(site.call.func, Attribute)
    filled = site.call.func.value
    if isinstance(filled, Attribute):
        return filled.attr in CONFIG_LEVELS
    made = origins(project, Ref(key, site.scope, site.statement, filled))
    return any("tensorflow.ConfigProto" in externals_called(project, one) for one in made)


def config_roots(project: Project, part: Ref, levels: tuple[str, ...]) -> Iterator[Ref]:
    """What makes the configs that `part` is a part of; `levels` are the attributes, the last one first."""
    level = [part]
    for name in levels:
        level = [outer for ref in level for outer in _one_level_out(project, ref, name)]
    for ref in level:
        yield from latest_origins(project, ref)


def _one_level_out(project: Project, ref: Ref, name: str) -> Iterator[Ref]:
    """The objects that have `ref` as their attribute `name`, read from them or built into them."""
    for origin in latest_origins(project, ref):
        if isinstance(origin.expr, Attribute):
            if origin.expr.attr == name:
                yield origin._replace(expr=origin.expr.value, path=())
        elif isinstance(origin.expr, Call):
            for use in uses(project, origin):
                if use.kind == "argument" and use.name == name:
                    yield use.ref


def _names_given(project: Project, added: Ref) -> Iterator[Ref]:
    for key in project.files_mentioning("name"):
        facts = project.facts(key)
        assert facts is not None
        for site in project.attributes(key, "name"):
            if site.stored and isinstance(site.expr, Attribute):
                receiver = Ref(key, site.scope, site.statement, site.expr.value)
                if any(origin.expr is added.expr for origin in latest_origins(project, receiver)):
                    statement = facts.statements[site.statement]
                    yield Ref(key, statement.scope, statement.id, statement.values[0])


def parameter_writes(project: Project, entry: Entry) -> tuple[ParameterWrite, ...]:
    """What code puts into the parameter map of an entry."""
    maker = _repeated_maker(project, entry.added)
    return tuple(
        write._replace(one_of_many=maker is not None and _is_to_one(project, entry, write, maker))
        for write in _all_writes(project)
        if any(origin.expr is entry.added.expr for origin in latest_origins(project, write.owner))
    )


@once_at
def _repeated_maker(project: Project, added: Ref) -> Definition | None:
    """The function that makes an entry, itself or by calls, and is called several times; None if none is."""
    seen: set[Definition] = set()
    while len(seen) < _MOST_MAKERS:
        facts = project.facts(added.key)
        assert facts is not None
        function = Definition(added.key, code_scope(facts, added.scope))
        known = () if function.scope == 0 or function in seen else callers(project, function).sites
        if len(known) > 1:
            return function
        if not known:
            return None
        seen.add(function)
        added = known[0]
    return None


def _is_to_one(project: Project, entry: Entry, write: ParameterWrite, maker: Definition) -> bool:
    """Whether a write is to what one call of the entry's maker returns, and not to what all of them do."""
    return any(
        frame.call is not None and frame.target == maker
        for end in ends(project, traced(write.owner))
        if end.ref.expr is entry.added.expr
        for frame in (*end.frames, *end.assumed)
    )


def stray_writes(project: Project, program: str) -> tuple[ParameterWrite, ...]:
    """Writes into parameter maps, in the files of a program, of entries that cannot be told."""
    files = project.programs.by_entry[program].files
    added = {id(entry.added.expr) for entry in entries(project)}
    return tuple(
        write
        for write in _all_writes(project)
        if write.owner.key in files
        and not any(id(origin.expr) in added for origin in latest_origins(project, write.owner))
    )


def is_out_of_sight(project: Project, entry: Entry) -> bool:
    """Whether code that cannot be seen gets the entry or its config, and may set parameters of it."""
    return any(
        use.kind in ("returned", "stored", "contained") or is_unknown_call(project, use)
        for use in uses(project, entry.added)
    ) or any(is_unknown_call(project, use) for root in entry.roots for use in uses(project, root))


def is_known_to_callees(project: Project, config: Ref) -> bool:
    """Whether every function that gets the config is one that sets no parameters, as far as known."""
    return not any(is_unknown_call(project, use) for use in uses(project, config))


def is_unknown_call(project: Project, use: Use) -> bool:
    """Whether a use passes a config to a function that cannot be seen, and may do anything with it."""
    call = use.ref.expr
    if use.kind != "argument" or not isinstance(call, Call):
        return False
    names = externals_called(project, use.ref)
    if call.args and is_partial(project, use.ref):
        names = external_names(project, use.ref.key, use.ref.scope, call.args[0])
    if not names:
        return not is_looked_at(use)
    return not all(name.startswith(_KNOWN_LIBRARIES) for name in names)


@once
def _all_writes(project: Project) -> tuple[ParameterWrite, ...]:
    return tuple(
        write
        for key in project.files_mentioning("parameter_map")
        for write in _writes_in(project, cast(FileFacts, project.facts(key)))
    )


def _writes_in(project: Project, facts: FileFacts) -> Iterator[ParameterWrite]:
    for statement in facts.statements:
        place = Ref(facts.key, statement.scope, statement.id, Constant(None, statement.span))
        for target in statement.targets:
            if isinstance(target, Attribute) and target.attr in FIELDS:
                plain = statement.kind in ("Assign", "AnnAssign")
                value = place._replace(expr=statement.values[0]) if plain else None
                yield from _write(project, place._replace(expr=target), target.value, target.attr, value)
        for call in statement.values:
            if isinstance(call, Call) and isinstance(call.func, Attribute) and call.func.attr in _COPIES:
                yield from _write(project, place._replace(expr=call), call.func.value, call.func.attr, None)
                yield from _copied(project, place._replace(expr=call), call.func)
    for site in facts.calls:
        func, args = site.call.func, site.call.args
        if isinstance(func, Name) and func.id == _SETTER and len(args) == 3:
            setter = ref_of_call(facts.key, site)
            yield from _write(project, setter, args[0], _SETTER, None)


def _write(
    project: Project, target: Ref, item: Expr, field: str, value: Ref | None
) -> Iterator[ParameterWrite]:
    for written in _items(project, target._replace(expr=item)):
        pairs = list(written_pairs(project, written.key, value, target))
        for origin in latest_origins(project, written.whole):
            if isinstance(origin.expr, Attribute) and origin.expr.attr == "parameter_map":
                owner = origin._replace(expr=origin.expr.value)
                for pair in pairs:
                    own = _passed_owner(project, owner, pair.at)
                    yield ParameterWrite(
                        pair.text, field, pair.value, own, target, pair.key, pair.at, pair.converted
                    )


def _passed_owner(project: Project, owner: Ref, at: Ref) -> Ref:
    """The entry that the call `at` gives to the function whose parameter `owner` is; `owner` elsewhere."""
    facts = project.facts(owner.key)
    assert facts is not None
    scope = facts.scopes[owner.scope]
    if not isinstance(owner.expr, Name) or not isinstance(at.expr, Call) or scope.kind != "function":
        return owner
    name = owner.expr.id
    is_parameter = [one.kind for one in scope.bindings.get(name, ())] == ["param"]
    if not is_parameter or Definition(owner.key, owner.scope) not in call_targets(project, at):
        return owner
    return argument_for(project, at, Definition(owner.key, owner.scope), name) or owner


def _copied(project: Project, call: Ref, func: Attribute) -> Iterator[ParameterWrite]:
    """What ``entry.MergeFrom(other)`` and ``entry.parameter_map.MergeFrom(other)`` write: any key."""
    for origin in origins(project, call._replace(expr=func.value)):
        is_map = isinstance(origin.expr, Attribute) and origin.expr.attr == "parameter_map"
        owner = origin._replace(expr=origin.expr.value) if isinstance(origin.expr, Attribute) else origin
        if is_map or _is_entry(origin.expr):
            yield ParameterWrite(None, func.attr, None, owner, call, call, call)


def _is_entry(expr: Expr) -> bool:
    """Whether an expression is ``….custom_optimizers.add()``."""
    func = expr.func if isinstance(expr, Call) else None
    return (
        isinstance(func, Attribute)
        and func.attr == "add"
        and (isinstance(func.value, Name) or last_name(func.value) == CONFIG_LEVELS[0])
    )


class _Item(NamedTuple):
    """``whole[key]``."""

    whole: Ref
    key: Ref


def _items(project: Project, ref: Ref) -> Iterator[_Item]:
    """The items of maps that an expression is, by a name for them as well."""
    for one in (ref,) if isinstance(ref.expr, Subscript) else origins(project, ref):
        expr = one.expr
        if isinstance(expr, Subscript) and not one.path:
            yield _Item(one._replace(expr=expr.value), one._replace(expr=expr.item))
        elif isinstance(expr, Call) and isinstance(expr.func, Attribute) and expr.func.attr in _GETTERS:
            key = argument(expr, "key", 0)
            if key is not None and not one.path:
                yield _Item(one._replace(expr=expr.func.value), one._replace(expr=key))


# -- the other routes ----------------------------------------------------------------------------------


def run_configs(project: Project) -> tuple[Ref, ...]:
    """All calls of ``NPURunConfig``, in order of file and place."""
    return calls_of(project, npu.RUN_CONFIG)


def helper_calls(project: Project) -> tuple[Ref, ...]:
    """All calls of ``npu_config_proto`` and ``npu_run_config_init``, in order of file and place."""
    found = (*calls_of(project, npu.CONFIG_PROTO_HELPER), *calls_of(project, npu.RUN_CONFIG_HELPER))
    return tuple(sorted(found, key=lambda ref: (ref.key, ref.expr.span)))


@once
def calls_of(project: Project, name: str) -> tuple[Ref, ...]:
    """All calls of the imported function or class with the canonical name `name`."""
    last = name.rpartition(".")[2]
    found = {
        id(site.call): ref_of_call(key, site)
        for spelling in {last, *aliases_of(project, {last})}
        for key, site in project.calls_named(spelling)
        if name in external_names(project, key, site.scope, site.call.func)
    }
    return tuple(sorted(found.values(), key=lambda ref: (ref.key, ref.expr.span)))


# -- N -------------------------------------------------------------------------------------------------


class Setting(NamedTuple):
    """One setting of a configuration: its value, and the expression that gives it (None if it is implied)."""

    value: Value
    given: Ref | None


_ONE_STEP = Setting(constant(1), None)


def entry_iterations(
    project: Project, entry: Entry, program: str | None = None, *, fulfilled: bool = False
) -> Setting:
    """N of a session config: 1 unless the entry sets it. `fulfilled` is as in `evidence`."""
    writes = [w for w in parameter_writes(project, entry) if w.key in (None, npu.ITERATIONS_PER_LOOP)]
    if not writes:
        return _ONE_STEP
    values = [
        evidence(project, write.given, program, fulfilled=fulfilled)
        if write.key is not None and write.field == "i" and write.given is not None
        else UNKNOWN
        for write in writes
    ]
    return Setting(join(values), writes[0].value)


def run_config_iterations(project: Project, call: Ref, program: str | None = None) -> Setting:
    """N of an ``NPURunConfig`` call: 1 unless it passes one."""
    return run_config_setting(project, call, npu.ITERATIONS_PER_LOOP, program) or _ONE_STEP


def run_config_setting(project: Project, call: Ref, name: str, program: str | None = None) -> Setting | None:
    """What an ``NPURunConfig`` call passes as `name`, by keyword, position or ``**``; None if it does not."""
    found = passed_value(project, call, name, POSITIONS.get(name), program)
    return None if found is None else Setting(found.value, found.given)


class LargestN(NamedTuple):
    """The N > 1 that matters most to a file: where it is given, and the programs that have one."""

    known: Known
    place: Ref
    programs: tuple[str, ...]


def largest_n(project: Project, key: str) -> LargestN | None:
    """The largest N > 1 in the programs of a file, one that is no default preferred; None if there is none.

    Where N is one of several alternatives, the smallest of them counts.
    """
    found: list[tuple[bool, int, Known, Ref, str]] = []
    for program in project.programs_of(key):
        for known, place in _offloading(project, program):
            found.append((not known.is_default, known.constant, known, place, program))
    if not found:
        return None
    best = max(found, key=lambda item: item[:2])
    programs = sorted({item[4] for item in found if item[0] == best[0]})
    return LargestN(best[2], best[3], tuple(programs))


@once
def _offloading(project: Project, program: str) -> tuple[tuple[Known, Ref], ...]:
    """Every N > 1 in the files of a program, with the config or expression that gives it."""
    return tuple(_find_offloading(project, program))


def _find_offloading(project: Project, program: str) -> Iterator[tuple[Known, Ref]]:
    files = project.programs.by_entry[program].files
    calls = [call for call in run_configs(project) if call.key in files]
    added = [entry for entry in entries(project) if entry.added.key in files]
    stray = [
        (write.target, write.value)
        for write in stray_writes(project, program)
        if write.key == npu.ITERATIONS_PER_LOOP and write.field == "i" and write.value is not None
    ]
    found = [(call, run_config_iterations(project, call, program)) for call in calls]
    found += [(entry.added, entry_iterations(project, entry, program)) for entry in added]
    found += [(target, Setting(evidence(project, value, program), value)) for target, value in stray]
    for config, iterations in found:
        if iterations.value.every(is_offloading):
            yield least(iterations.value), iterations.given or config


def least(n: Value) -> Known:
    """The least harmful of the possible values of N: a default if there is one, else the smallest."""
    return min(n.alternatives, key=lambda known: (not known.is_default, known.constant))


def is_offloading(n: object) -> bool:
    """Whether a value of N is a valid one above 1."""
    return is_integer(n) and n > 1
