"""The edits that put an entry with ``enable_data_pre_proc`` into the config that one of the helpers gets."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Literal, NamedTuple

from npu_migrate.findings import Applicability
from npu_migrate.index.facts import (
    Attribute,
    Call,
    Collection,
    Constant,
    Expr,
    FileFacts,
    Mapping,
    Name,
    Operation,
    argument,
    children,
    walk,
)
from npu_migrate.index.names import spelled
from npu_migrate.intents import BindExpression, InsertStatement, Intent, ReplaceExpression, SetArgument, Side
from npu_migrate.knowledge import npu
from npu_migrate.places import Place
from npu_migrate.project.once import once_per_file
from npu_migrate.project.project import Project
from npu_migrate.project.ref import Ref
from npu_migrate.semantics.calls.signatures import added
from npu_migrate.semantics.flow import externals_called, origins, owner_classes
from npu_migrate.semantics.objects import identities
from npu_migrate.semantics.resolution import External, Module, attribute_symbols
from npu_migrate.semantics.uses import uses
from npu_migrate.semantics.values.literals import code_of, code_on_one_line
from npu_migrate.training.npu.config_reach import RUN_CONFIGS, configs_given, readers_of
from npu_migrate.training.npu.configs import has_optimizers, is_unknown_call
from npu_migrate.training.npu.switching.config_sources import (
    ConfigSource,
    config_sources,
    helper_name,
    reaches_without_helper,
)
from npu_migrate.training.pipelines.order import certainly_before
from npu_migrate.training.pipelines.placement.naming import fresh_name, unbindable
from npu_migrate.training.pipelines.placement.spelling import tensorflow_spelling

_CONFIG = "npu_config"
_ENTRY = "custom_op"
_WITHOUT_PLACE = frozenset({"comprehension", "lambda", "statement"})
_CONVERSIONS = frozenset({"int", "float", "str", "bool", "len", "max", "min"})
_WHOLESALE = ("CopyFrom", "MergeFrom", "ParseFromString", "Clear", "ClearField")
_CLUSTER = "cluster"
_TPU_CLUSTER = "TPUClusterResolver"
_TF_CONFIG = "TF_CONFIG"

Obstacle = Literal["hidden", "place", "entry", "name"]
Doubt = Literal["shared", "cluster", "replaced"]


class Plan(NamedTuple):
    """The edits, and what they assume; or, where there are none, why."""

    intents: tuple[Intent, ...] = ()
    doubt: Doubt | None = None
    obstacle: Obstacle | None = None

    @property
    def applicability(self) -> Applicability:
        """Safe unless the edits assume something."""
        return Applicability.SAFE if self.doubt is None else Applicability.UNSAFE


class _Refused(Exception):
    """There are no edits, for a reason."""

    def __init__(self, obstacle: Obstacle) -> None:
        super().__init__(obstacle)
        self.obstacle: Obstacle = obstacle


def plan_switch(project: Project, helper: Ref) -> Plan:
    """What puts the entry into everything that the config of the helper's call at `helper` may be made of."""
    sources = config_sources(project, helper)
    try:
        intents = [intent for source in sources for intent in _into(project, source)]
    except _Refused as refused:
        return Plan(obstacle=refused.obstacle)
    doubt = next((found for source in sources if (found := _doubt(project, helper, source))), None)
    return Plan(tuple(dict.fromkeys(intents)), doubt)


def _into(project: Project, source: ConfigSource) -> Iterator[Intent]:
    if source.kind == "hidden":
        raise _Refused("hidden")
    if source.kind == "proto":
        yield from _into_proto(project, source.ref)
    elif source.kind == "none":
        yield from _new_config(project, source.ref)
        yield ReplaceExpression(source.ref.place, _fresh(project, source.ref, _CONFIG))
    elif source.kind == "run config":
        yield from _into_call(project, source.ref, "session_config")
    elif helper_name(project, source.ref) == npu.CONFIG_PROTO_HELPER:
        yield from _given_to_helper(project, source.ref, "config_proto", _fresh(project, source.ref, _CONFIG))
    else:
        config = _fresh(project, source.ref, _CONFIG)
        run_config = f"{_tensorflow(project, source.ref)}.estimator.RunConfig(session_config={config})"
        yield from _given_to_helper(project, source.ref, "run_config", run_config)


# -- where there is a ConfigProto ----------------------------------------------------------------------


def _into_proto(project: Project, made: Ref) -> Iterator[Intent]:
    if has_optimizers(project, made):
        raise _Refused("entry")
    name = _variable(project, made)
    if name is not None:
        yield from _inserted(project, made, Side.AFTER, _entry(project, made, name))
        return
    _require_place(project, made)
    name = _fresh(project, made, _CONFIG)
    entry = _entry(project, made, name)
    if not _is_plain(project, made) or "#" in code_of(project, made):
        yield BindExpression(made.place, name, tuple(entry))
        return
    code = code_on_one_line(project, made)
    yield from _inserted(project, made, Side.BEFORE, [f"{name} = {code}", *entry])
    yield ReplaceExpression(made.place, name)


def _variable(project: Project, made: Ref) -> str | None:
    """The variable, or the field of an object of the project, to which a statement stores what is `made`."""
    statement = project.statement(made)
    if statement.kind not in ("Assign", "AnnAssign") or statement.values[0] is not made.expr:
        return None
    target = statement.targets[0]
    if isinstance(target, Name) or (isinstance(target, Attribute) and owner_classes(project, made, target)):
        return spelled(target)
    return None


def _is_plain(project: Project, ref: Ref) -> bool:
    """Whether an expression makes messages of plain values: it may be evaluated earlier in its statement."""
    expr = ref.expr
    if isinstance(expr, (Constant, Name)):
        return True
    if isinstance(expr, Call):
        name = expr.func.id if isinstance(expr.func, Name) else None
        called = externals_called(project, ref)
        if name not in _CONVERSIONS and not (called and all(one.startswith("tensorflow.") for one in called)):
            return False
        given = (*expr.args, *(keyword.value for keyword in expr.keywords))
        return all(_is_plain(project, ref._replace(expr=value)) for value in given)
    if isinstance(expr, (Attribute, Collection, Mapping, Operation)):
        return all(_is_plain(project, ref._replace(expr=part)) for part in children(expr))
    return False


# -- where there is none -------------------------------------------------------------------------------


def _into_call(project: Project, call: Ref, keyword: str) -> Iterator[Intent]:
    config = _fresh(project, call, _CONFIG)
    yield from _new_config(project, call)
    intents = added(call, [(keyword, config)])
    if intents is None:
        raise _Refused("hidden")
    yield from intents


def _given_to_helper(project: Project, helper: Ref, keyword: str, code: str) -> Iterator[Intent]:
    """Gives the helper a config, in place of the ``None`` that it gets, if it gets one."""
    assert isinstance(helper.expr, Call)
    yield from _new_config(project, helper)
    given = argument(helper.expr, keyword, 0)
    if given is None:
        yield SetArgument(helper.place, keyword, code)
    else:
        yield ReplaceExpression(Place(helper.key, given.span), code)


def _new_config(project: Project, ref: Ref) -> Iterator[Intent]:
    """Makes a config with the entry before the statement of `ref`."""
    _require_place(project, ref)
    name = _fresh(project, ref, _CONFIG)
    made = f"{name} = {_tensorflow(project, ref)}.ConfigProto()"
    yield from _inserted(project, ref, Side.BEFORE, [made, *_entry(project, ref, name)])


# -- statements ----------------------------------------------------------------------------------------


def _entry(project: Project, ref: Ref, config: str) -> list[str]:
    entry = _fresh(project, ref, _ENTRY)
    return [
        f"{entry} = {config}.graph_options.rewrite_options.custom_optimizers.add()",
        f'{entry}.name = "{npu.OPTIMIZER_NAME}"',
        f'{entry}.parameter_map["{npu.DATA_PRE_PROC}"].b = True',
    ]


def _inserted(project: Project, ref: Ref, side: Side, lines: list[str]) -> Iterator[InsertStatement]:
    place = ref._replace(expr=Constant(None, project.statement(ref).span)).place
    return (InsertStatement(place, side, line, rank) for rank, line in enumerate(lines))


def _require_place(project: Project, ref: Ref) -> None:
    """Raise `_Refused` where no statement can stand before that of `ref`."""
    if ref.key not in project.targets:
        raise _Refused("place")
    statement = project.statement(ref)
    is_elif = statement.kind == "If" and statement.block == "orelse" and statement.position == 0
    if is_elif or unbindable(project, ref) in _WITHOUT_PLACE:
        raise _Refused("place")


def _fresh(project: Project, ref: Ref, base: str) -> str:
    facts = project.facts(ref.key)
    assert facts is not None
    return fresh_name(project, facts, project.statement(ref).scope, (), base)


def _tensorflow(project: Project, ref: Ref) -> str:
    facts = project.facts(ref.key)
    assert facts is not None
    name = tensorflow_spelling(project, facts, ref.scope) or _starred(project, facts)
    if name is None:
        raise _Refused("name")
    return name


def _starred(project: Project, facts: FileFacts) -> str | None:
    """``tf`` where a star import binds it, as that of ``npu_init`` does."""
    is_there = External("tensorflow") in attribute_symbols(project, Module(facts.key), "tf")
    return "tf" if is_there else None


# -- who else is concerned -----------------------------------------------------------------------------


def _doubt(project: Project, helper: Ref, source: ConfigSource) -> Doubt | None:
    """What an edit at a source assumes, if anything."""
    made = [ref for ref in (source.ref, source.run_config) if ref is not None and source.kind != "nothing"]
    if any(_is_shared(project, helper, ref) for ref in made):
        return "shared"
    if source.kind == "proto" and _is_overwritten(project, source.ref):
        return "replaced"
    if source.kind in ("run config", "none") and source.run_config is not None:
        return "cluster" if _depends_on_cluster(project, source.run_config) else None
    return None


def _is_shared(project: Project, helper: Ref, made: Ref) -> bool:
    """Whether something gets the object that the helper does not prepare before, or code that is not seen."""
    if not isinstance(made.expr, Call):
        return False
    if any(is_unknown_call(project, use) and not _is_dict(use.ref.expr) for use in uses(project, made)):
        return True
    for reader in readers_of(project, identities(project, made)):
        call = reader.ref.expr
        assert isinstance(call, Call)
        if externals_called(project, reader.ref) & RUN_CONFIGS or _runs_after(project, helper, reader.ref):
            continue
        given = configs_given(call)
        if any(reaches_without_helper(project, reader.ref._replace(expr=value), made) for value in given):
            return True
    return False


def _is_dict(call: Expr) -> bool:
    return isinstance(call, Call) and isinstance(call.func, Name) and call.func.id == "dict"


def _runs_after(project: Project, helper: Ref, reader: Ref) -> bool:
    facts = project.facts(helper.key)
    assert facts is not None
    return reader.key == helper.key and certainly_before(facts, helper.statement, reader.statement)


def _is_overwritten(project: Project, proto: Ref) -> bool:
    """Whether code replaces the contents of the config, or of a part of it, as a whole."""
    files = project.neighbours(proto.key)
    for name in _WHOLESALE:
        for key, site in project.calls_named(name):
            if key in files and isinstance(site.call.func, Attribute):
                receiver = Ref(key, site.scope, site.statement, site.call.func.value)
                if any(whole == id(proto.expr) for whole, _ in identities(project, receiver)):
                    return True
    return False


def _depends_on_cluster(project: Project, run_config: Ref) -> bool:
    """Whether the session config that TensorFlow would make by itself depends on a cluster [TF]."""
    assert isinstance(run_config.expr, Call)
    if any(_mentions_cluster(project, facts) for facts in _facts(project, run_config.key)):
        return True
    given = argument(run_config.expr, _CLUSTER)
    return given is not None and not all(
        (isinstance(made.expr, Constant) and made.expr.value is None)
        or any(name.endswith(_TPU_CLUSTER) for name in externals_called(project, made))
        for made in origins(project, run_config._replace(expr=given))
    )


def _facts(project: Project, key: str) -> Iterator[FileFacts]:
    """The files of the programs of a file."""
    found = map(project.facts, sorted(project.neighbours(key)))
    return (facts for facts in found if facts is not None)


@once_per_file
def _mentions_cluster(facts: FileFacts) -> bool:
    """Whether a file reads or sets the environment variable that tells an Estimator of a cluster."""
    return any(
        isinstance(part, Constant) and part.value == _TF_CONFIG
        for statement in facts.statements
        for expr in (*statement.values, *(target for target in statement.targets if target is not None))
        for part in walk(expr)
    )
