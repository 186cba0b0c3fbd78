"""What is run with a config on the NPU: whether it reads from ``tf.data``, and by which calls it is made."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Literal

from npu_migrate.index.facts import Attribute, Call, FileFacts, argument, last_name
from npu_migrate.knowledge import npu
from npu_migrate.knowledge import tensorflow as tf
from npu_migrate.project.once import once, once_per_file
from npu_migrate.project.project import Project
from npu_migrate.project.ref import Ref, ref_of_call
from npu_migrate.semantics.contexts import ends, traced
from npu_migrate.semantics.flow import is_partial
from npu_migrate.semantics.objects import Identity
from npu_migrate.semantics.uses import uses
from npu_migrate.semantics.values.evidence import evidence
from npu_migrate.semantics.values.value import join
from npu_migrate.training.npu.config_reach import Reader, may_get, readers_of
from npu_migrate.training.npu.configs import (
    Entry,
    entries,
    parameter_writes,
    run_config_setting,
    run_configs,
)
from npu_migrate.training.npu.trainings import configs_of, is_npu_estimator, trainings
from npu_migrate.training.pipelines.reachability import is_named
from npu_migrate.training.reading.estimator_inputs import (
    EstimatorInput,
    inputs_of,
    reads_arrays,
    sources_of_input,
)
from npu_migrate.training.reading.read_data import (
    Sources,
    all_runs_fed_back,
    sources_of_fetches,
    sources_of_values,
)
from npu_migrate.training.reading.session_fetches import Fetching, fetchings_of

_CREATED_SESSIONS = ("MonitoredSession", "SingularMonitoredSession")
_KERAS_METHODS = ("fit", "fit_generator", "evaluate", "predict")

Reading = Literal["reads", "fed back", "nothing", "unknown"]
"""What a session or Estimator does with ``tf.data``: it reads from it; fetches batches only to feed them
again; reads nothing from it for certain; or nobody can tell."""


def reading(
    project: Project, reader: Reader, configs: frozenset[Identity], program: str | None = None
) -> Reading:
    """What is read by the session, Estimator or Keras model that gets one of `configs`.

    With a `program` only what its files make counts: a helper that opens sessions may serve many.
    """
    files = None if program is None else project.programs.by_entry[program].files
    if reader.kind == "estimator":
        return _estimator_reading(project, reader.ref, configs, files)
    if reader.kind == "keras":
        return "reads" if any(source.makes_data for source in _fitted(project, reader.ref)) else "unknown"
    return _session_reading(project, reader.ref, configs, files)


def _session_reading(
    project: Project, session: Ref, configs: frozenset[Identity], files: frozenset[str] | None
) -> Reading:
    found = [
        one
        for one in _fetchings(project, session, configs)
        if files is None or (one.call.key in files and is_named(project, one.call, files))
    ]
    together = sources_of_fetches(project, found, files)
    if not together.iterators:
        return "nothing" if found and together.complete else "unknown"
    fed_back = all_runs_fed_back(project, files or project.neighbours(session.key))
    others = sources_of_fetches(project, [one for one in found if id(one.call.expr) not in fed_back], files)
    if others.iterators:
        return "reads"
    feeding = sources_of_fetches(project, [one for one in found if id(one.call.expr) in fed_back], files)
    if not feeding.iterators:
        return "unknown"
    return "reads" if trains(feeding) else "fed back"


def _fetchings(project: Project, session: Ref, configs: frozenset[Identity]) -> list[Fetching]:
    return [
        fetching
        for made in (session, *_sessions_of_creator(project, session))
        for fetching in fetchings_of(project, made)
        if may_get(project, fetching.session, configs)
    ]


@once
def fetched_sources(project: Project, fetching: Fetching) -> Sources:
    """What the fetches of one run are made from."""
    return sources_of_fetches(project, (fetching,))


def _sessions_of_creator(project: Project, creator: Ref) -> Iterator[Ref]:
    """The sessions that are made with the ``ChiefSessionCreator``, or the ``partial``, at `creator`."""
    if is_partial(project, creator):
        yield from (use.ref for use in uses(project, creator) if use.kind == "call")
    for name in _CREATED_SESSIONS:
        for key, site in project.calls_named(name):
            given = argument(site.call, "session_creator", 0)
            if given is not None:
                call = ref_of_call(key, site)
                made = ends(project, traced(call._replace(expr=given)))
                if any(end.ref.expr is creator.expr for end in made):
                    yield call


def trains(sources: Sources) -> bool:
    """Whether what is run is made by an optimizer."""
    return any(isinstance(c.expr, Call) and last_name(c.expr.func) in tf.OPTIMIZING for c in sources.calls)


# -- Estimators and Keras models -----------------------------------------------------------------------


def _estimator_reading(
    project: Project, estimator: Ref, configs: frozenset[Identity], files: frozenset[str] | None = None
) -> Reading:
    found = [item for item in inputs_of(project, estimator) if may_get(project, item.estimator, configs)]
    if any(sources_of_input(project, item.function, files).makes_data for item in found):
        return "reads"
    if found and all(reads_arrays(project, item.function) for item in found):
        return "nothing"
    return "unknown"


@once
def input_sources(project: Project, given: EstimatorInput) -> Sources:
    """What the results of an Estimator's input function are made from."""
    return sources_of_input(project, given.function)


def input_calls(project: Project, estimator: Ref) -> frozenset[int]:
    """The calls that make what the input functions of an Estimator return, by their ``id``."""
    return frozenset(
        id(call.expr) for item in inputs_of(project, estimator) for call in input_sources(project, item).calls
    )


def run_config_reading(project: Project, config: Ref) -> Reading:
    """What the Estimators read that are seen to get the ``NPURunConfig`` made at `config`."""
    found = [
        _estimator_reading(project, made, frozenset({(id(config.expr), ())}))
        for made in trained_estimators(project)
        if any(given.expr is config.expr for given in configs_of(project, made))
    ]
    if "reads" in found:
        return "reads"
    return "nothing" if found and all(one == "nothing" for one in found) else "unknown"


def _fitted(project: Project, session: Ref) -> Iterator[Sources]:
    """What the Keras models in the programs of a session are trained and tested with."""
    files = project.neighbours(session.key)
    for name in _KERAS_METHODS:
        for key, site in project.calls_named(name):
            given = argument(site.call, "x", 0)
            if key in files and isinstance(site.call.func, Attribute) and given is not None:
                value = Ref(key, site.scope, site.statement, given)
                yield sources_of_values(project, (traced(value),))


# -- what is offloaded ---------------------------------------------------------------------------------


@once
def offloaded_calls(project: Project, program: str) -> frozenset[int]:
    """The calls that make what sessions and Estimators read with the offload of preprocessing switched on."""
    files = project.programs.by_entry[program].files
    found: set[int] = set()
    for entry in entries(project):
        if entry.added.key in files and _is_switched_on(project, entry, program):
            for reader in readers_of(project, entry.configs):
                if reader.ref.key in files:
                    found |= _calls_behind(project, reader, entry.configs)
    for estimator in trained_estimators(project):
        is_npu = estimator.key in files and is_npu_estimator(project, estimator)
        if is_npu and _offloads(project, estimator, program):
            found |= input_calls(project, estimator)
    return frozenset(found)


def _calls_behind(project: Project, reader: Reader, configs: frozenset[Identity]) -> frozenset[int]:
    """All calls that make what the session, Estimator or Keras model with one of `configs` reads."""
    if reader.kind == "estimator":
        return input_calls(project, reader.ref)
    if reader.kind == "keras":
        sources = tuple(_fitted(project, reader.ref))
    else:
        sources = (sources_of_fetches(project, _fetchings(project, reader.ref, configs)),)
    return frozenset(id(call.expr) for source in sources for call in source.calls)


def _is_switched_on(project: Project, entry: Entry, program: str) -> bool:
    writes = [write for write in parameter_writes(project, entry) if write.key in (None, npu.DATA_PRE_PROC)]
    given = [write.value for write in writes if write.field == "b" and write.key and write.value]
    if not writes or len(given) < len(writes):
        return False
    return join(evidence(project, value, program) for value in given).every(lambda value: value is True)


def _offloads(project: Project, estimator: Ref, program: str) -> bool:
    """Whether every config that an ``NPUEstimator`` may have is seen and leaves the switch on."""
    configs = configs_of(project, estimator)
    return bool(configs) and all(_leaves_on(project, config, program) for config in configs)


def _leaves_on(project: Project, config: Ref, program: str) -> bool:
    if not any(config.expr is call.expr for call in run_configs(project)):
        return False
    setting = run_config_setting(project, config, npu.DATA_PRE_PROC, program)
    return setting is None or setting.value.every(lambda value: value is True)


@once
def trained_estimators(project: Project) -> tuple[Ref, ...]:
    """The calls that make an Estimator that is seen to be trained."""
    found = {id(made.expr): made for training in trainings(project) for made in training.estimators}
    return tuple(found.values())


# -- what runs on the NPU ------------------------------------------------------------------------------


def runs_on_npu(project: Project, call: Ref, program: str) -> bool:
    """Whether what the dataset that is made at `call` is read by runs on the NPU in a program.

    Importing ``npu_init`` moves all sessions there (CODE:npu_init.py). In other programs it is what gets a
    config with the NpuOptimizer, or an ``NPUEstimator``.
    """
    files = project.programs.by_entry[program].files
    if not files.isdisjoint(files_with_npu_init(project)):
        return True
    return id(call.expr) in _calls_on_npu(project, program)


@once
def files_with_npu_init(project: Project) -> frozenset[str]:
    """The files that import ``npu_init``, which changes the options of all sessions since r1.9."""
    return frozenset(facts.key for facts in project.relevant() if _imports_npu_init(project, facts))


@once_per_file
def _imports_npu_init(facts: FileFacts) -> bool:
    return any(
        target.level == 0
        and (target.module in npu.STAR_MODULES or f"{target.module}.{target.name}" in npu.STAR_MODULES)
        for target in facts.import_targets()
    )


@once
def _calls_on_npu(project: Project, program: str) -> frozenset[int]:
    files = project.programs.by_entry[program].files
    found: set[int] = set()
    for entry in entries(project):
        for reader in readers_of(project, entry.configs) if entry.added.key in files else ():
            if reader.ref.key in files:
                found |= _calls_behind(project, reader, entry.configs)
    for estimator in trained_estimators(project):
        if estimator.key in files and is_npu_estimator(project, estimator):
            found |= input_calls(project, estimator)
    return frozenset(found)
