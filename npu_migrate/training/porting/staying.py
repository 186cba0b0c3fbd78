"""What is meant to stay where it is: tests, eager code, sessions and programs that ask for the CPU."""

from __future__ import annotations

import re
from collections.abc import Iterator

from npu_migrate.index.facts import (
    NOTHING,
    Attribute,
    Call,
    Constant,
    Expr,
    FileFacts,
    Mapping,
    Name,
    Subscript,
    argument,
    last_name,
    walk,
)
from npu_migrate.index.names import ancestors, code_scope, enclosing_class, enclosing_function
from npu_migrate.knowledge import porting
from npu_migrate.project.once import once
from npu_migrate.project.project import Project
from npu_migrate.project.ref import Ref
from npu_migrate.semantics.flow import call_sites, externals_called, origins
from npu_migrate.semantics.inheritance import subclasses
from npu_migrate.semantics.objects import identities
from npu_migrate.semantics.resolution import Definition, External, all_bases
from npu_migrate.semantics.values.evaluation import evaluate
from npu_migrate.training.pipelines.eager import is_eager
from npu_migrate.training.pipelines.reachability import constructions
from npu_migrate.training.porting.features.found import environment_removals, environment_stores
from npu_migrate.training.porting.reach import is_run
from npu_migrate.training.porting.runners import Runner
from npu_migrate.training.porting.trains import surely_trains

_TEST_CASE = "TestCase"
_TEST_MODULE = re.compile(r"test_.*|.*_test")
_ASSERTION = re.compile(r"assert[A-Z]")
_TEST_FUNCTION = re.compile(r"test(_|[A-Z])")
_EXPORTING = frozenset({"convert_variables_to_constants", "SavedModelBuilder", "simple_save", "freeze_graph"})
_DEVICE_COUNT = "device_count"
_GPU = "GPU"


def stays(project: Project, runner: Runner) -> bool:
    """Whether a session is not meant for an accelerator, or is none that a config can move."""
    call = runner.call
    return (
        in_test(project, call)
        or is_eager(project, call)
        or (_is_for_export(project, call) and not surely_trains(project, runner))
        or (runner.given is not None and asks_for_cpu(project, runner.given))
    )


def in_test(project: Project, ref: Ref) -> bool:
    """Whether the code at `ref` belongs to a test case, to a part of one, or to a module of pytest's.

    A method called ``test`` is none, nor is a word such as ``assert_positive``: trainers have both.
    """
    facts = project.facts(ref.key)
    assert facts is not None
    owner = enclosing_class(facts, ref.scope)
    if owner == NOTHING:
        return _is_test_module(ref.key) and _is_test(facts.scopes[enclosing_function(facts, ref.scope)].name)
    has_tests = any(map(_is_test, facts.scopes[owner].bindings))
    if has_tests and (_is_test_module(ref.key) or _asserts(facts, owner)):
        return True
    written = Definition(ref.key, owner)
    return any(_is_test_case(project, one) for one in (written, *subclasses(project, written)))


def _asserts(facts: FileFacts, owner: int) -> bool:
    """Whether a class asserts by its own methods, as in ``self.assertEqual``: it is a part of tests."""
    return any(
        _ASSERTION.match(word)
        and any(
            isinstance(site.call.func, Attribute)
            and site.call.func.attr == word
            and last_name(site.call.func.value) == "self"
            and enclosing_class(facts, site.scope) == owner
            for site in facts.calls
        )
        for word in facts.words
    )


def _is_test_case(project: Project, owner: Definition) -> bool:
    """Whether a class is derived from a ``TestCase``, whosever that is: absl's, TensorFlow's, unittest's."""
    return any(
        isinstance(base, External) and base.name.rpartition(".")[2].endswith(_TEST_CASE)
        for base in all_bases(project, owner)
    )


def _is_test_module(key: str) -> bool:
    return _TEST_MODULE.fullmatch(key.rpartition("/")[2].removesuffix(".py")) is not None


def _is_test(name: str) -> bool:
    """Whether pytest or unittest would take a function of this name for a test."""
    return _TEST_FUNCTION.match(name) is not None


def _is_for_export(project: Project, call: Ref) -> bool:
    """Whether the function around a session exports a model, which it may have trained before."""
    facts = project.facts(call.key)
    assert facts is not None
    home = code_scope(facts, call.scope)
    return home != 0 and any(
        last_name(site.call.func) in _EXPORTING and code_scope(facts, site.scope) == home
        for site in facts.calls
    )


def asks_for_cpu(project: Project, config: Ref) -> bool:
    """Whether a config says that there are no GPUs: ``device_count={"GPU": 0}``."""
    for origin in origins(project, config):
        call = origin.expr
        if isinstance(call, Call) and externals_called(project, origin) & porting.CONFIG_PROTOS:
            given = argument(call, _DEVICE_COUNT)
            if given is not None and any(
                _counts_no_gpus(project, counted) for counted in origins(project, origin._replace(expr=given))
            ):
                return True
    meant = identities(project, config)
    return any(holders & meant for holders in _without_gpus(project))


def _counts_no_gpus(project: Project, ref: Ref) -> bool:
    if not isinstance(ref.expr, Mapping):
        return False
    return any(
        isinstance(key, Constant) and key.value == _GPU and _is_zero(project, ref._replace(expr=value))
        for key, value in zip(ref.expr.keys, ref.expr.values, strict=True)
    )


def _is_zero(project: Project, ref: Ref) -> bool:
    """Whether a number of devices is 0, and that not only by default."""
    known = evaluate(project, ref)
    return not known.is_default and known.every(lambda value: value == 0)


@once
def _without_gpus(project: Project) -> tuple[frozenset[tuple[object, tuple[object, ...]]], ...]:
    """The configs of which ``config.device_count["GPU"] = 0`` is said."""
    return tuple(_find_without_gpus(project))


def _find_without_gpus(project: Project) -> Iterator[frozenset[tuple[object, tuple[object, ...]]]]:
    for key in project.files_mentioning(_DEVICE_COUNT):
        facts = project.facts(key)
        assert facts is not None
        for statement in facts.statements:
            for target in statement.targets:
                config = _config_counted(target)
                if config is not None and statement.values:
                    ref = Ref(key, statement.scope, statement.id, statement.values[0])
                    if _is_zero(project, ref):
                        yield identities(project, ref._replace(expr=config))


def _config_counted(target: Expr | None) -> Expr | None:
    """``config`` of ``config.device_count["GPU"]``."""
    if not isinstance(target, Subscript) or not isinstance(target.item, Constant):
        return None
    counted = target.value
    if target.item.value != _GPU or not isinstance(counted, Attribute):
        return None
    return counted.value if counted.attr == _DEVICE_COUNT else None


@once
def hides_gpus(project: Project, program: str) -> bool:
    """Whether a program hides all GPUs from itself, so that it means to run on the CPU.

    A value decides if it is set in every run of the program, and no other one anywhere in it. One that is set
    in a function which is handed on may be that of another process; a default of the command line is what
    nobody has asked for.
    """
    files = project.programs.by_entry[program].files
    places = [ref for ref in visible_devices(project) if ref.key in files and is_run(project, ref, program)]
    return (
        any(_is_unconditional(project, ref) and _is_called(project, ref, program) for ref in places)
        and all(_hides_all(project, ref) for ref in places)
        and not any(is_run(project, ref, program) for ref in _taken_back(project) if ref.key in files)
    )


def _is_called(project: Project, ref: Ref, program: str) -> bool:
    """Whether calls alone lead to the code at `ref`, with no function that another process may run."""
    seen: set[Definition] = set()
    stack = [ref]
    while stack:
        current = stack.pop()
        facts = project.facts(current.key)
        if facts is None:
            continue
        function = enclosing_function(facts, current.scope)
        definition = Definition(current.key, function)
        if function == 0 or (facts.scopes[function].name == "main" and current.key == program):
            return True
        if definition not in seen:
            seen.add(definition)
            stack.extend(call_sites(project, definition))
            stack.extend(constructions(project, definition))
    return False


@once
def _taken_back(project: Project) -> tuple[Ref, ...]:
    """Where the choice among GPUs is removed from the environment again: by ``pop`` or ``del``."""
    return tuple(environment_removals(project, porting.VISIBLE_DEVICES))


def _is_unconditional(project: Project, ref: Ref) -> bool:
    """Whether no ``if`` decides over a statement, but for the test that the file is run as a script."""
    facts = project.facts(ref.key)
    assert facts is not None
    around = [facts.statements[number] for number in ancestors(facts, ref.statement)]
    tests = [one.values[0] for one in around if one.kind == "If"]
    return all(any(isinstance(e, Name) and e.id == "__name__" for e in walk(test)) for test in tests)


def _hides_all(project: Project, ref: Ref) -> bool:
    known = evaluate(project, ref)
    return not known.is_default and known.every(
        lambda value: isinstance(value, str) and value.strip() in porting.HIDING_ALL
    )


def visible_devices(project: Project) -> tuple[Ref, ...]:
    """The values that are given to the environment variable which chooses among GPUs."""
    return environment_stores(project, porting.VISIBLE_DEVICES)
