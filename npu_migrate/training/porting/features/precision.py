"""Mixed precision, compilation and determinism as a GPU does them (DOC-MIXP, DOC-PORT, CODE:npu_init.py)."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from npu_migrate.index.facts import Attribute, Call, Constant, last_name
from npu_migrate.project.once import once
from npu_migrate.project.project import Project
from npu_migrate.project.ref import Ref, ref_of_call
from npu_migrate.semantics.flow import externals_called, origins
from npu_migrate.semantics.resolution import external_names
from npu_migrate.semantics.values.evaluation import evaluate
from npu_migrate.training.porting.features.found import (
    Found,
    calls_among,
    environment_stores,
    keyword_of,
    stores_of,
)

_MIXED = frozenset(
    {
        "tensorflow.train.experimental.enable_mixed_precision_graph_rewrite",
        "tensorflow.keras.mixed_precision.experimental.set_policy",
        "tensorflow.keras.mixed_precision.experimental.Policy",
    }
)
_MIXED_VARIABLE = "TF_ENABLE_AUTO_MIXED_PRECISION"
_JIT_SCOPES = frozenset(
    {
        "tensorflow.contrib.compiler.jit.experimental_jit_scope",
        "tensorflow.xla.experimental.jit_scope",
        "tensorflow.python.compiler.xla.jit.experimental_jit_scope",
    }
)
_COMPILED = frozenset({"tensorflow.xla.experimental.compile", "tensorflow.contrib.compiler.xla.compile"})
LEVELS_ON = ("ON_1", "ON_2")
_OPTIONS = ".OptimizerOptions"
_LEVEL = "global_jit_level"
_AUTO = re.compile(r"tf_xla_auto_jit=(?!(0|-1)\b)")
"""What has XLA compile by itself, in the flags of the environment [TF]."""
_DETERMINISTIC = ("TF_DETERMINISTIC_OPS", "TF_CUDNN_DETERMINISTIC")
_PATCHES = frozenset({"tfdeterminism.patch", "fwd9m.tensorflow.enable_determinism"})


def mixed_precision(project: Project) -> tuple[Found, ...]:
    """The places that switch on a GPU's mixed precision."""
    stores = (ref for ref in environment_stores(project, _MIXED_VARIABLE) if not _is_off(ref))
    rewriters = (
        Found(value, "auto_mixed_precision")
        for _, value in stores_of(project, "auto_mixed_precision")
        if last_name(value.expr) == "ON"
    )
    return (*calls_among(project, _MIXED), *rewriters, *(Found(ref, _MIXED_VARIABLE) for ref in stores))


class Compiled(NamedTuple):
    """A place that has XLA compile the graph; `kind` is ``level``, ``scope`` or ``other``."""

    ref: Ref
    name: str
    kind: str


@once
def compiled_by_xla(project: Project) -> tuple[Compiled, ...]:
    """The places that switch XLA on."""
    return tuple(_find_compiled(project))


def _find_compiled(project: Project) -> Iterator[Compiled]:
    for _, value in stores_of(project, _LEVEL):
        if _is_on(project, value):
            yield Compiled(value, _LEVEL, "level")
    for key, site in project.calls_named("OptimizerOptions"):
        ref = ref_of_call(key, site)
        given = keyword_of(site.call, _LEVEL)
        meant = any(name.startswith("tensorflow.") for name in externals_called(project, ref))
        if given is not None and meant and _is_on(project, ref._replace(expr=given)):
            yield Compiled(ref._replace(expr=given), _LEVEL, "level")
    for one in calls_among(project, _JIT_SCOPES):
        assert isinstance(one.ref.expr, Call)
        if not one.ref.expr.args and keyword_of(one.ref.expr, "compile_ops") is None:
            yield Compiled(one.ref, "jit_scope()", "scope")
    for one in calls_among(project, _COMPILED):
        yield Compiled(one.ref, "xla.compile()", "other")
    for ref in environment_stores(project, "TF_XLA_FLAGS"):
        if _may_switch_on(ref):
            yield Compiled(ref, "TF_XLA_FLAGS", "other")


def _may_switch_on(flags: Ref) -> bool:
    """Whether flags for XLA may have it compile; other flags than that of the level do not."""
    expr = flags.expr
    return not (isinstance(expr, Constant) and isinstance(expr.value, str)) or bool(_AUTO.search(expr.value))


def _is_on(project: Project, level: Ref) -> bool:
    """Whether a level is one that compiles, also if it has a name, or is read by one."""
    made = origins(project, level)
    return bool(made) and all(_is_level_on(project, one) for one in made)


def _is_level_on(project: Project, made: Ref) -> bool:
    expr = made.expr
    if isinstance(expr, Attribute):
        return expr.attr in LEVELS_ON
    if not isinstance(expr, Call) or last_name(expr.func) != "getattr" or len(expr.args) < 2:
        return False
    names = external_names(project, made.key, made.scope, expr.args[0])
    asked = evaluate(project, made._replace(expr=expr.args[1], path=()))
    return any(name.endswith(_OPTIONS) for name in names) and asked.every(lambda word: word in LEVELS_ON)


@once
def determinism(project: Project) -> tuple[Found, ...]:
    """The places that ask a GPU for the same result every time."""
    variables = [
        Found(ref, name)
        for name in _DETERMINISTIC
        for ref in environment_stores(project, name)
        if not _is_off(ref)
    ]
    return (*variables, *calls_among(project, _PATCHES))


def _is_off(ref: Ref) -> bool:
    """Whether the text that an environment variable gets switches nothing on."""
    return isinstance(ref.expr, Constant) and ref.expr.value in ("0", "")
