"""Where the NpuOptimizer entry goes for a call that takes a config: three forms of one edit.

E: the entry is added where the config is made, or to a new one before the call. C: the config comes from
where nobody looks, may be None, or also belongs to a session that is to stay on the host: the call gets a
copy with the entry. H: no statement can stand before the call: a helper of npu_bridge is called around the
config.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

from npu_migrate.findings import Applicability
from npu_migrate.index.facts import (
    Attribute,
    Call,
    Collection,
    Comprehension,
    Conditional,
    Constant,
    Expr,
    FileFacts,
    Mapping,
    Name,
    Operation,
    Subscript,
    argument,
    children,
    walk,
)
from npu_migrate.index.names import code_scope, lookup, spelled
from npu_migrate.intents import (
    BindExpression,
    Intent,
    ReplaceExpression,
    Side,
    WrapExpression,
)
from npu_migrate.knowledge import session_configs
from npu_migrate.places import Place
from npu_migrate.project.project import Project
from npu_migrate.project.ref import Ref, ref_of_call
from npu_migrate.semantics.calls.parameters import is_super
from npu_migrate.semantics.calls.passing import is_dictionary, passed_objects
from npu_migrate.semantics.calls.signatures import added, has_star, starred_dictionary
from npu_migrate.semantics.flow import externals_called, origins
from npu_migrate.semantics.uses import uses
from npu_migrate.training.npu.options.rewriter import options_set_at_creation
from npu_migrate.training.npu.options.soft_placement import OPTION, says_soft_placement
from npu_migrate.training.porting.configured import (
    has_entry,
    is_config_proto,
    is_copied,
    is_overwritten,
)
from npu_migrate.training.porting.edit import Edit, refused
from npu_migrate.training.porting.entry_code import Key, entry_lines, import_of, inserted
from npu_migrate.training.porting.spelling import new_names, source_text, tensorflow_at

WITHOUT_OFFLOAD = (
    "no statement fits before the call, so npu_bridge's npu_config_proto makes the config, which leaves "
    "enable_data_pre_proc off though the session may read tf.data"
)
CONFIG_NAME = "npu_config"
ENTRY_NAME = "custom_op"
_HELPER = "npu_config_proto"

NO_STATEMENT = "no statement can stand before it"
NOT_ON_ONE_LINE = "its config cannot be written on one line"
NAME_TAKEN = "a name that is needed means something else in the file"
NOT_IN_VIEW = "its arguments cannot be seen"


class Wanted(NamedTuple):
    """What is asked of an edit.

    `call` takes the config as `keyword` or at `position`; `name` is what it calls. `given` is the config that
    it gets, if any. `offload`: a ``tf.data`` iterator feeds what runs. `number` tells calls of one function
    apart. `wrapped` makes of a config the value that the call takes. `made_with` is what a new config begins
    with.
    `keys` are further options of the NPU.
    """

    call: Ref
    name: str
    keyword: str
    position: int | None
    given: Ref | None
    offload: bool
    number: int
    wrapped: Callable[[str, str], str] = lambda config, _: config
    made_with: str = ""
    keys: tuple[Key, ...] = ()


def plan_entry(project: Project, wanted: Wanted, is_other: Callable[[Ref], bool]) -> Edit:
    """What gives a call a config with the entry.

    `is_other` tells of a call that also gets the config whether it is one that has to stay on the host.
    """
    assert isinstance(wanted.call.expr, Call)
    passed = passed_objects(project, wanted.call, wanted.keyword, wanted.position)
    if has_star(wanted.call) and wanted.position is not None:
        return refused(NOT_IN_VIEW)
    if not passed.direct and (passed.values or not passed.certain):
        return _out_of_dictionary(project, wanted)
    if wanted.given is None:
        return _new_config(project, wanted)
    made = origins(project, wanted.given)
    if all(is_config_proto(project, one) for one in made):
        places = [_place_of(project, wanted, one) for one in made]
        known = [place for place in places if place is not None]
        if len(known) == len(made) and not any(_is_shared(project, one, is_other) for one in made):
            lacking = [place for place, one in zip(known, made, strict=True) if not has_entry(project, one)]
            return _at_creations(project, wanted, lacking)
    return _copied(project, wanted, made)


# -- E: at the creation ----------------------------------------------------------------------------------


class _Creation(NamedTuple):
    """A call of ``ConfigProto``; `name` is what it is assigned to, None if it has to get a name first."""

    made: Ref
    name: str | None


def _place_of(project: Project, wanted: Wanted, made: Ref) -> _Creation | None:
    """How the entry gets into a config where it is made; None where it cannot."""
    facts = project.facts(made.key)
    assert facts is not None
    statement = facts.statements[made.statement]
    if facts.scopes[statement.scope].kind == "class" or made.scope != statement.scope:
        return None
    is_whole = len(statement.values) == 1 and statement.values[0] is made.expr
    if is_whole and statement.kind in ("Assign", "AnnAssign") and len(statement.targets) == 1:
        target = statement.targets[0]
        name = None if target is None else spelled(target)
        return None if name is None else _Creation(made, name)
    if is_whole and statement.kind == "Return":
        return _Creation(made, None)
    if wanted.given is not None and wanted.given.expr is made.expr and _is_evaluated_first(project, wanted):
        return _Creation(made, None)
    return None


def _is_evaluated_first(project: Project, wanted: Wanted) -> bool:
    """Whether the config stands in a call that its statement evaluates first, behind plain arguments only."""
    facts = _facts(project, wanted.call.key)
    statement = facts.statements[wanted.call.statement]
    call, given = wanted.call.expr, wanted.given
    assert isinstance(call, Call) and given is not None
    value = statement.values[0] if statement.values else None
    if statement.kind not in ("Assign", "AnnAssign", "Expr", "Return", "With"):
        return False
    while value is not call:
        # sess = tf.Session(config=...).__enter__()
        if isinstance(value, Call) and isinstance(value.func, Attribute):
            value = value.func.value
        else:
            return False
    arguments = (*call.args, *(keyword.value for keyword in call.keywords))
    before = arguments[: arguments.index(given.expr)]
    # tf.estimator.RunConfig().replace(session_config=...) makes another object first.
    return (is_super(call) or _is_plain(call.func)) and all(map(_is_plain, before))


def _is_plain(expr: Expr) -> bool:
    """Whether evaluating something does nothing: names, attributes, constants, choices and lists of them."""
    if isinstance(expr, Collection):
        return all(map(_is_plain, expr.items))
    if isinstance(expr, (Conditional, Operation)):
        return all(map(_is_plain, children(expr)))
    return spelled(expr) is not None or isinstance(expr, Constant)


def _is_shared(project: Project, made: Ref, is_other: Callable[[Ref], bool]) -> bool:
    """Whether a config also goes to what has to stay on the host, or is filled from another one later.

    What a copy of it is for, nobody asks: that may well be the host.
    """
    if is_overwritten(project, made) or is_copied(project, made):
        return True
    return any(use.kind == "argument" and is_other(use.ref) for use in uses(project, made))


def _at_creations(project: Project, wanted: Wanted, creations: Sequence[_Creation]) -> Edit:
    intents: list[Intent] = []
    for creation in creations:
        made = creation.made
        facts = _facts(project, made.key)
        imports = import_of(project, facts, made.scope, session_configs.REWRITER_CONFIG)
        if imports is None:
            return refused(NAME_TAKEN)
        number = (
            wanted.number if made.expr is (wanted.given and wanted.given.expr) else _number_of(project, made)
        )
        config, entry = new_names(project, made, number, CONFIG_NAME, ENTRY_NAME)
        soft = not says_soft_placement(project, made)
        said = options_set_at_creation(project, made, creation.name) if creation.name else ()
        lines = entry_lines(
            creation.name or config, entry, offload=wanted.offload, soft=soft, keys=wanted.keys, said=said
        )
        if creation.name is None:
            intents.append(BindExpression(made.place, config, lines))
        else:
            intents += inserted(_statement(project, made), Side.AFTER, lines)
        intents += imports
    return Edit(tuple(dict.fromkeys(intents)))


def _number_of(project: Project, made: Ref) -> int:
    """The how manyth config of its function this is."""
    facts = _facts(project, made.key)
    home = code_scope(facts, made.scope)
    refs = (ref_of_call(facts.key, site) for site in facts.calls)
    earlier = [
        ref
        for ref in refs
        if ref.expr.span < made.expr.span
        and code_scope(facts, ref.scope) == home
        and is_config_proto(project, ref)
    ]
    return len(earlier)


# -- E: a new config before the call -----------------------------------------------------------------------


def _new_config(project: Project, wanted: Wanted) -> Edit:
    facts = _facts(project, wanted.call.key)
    if not takes_statement_before(facts, wanted.call):
        return _by_helper(project, wanted)
    spelling = tensorflow_at(project, wanted.call, wanted.name)
    imports = import_of(project, facts, wanted.call.scope, session_configs.REWRITER_CONFIG)
    if spelling is None or imports is None:
        return refused(NAME_TAKEN)
    tf, more = spelling
    config, entry = new_names(project, wanted.call, wanted.number, CONFIG_NAME, ENTRY_NAME)
    soft = OPTION not in wanted.made_with
    lines = (
        f"{config} = {tf}.ConfigProto({wanted.made_with})",
        *entry_lines(config, entry, offload=wanted.offload, soft=soft, keys=wanted.keys),
    )
    return Edit(
        (
            *inserted(_statement(project, wanted.call), Side.BEFORE, lines, wanted.number),
            *_passed(wanted, wanted.wrapped(config, tf)),
            *more,
            *imports,
        )
    )


def _passed(wanted: Wanted, code: str) -> tuple[Intent, ...]:
    """What passes `code` to the call: in the place of a None that stands there, else as keyword."""
    call = wanted.call.expr
    assert isinstance(call, Call)
    standing = argument(call, wanted.keyword, wanted.position)
    if standing is not None:
        return (ReplaceExpression(Place(wanted.call.key, standing.span), code),)
    return added(wanted.call, ((wanted.keyword, code),)) or ()


# -- C: a copy -------------------------------------------------------------------------------------------


def _copied(project: Project, wanted: Wanted, made: Sequence[Ref]) -> Edit:
    assert wanted.given is not None
    if not takes_statement_before(_facts(project, wanted.call.key), wanted.call):
        return _by_helper(project, wanted)
    if _is_bound_by_its_statement(project, wanted.call, wanted.given.expr):
        return _by_helper(project, wanted)
    text = _text_of(project, wanted)
    if text is None:
        return refused(NOT_ON_ONE_LINE if is_config_proto(project, wanted.given) else NO_STATEMENT)
    is_there = all(is_config_proto(project, one) for one in made)
    is_made_here = is_there and any(one.expr is wanted.given.expr for one in made)
    soft = not is_there or _lacks_soft_placement(project, made)
    return _with_copy(project, wanted, text, soft, is_there=is_there, is_made_here=is_made_here)


def _lacks_soft_placement(project: Project, made: Sequence[Ref]) -> bool:
    """Whether soft placement may be given to a copy of these configs: none of them decides otherwise."""
    saying = [one for one in made if says_soft_placement(project, one)]
    given = [argument(one.expr, OPTION) for one in saying if isinstance(one.expr, Call)]
    agree = all(isinstance(one, Constant) and one.value is True for one in given)
    return len(saying) < len(made) and agree


def _out_of_dictionary(project: Project, wanted: Wanted) -> Edit:
    """The edit for a call that may get a config out of a dictionary: ``tf.Session(**kwargs)``."""
    dictionary = starred_dictionary(wanted.call)
    text = None if dictionary is None else spelled(dictionary.expr)
    if dictionary is None or text is None or not is_dictionary(project, dictionary):
        return refused(NOT_IN_VIEW)
    if not takes_statement_before(
        _facts(project, wanted.call.key), wanted.call
    ) or _is_bound_by_its_statement(project, wanted.call, dictionary.expr):
        return refused(NO_STATEMENT)
    if wanted.wrapped("x", "") != "x":
        return refused(NOT_IN_VIEW)
    return _with_copy(project, wanted, f'{text}.get("{wanted.keyword}")', soft=True)


def _with_copy(
    project: Project,
    wanted: Wanted,
    text: str,
    soft: bool,
    *,
    is_there: bool = False,
    is_made_here: bool = False,
) -> Edit:
    """The edit that passes a copy of the config `text`, or that itself if it `is_made_here`."""
    spelling = tensorflow_at(project, wanted.call, wanted.name)
    facts = _facts(project, wanted.call.key)
    imports = import_of(project, facts, wanted.call.scope, session_configs.REWRITER_CONFIG)
    if spelling is None or imports is None:
        return refused(NAME_TAKEN)
    tf, more = spelling
    config, entry = new_names(project, wanted.call, wanted.number, CONFIG_NAME, ENTRY_NAME)
    first = [f"{config} = {text}"]
    if not is_made_here:
        copied = text if is_there else f"{text} or {tf}.ConfigProto()"
        first = [f"{config} = {tf}.ConfigProto()", f"{config}.CopyFrom({copied})"]
    lines = (*first, *entry_lines(config, entry, offload=wanted.offload, soft=soft, keys=wanted.keys))
    return Edit(
        (
            *inserted(_statement(project, wanted.call), Side.BEFORE, lines, wanted.number),
            *_passed(wanted, wanted.wrapped(config, tf)),
            *more,
            *imports,
        )
    )


def _is_bound_by_its_statement(project: Project, call: Ref, expr: Expr) -> bool:
    """Whether an expression has a name that the statement of a call binds before the call: ``with f() as
    config, tf.Session(config=config):``. Before the statement it means nothing yet, or another thing.
    """
    facts = _facts(project, call.key)
    names = [part.id for part in walk(expr) if isinstance(part, Name)]
    found = [lookup(facts, call.scope, name) for name in names]
    binds_first = facts.statements[call.statement].kind not in ("Assign", "AnnAssign")
    return any(
        binding.statement == call.statement and (binds_first or binding.kind != "assign")
        for one in found
        if one is not None
        for binding in one.bindings
    )


def _is_item_of_display(project: Project, wanted: Wanted) -> bool:
    """Whether the given config is an item of a list or dictionary: reading it does nothing. Before it, its
    ``with`` calls only what is none of the program's own code, which might fill the list."""
    assert wanted.given is not None
    expr = wanted.given.expr
    if not isinstance(expr, Subscript) or spelled(expr.value) is None or not _is_plain(expr.item):
        return False
    held = origins(project, wanted.given._replace(expr=expr.value))
    if not held or not all(
        isinstance(one.expr, (Collection, Comprehension, Mapping)) and not one.path for one in held
    ):
        return False
    values = project.statement(wanted.call).values
    before = values[: values.index(wanted.call.expr)] if wanted.call.expr in values else values
    return all(
        isinstance(one, Call) and bool(externals_called(project, wanted.call._replace(expr=one)))
        for one in before
    )


def _text_of(project: Project, wanted: Wanted) -> str | None:
    """The text of the given config, if it may be evaluated before the statement."""
    assert wanted.given is not None
    text = spelled(wanted.given.expr)
    if text is not None:
        return text
    if _is_item_of_display(project, wanted):
        return source_text(project, wanted.given)
    if is_config_proto(project, wanted.given):
        return source_text(project, wanted.given)
    if _is_plain(wanted.given.expr) or _is_evaluated_first(project, wanted):
        found = source_text(project, wanted.given)
        binds_loosely = isinstance(wanted.given.expr, (Conditional, Operation))
        return f"({found})" if found is not None and binds_loosely else found
    return None


# -- H: by a helper ----------------------------------------------------------------------------------------


def _by_helper(project: Project, wanted: Wanted) -> Edit:
    facts = _facts(project, wanted.call.key)
    imports = import_of(project, facts, wanted.call.scope, _HELPER)
    spelling = tensorflow_at(project, wanted.call, wanted.name)
    if imports is None or spelling is None:
        return refused(NAME_TAKEN)
    if wanted.wrapped("x", "") != "x":
        return refused(NO_STATEMENT)
    if wanted.given is None:
        change = _passed(wanted, f"{_HELPER}()")
    else:
        change = (WrapExpression(wanted.given.place, f"{_HELPER}(config_proto=", ")"),)
    if wanted.offload:
        return Edit((*change, *imports), Applicability.UNSAFE, assumes=WITHOUT_OFFLOAD)
    return Edit((*change, *imports))


# -- statements --------------------------------------------------------------------------------------------


def takes_statement_before(facts: FileFacts, ref: Ref) -> bool:
    """Whether a statement can stand before the one of `ref` and be run whenever `ref` is evaluated."""
    statement = facts.statements[ref.statement]
    return (
        ref.scope == statement.scope
        and facts.scopes[statement.scope].kind in ("function", "module")
        and statement.kind not in ("FunctionDef", "AsyncFunctionDef", "ClassDef")
    )


def _statement(project: Project, ref: Ref) -> Place:
    return Place(ref.key, project.statement(ref).span)


def _facts(project: Project, key: str) -> FileFacts:
    facts = project.facts(key)
    assert facts is not None
    return facts
