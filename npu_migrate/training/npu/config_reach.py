"""Which sessions and Estimators a config reaches."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from npu_migrate.index.facts import (
    Attribute,
    Call,
    CallSite,
    Constant,
    Expr,
    FileFacts,
    Subscript,
    last_name,
)
from npu_migrate.knowledge import npu
from npu_migrate.knowledge import tensorflow as tf
from npu_migrate.project.once import once, once_per_file
from npu_migrate.project.project import Project
from npu_migrate.project.ref import Ref, ref_of_call
from npu_migrate.semantics.calls.passing import passed_objects
from npu_migrate.semantics.contexts import Traced, ends
from npu_migrate.semantics.flow import externals_called, is_partial, origins
from npu_migrate.semantics.latest import latest_origins
from npu_migrate.semantics.objects import Identity, identities
from npu_migrate.semantics.resolution import external_names
from npu_migrate.semantics.uses import uses
from npu_migrate.training.npu.configs import run_configs
from npu_migrate.training.pipelines.sessions import session_kind

_DATASET_MODULES = ("tensorflow.data.", "tensorflow.contrib.data.")
_CREATORS = frozenset({"tensorflow.train.ChiefSessionCreator", "tensorflow.train.WorkerSessionCreator"})
_ESTIMATORS = ("Estimator", "Classifier", "Regressor", "model_to_estimator")
RUN_CONFIGS = frozenset(
    {
        "tensorflow.estimator.RunConfig",
        "tensorflow.contrib.learn.RunConfig",
        "tensorflow.contrib.tpu.RunConfig",
        "tensorflow.estimator.tpu.RunConfig",
    }
)
"""TensorFlow's own configs of Estimators."""

_WRAPPERS = RUN_CONFIGS | {npu.RUN_CONFIG, npu.CONFIG_PROTO_HELPER, npu.RUN_CONFIG_HELPER}
_CONFIG_KEYWORDS = frozenset({"config", "session_config"})
_WRAPPED_KEYWORDS = _CONFIG_KEYWORDS | {"config_proto", "run_config"}
_CONFIG_POSITION = 2
"""``tf.Session(target, graph, config)``."""

_KERAS_HELPER_NAMES = frozenset(name.rpartition(".")[2] for name in npu.KERAS_SESSIONS)

_SESSION_CONFIG = "session_config"
_COPY = "replace"
"""The method of a ``RunConfig`` that makes a copy with other settings."""

_HELD = "_session_config"
"""The field of a ``RunConfig`` that scripts write to."""


class Reader(NamedTuple):
    """Something that runs a graph under a config.

    `kind` is ``session`` (`ref` is the call that makes it), ``estimator`` (`ref` is the call that gets the
    config) or ``keras`` (the session of a Keras model). `by_npu` tells that the config comes to it inside
    an ``NPURunConfig``.
    """

    kind: str
    ref: Ref
    by_npu: bool


def config_objects(project: Project, ref: Ref) -> frozenset[Identity]:
    """The config objects that `ref` means, those inside a ``RunConfig`` or an NPU helper's result too.

    ``config = npu_config_proto(config)`` is one name for both: what was looked into is not looked into again.
    What a script puts into a ``RunConfig`` later, as the helpers of old converters do, counts too.
    """
    found: set[Identity] = set()
    seen: set[int] = set()
    stack = [ref]
    while stack:
        current = stack.pop()
        made = latest_origins(project, current)
        meant = frozenset(identity for one in made for identity in identities(project, one))
        found |= meant
        for holders, put in _put_in(project):
            if holders & meant and id(put.expr) not in seen:
                seen.add(id(put.expr))
                stack.append(put)
        for origin in made:
            call = origin.expr
            if not isinstance(call, Call) or id(call) in seen:
                continue
            if _names(project, origin, call) & _WRAPPERS:
                seen.add(id(call))
                stack.extend(origin._replace(expr=given, path=()) for given in _wrapped(call))
                stack.extend(_wrapped_in_dictionary(project, origin))
            elif isinstance(call.func, Attribute) and call.func.attr == _COPY:
                seen.add(id(call))
                stack.append(origin._replace(expr=call.func.value, path=()))
                stack.extend(passed_objects(project, origin, _SESSION_CONFIG).values)
    return frozenset(found)


def put_into(project: Project, run_config: Ref) -> tuple[Ref, ...]:
    """What a script puts into the config field of the ``RunConfig`` that is made at `run_config`."""
    meant = identities(project, run_config)
    return tuple(put for holders, put in _put_in(project) if holders & meant)


@once
def _put_in(project: Project) -> tuple[tuple[frozenset[Identity], Ref], ...]:
    """The ``RunConfig`` objects that get a config by a store to their field, and what they get."""
    return tuple(_find_put_in(project))


def _find_put_in(project: Project) -> Iterator[tuple[frozenset[Identity], Ref]]:
    for facts in project.relevant():
        for put, holder in _stores_of_configs(project, facts):
            yield identities(project, put._replace(expr=holder)), put


@once_per_file
def _stores_of_configs(facts: FileFacts) -> tuple[tuple[Ref, Expr], ...]:
    """What is put into the config field of an object, and the object."""
    return tuple(
        (Ref(facts.key, statement.scope, statement.id, statement.values[0]), holder)
        for statement in facts.statements
        if statement.kind in ("Assign", "AnnAssign") and statement.values
        for holder in map(_holder, statement.targets)
        if holder is not None
    )


def _holder(target: Expr | None) -> Expr | None:
    """X of ``X._session_config`` and of ``X.__dict__["_session_config"]``."""
    if isinstance(target, Attribute) and target.attr == _HELD:
        return target.value
    if isinstance(target, Subscript) and isinstance(target.item, Constant) and target.item.value == _HELD:
        fields = target.value
        return fields.value if isinstance(fields, Attribute) and fields.attr == "__dict__" else None
    return None


def _wrapped(call: Call) -> Iterator[Expr]:
    yield from (keyword.value for keyword in call.keywords if keyword.name in _WRAPPED_KEYWORDS)
    yield from call.args[:1]


def _wrapped_in_dictionary(project: Project, wrapper: Ref) -> Iterator[Ref]:
    """The session config that a ``RunConfig`` gets out of a dictionary behind ``**``."""
    assert isinstance(wrapper.expr, Call)
    if any(keyword.name is None for keyword in wrapper.expr.keywords):
        yield from passed_objects(project, wrapper, _SESSION_CONFIG).values


def readers_of(project: Project, configs: frozenset[Identity]) -> tuple[Reader, ...]:
    """The sessions and Estimators that get one of the config objects.

    A script that gives a config both to an ``NPURunConfig`` and to a ``RunConfig`` chooses between them by
    the device: what gets the ``RunConfig`` does not run on the NPU and is left out.
    """
    found = [reader for reader, objects in _all_readers(project) if objects & configs]
    if configs & _in_npu_run_configs(project):
        found = [reader for reader in found if reader.kind != "estimator" or reader.by_npu]
    return tuple(found)


def may_get(project: Project, made: Traced, configs: frozenset[Identity]) -> bool:
    """Whether a session or Estimator gets one of the config objects where it is made for certain callers.

    Only a config that is seen to be another one says no.
    """
    call = made.ref.expr
    assert isinstance(call, Call)
    ways = [end for value in configs_given(call) for end in ends(project, made.at(value))]
    return not ways or any(config_objects(project, way.ref) & configs for way in ways)


@once
def _in_npu_run_configs(project: Project) -> frozenset[Identity]:
    """The config objects that an ``NPURunConfig`` gets."""
    return frozenset(identity for call in run_configs(project) for identity in config_objects(project, call))


def _is_npu_run_config(project: Project, ref: Ref) -> bool:
    seen: set[Expr] = set()
    stack = [ref]
    while stack:
        for origin in origins(project, stack.pop()):
            call = origin.expr
            if not isinstance(call, Call) or call in seen:
                continue
            seen.add(call)
            names = _names(project, origin, call)
            if npu.RUN_CONFIG in names:
                return True
            if npu.RUN_CONFIG_HELPER in names:
                stack.extend(origin._replace(expr=given, path=()) for given in _wrapped(call))
    return False


@once
def _all_readers(project: Project) -> tuple[tuple[Reader, frozenset[Identity]], ...]:
    return tuple(reader for facts in project.relevant() for reader in _readers_in(project, facts.key))


@once
def _readers_in(project: Project, key: str) -> tuple[tuple[Reader, frozenset[Identity]], ...]:
    """The readers in one file, each with the config objects that it gets."""
    facts = project.facts(key)
    assert facts is not None
    return tuple(_find_readers(project, facts))


def _find_readers(project: Project, facts: FileFacts) -> Iterator[tuple[Reader, frozenset[Identity]]]:
    for site, given in _calls_with_config(project, facts):
        ref = ref_of_call(facts.key, site)
        kind = _reader_kind(project, ref)
        if kind is not None:
            configs = [ref._replace(expr=value) for value in given]
            by_npu = kind == "estimator" and any(_is_npu_run_config(project, item) for item in configs)
            objects = [config_objects(project, item) for item in configs]
            yield Reader(kind, ref, by_npu), frozenset[Identity]().union(*objects)


@once_per_file
def _calls_with_config(facts: FileFacts) -> tuple[tuple[CallSite, tuple[Expr, ...]], ...]:
    """The calls whose arguments may hold a config, and these arguments."""
    found = []
    for site in facts.calls:
        given = configs_given(site.call)
        if given:
            found.append((site, given))
    return tuple(found)


def configs_given(call: Call) -> tuple[Expr, ...]:
    """The arguments of a call that may be a config."""
    given = [keyword.value for keyword in call.keywords if keyword.name in _CONFIG_KEYWORDS]
    position = 0 if last_name(call.func) in _KERAS_HELPER_NAMES else _CONFIG_POSITION
    return (*given, *call.args[position : position + 1])


def _reader_kind(project: Project, ref: Ref) -> str | None:
    kind = session_kind(project, ref)
    if kind is not None:
        return "keras" if _becomes_keras_session(project, ref) else "session"
    names = externals_called(project, ref)
    if names & npu.KERAS_SESSIONS:
        return "keras"
    if names & _CREATORS or _makes_sessions_later(project, ref):
        return "session"
    is_estimator = any(name.startswith("tensorflow.") and name.endswith(_ESTIMATORS) for name in names)
    return "estimator" if names & RUN_CONFIGS or is_estimator else None


def _makes_sessions_later(project: Project, ref: Ref) -> bool:
    """Whether a call is ``partial(tf.Session, config=config)``."""
    call = ref.expr
    if not isinstance(call, Call) or not call.args or not is_partial(project, ref):
        return False
    return bool(external_names(project, ref.key, ref.scope, call.args[0]) & tf.RAW_SESSIONS)


def _becomes_keras_session(project: Project, ref: Ref) -> bool:
    return any(
        use.kind == "argument"
        and any(name.endswith(".set_session") for name in externals_called(project, use.ref))
        for use in uses(project, ref)
    )


@once
def makes_dataset(project: Project, program: str) -> bool:
    """Whether the files of a program make a ``tf.data`` dataset anywhere."""
    files = project.programs.by_entry[program].files & (project.ours | project.supporting)
    return any(_file_makes_dataset(project, key) for key in sorted(files))


@once
def _file_makes_dataset(project: Project, key: str) -> bool:
    facts = project.facts(key)
    return facts is not None and any(
        name.startswith(_DATASET_MODULES)
        for site in facts.calls
        for name in external_names(project, key, site.scope, site.call.func)
    )


def _names(project: Project, ref: Ref, call: Call) -> frozenset[str]:
    return external_names(project, ref.key, ref.scope, call.func)
