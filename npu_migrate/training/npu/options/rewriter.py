"""What session configs with an NpuOptimizer entry say to TensorFlow's own graph rewriter."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import NamedTuple

from npu_migrate.index.facts import Attribute, Call, FileFacts, ImportTarget, last_name
from npu_migrate.index.names import spelled
from npu_migrate.knowledge.npu import NPU_INIT, STAR_MODULES
from npu_migrate.project.once import once
from npu_migrate.project.project import Project
from npu_migrate.project.ref import Ref
from npu_migrate.semantics.calls.passing import passed_objects
from npu_migrate.semantics.flow import origins
from npu_migrate.semantics.objects import identities
from npu_migrate.semantics.values.evaluation import evaluate
from npu_migrate.training.npu.configs import Entry, config_roots, entries

REMAPPING = "remapping"
MEMORY = "memory_optimization"
PRUNING = "disable_model_pruning"

_LEVELS = ("rewrite_options", "graph_options")
_ENUMS = frozenset({"RewriterConfig", "Toggle", "MemOptType"})
_MEMBERS = {
    "DEFAULT": 0,
    "ON": 1,
    "OFF": 2,
    "AGGRESSIVE": 3,
    "DEFAULT_MEM_OPT": 0,
    "NO_MEM_OPT": 1,
    "MANUAL": 2,
    "HEURISTICS": 3,
    "SWAPPING_HEURISTICS": 4,
    "RECOMPUTATION_HEURISTICS": 5,
    "SCHEDULING_HEURISTICS": 6,
}
"""The members of ``RewriterConfig`` with their numbers [TF]."""

_OFF = {REMAPPING: frozenset({2}), MEMORY: frozenset({1, 2})}


class RewriterOption(NamedTuple):
    """One of the three options that is set: `value` is its expression, `entry` whose config it belongs to."""

    name: str
    value: Ref
    entry: Entry


@once
def rewriter_options(project: Project) -> tuple[RewriterOption, ...]:
    """Where configs with an entry set one of the three options, in order of file and place."""
    found = [one for name in (REMAPPING, MEMORY, PRUNING) for one in _stored(project, name)]
    set_later = {(id(one.entry.added.expr), one.name) for one in found}
    for one in _constructed(project):
        if (id(one.entry.added.expr), one.name) not in set_later:
            found.append(one)
    return tuple(sorted(found, key=lambda one: (one.value.key, one.value.expr.span)))


def _constructed(project: Project) -> Iterator[RewriterOption]:
    """The options that the call that makes a config gives: ``ConfigProto(graph_options=…)``."""
    for entry in entries(project):
        made = _calls(project, entry.roots)
        for argument in reversed(_LEVELS):
            made = _calls(
                project, [one for ref in made for one in passed_objects(project, ref, argument).values]
            )
        for ref in made:
            for name in (REMAPPING, MEMORY, PRUNING):
                for value in passed_objects(project, ref, name).values:
                    yield RewriterOption(name, value, entry)


def _calls(project: Project, values: Iterable[Ref]) -> list[Ref]:
    """The calls that make some values."""
    found = {id(one.expr): one for value in values for one in origins(project, value)}
    return [one for one in found.values() if isinstance(one.expr, Call) and not one.path]


def _stored(project: Project, name: str) -> Iterator[RewriterOption]:
    for key in project.files_mentioning(name) if entries(project) else ():
        facts = project.facts(key)
        assert facts is not None
        for site in project.attributes(key, name):
            statement = facts.statements[site.statement]
            if not site.stored or not isinstance(site.expr, Attribute) or statement.kind != "Assign":
                continue
            options = Ref(key, site.scope, site.statement, site.expr.value)
            configs = {
                item for root in config_roots(project, options, _LEVELS) for item in identities(project, root)
            }
            value = Ref(key, statement.scope, statement.id, statement.values[0])
            for entry in entries(project):
                if entry.configs & configs:
                    yield RewriterOption(name, value, entry)
                    break


def is_off(project: Project, option: RewriterOption) -> bool | None:
    """Whether an option is set as the NPU wants it; None if that cannot be told."""
    number = _number(project, option.value)
    if number is None:
        return None
    if option.name == PRUNING:
        return number in (False, 0)
    return not isinstance(number, (bool, str)) and number in _OFF[option.name]


def _number(project: Project, ref: Ref) -> bool | int | str | None:
    expr = ref.expr
    if isinstance(expr, Attribute) and last_name(expr.value) in _ENUMS:
        return _MEMBERS.get(expr.attr)
    known = evaluate(project, ref).only
    constant = None if known is None else known.constant
    return constant if isinstance(constant, (bool, int, str)) else None


def options_set_at_creation(project: Project, made: Ref, config: str) -> frozenset[str]:
    """The options that the statements right behind the creation of a config set, to what is known.

    `config` is the name that the call at `made` gets. NPU607 mends such an option where it stands.
    """
    facts = project.facts(made.key)
    assert facts is not None
    created = facts.statements[made.statement]
    block = project.block(facts, created.parent, created.block)
    found = set()
    for statement in block[created.position + 1 :]:
        target = statement.targets[0] if len(statement.targets) == 1 else None
        text = None if target is None else spelled(target)
        if statement.kind != "Assign" or text is None or not text.startswith(f"{config}."):
            break
        value = Ref(made.key, statement.scope, statement.id, statement.values[0])
        for name in (REMAPPING, MEMORY):
            is_option = text == ".".join((config, *reversed(_LEVELS), name))
            if is_option and _number(project, value) is not None:
                found.add(name)
    return frozenset(found)


def says_nothing(project: Project, name: str, program: str) -> bool:
    """Whether no file of a program has the name of an option anywhere, not even in a comment."""
    files = project.programs.by_entry[program].files
    return not any(project.contains(key, name.encode()) for key in files)


class Spelling(NamedTuple):
    """How a file may say OFF, and the import that it needs for that; None if it has it."""

    code: str
    imported: str | None


def off_spelling(project: Project, key: str) -> Spelling:
    """``RewriterConfig.OFF`` in the file `key`."""
    facts = project.facts(key)
    assert facts is not None
    is_bound = any(
        target.name == "RewriterConfig" or target.module in STAR_MODULES
        for target in (*_imported(facts), *facts.scopes[0].stars)
    )
    return Spelling("RewriterConfig.OFF", None if is_bound else f"from {NPU_INIT} import RewriterConfig")


def _imported(facts: FileFacts) -> Iterator[ImportTarget]:
    """What the module imports under its own name, of RewriterConfig."""
    for name, bindings in facts.scopes[0].bindings.items():
        for binding in bindings:
            if binding.target is not None and name == binding.target.name == "RewriterConfig":
                yield binding.target
