"""
## What it does

Finds calls of npu_bridge's functions that fail or do not do what they say:

- `npu_ops.dropout` with `rate`, without `keep_prob`, or with a `noise_shape`;
- `npu_hooks_append` and `npu_callbacks_append` with a misspelt argument, or with a tuple;
- `tf.estimator.NPURunConfig`, `tf.estimator.NPUEstimator` and `tf.estimator.NPUEstimatorSpec`;
- `NPURunConfig` with more than one positional argument;
- a function of the vendor's converter around a call of itself, as a second conversion leaves it;
- `npu_config_proto` for a `Session` of another library, which takes no config;
- `npu_ops.dropout` with `keep_prob=1 - 1 - …`, which the converter makes of `rate=1 - …`.

## Why

`npu_ops.dropout` has no argument `rate`, needs `keep_prob`, and does not support `noise_shape`. The two
appending functions throw away what is not a list, so all hooks of a tuple are lost. The vendor's samples
write `tf.estimator.NPURunConfig`, but TensorFlow has no such names: `AttributeError`. The first parameters of
`NPURunConfig` are `iterations_per_loop` and `profiling_config`, not those of TensorFlow's `RunConfig`.

The converter goes by the names of attributes. It wraps again what it has wrapped before: an optimizer then
reduces its gradients twice, and each hook is there twice. It gives a config to `requests.Session()`:
`TypeError`. It writes `1 - ` before the text of a rate, without brackets.

## Example

```python
y = npu_ops.dropout(x, rate=0.1)
hooks = npu_hooks_append(hooks_list=(hook,))
config = tf.estimator.NPURunConfig()
```

## Use instead

```python
y = npu_ops.dropout(x, keep_prob=1.0 - (0.1))
hooks = npu_hooks_append(hooks_list=[hook])
config = NPURunConfig()
```

## Fix safety

Safe for the names of arguments, for `rate`, for configs that are wrapped twice, and for a config that another
library gets. Unsafe for optimizers, hooks and callbacks that are wrapped twice. Everything else is for you to
decide.

## Sources

CODE:npu_ops.py; CODE:npu_init.py; CODE:npu_config.py; DOC-DROP; DOC-EST; TOOL.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import cast

from npu_migrate.findings import Applicability, Finding, Rewrite, Severity
from npu_migrate.index.facts import Attribute, Call, Collection, Constant, Keyword, argument
from npu_migrate.intents import DropItems, KeepInner, Rename, ReplaceExpression
from npu_migrate.knowledge.npu import CONFIG_PROTO_HELPER
from npu_migrate.knowledge.npu_calls import (
    APPENDERS,
    DROPOUT,
    DROPOUT_PARAMETERS,
    NOT_THERE,
    ONCE,
    SESSIONS_WITHOUT_CONFIG,
)
from npu_migrate.knowledge.run_config import PARAMETERS
from npu_migrate.knowledge.spelling import similar
from npu_migrate.places import Place
from npu_migrate.project.project import Project
from npu_migrate.project.ref import Ref
from npu_migrate.rules.options import plain_finding
from npu_migrate.rules.places import last_token
from npu_migrate.rules.rule import Rule
from npu_migrate.semantics.calls.signatures import has_star, keyword_name, missing, unknown_keywords
from npu_migrate.semantics.flow import externals_called, origins
from npu_migrate.semantics.resolution import symbols
from npu_migrate.semantics.values.literals import code_on_one_line
from npu_migrate.training.npu.configs import calls_of, run_configs

CODE = "NPU615"
RATE = "npu_ops.dropout takes keep_prob, not rate: TypeError"
NO_KEEP_PROB = "npu_ops.dropout needs keep_prob: TypeError"
NOISE_SHAPE = "npu_ops.dropout does not support noise_shape"
MISSPELT = "{function} has no argument {name}: TypeError"
TUPLE = "{function} throws away what is not a list: these are lost"
NOT_TENSORFLOW = "TensorFlow has no {name}: AttributeError; npu_bridge has it"
POSITIONAL = "the parameters of NPURunConfig are not in the order of RunConfig's: this one is {name}"
TITLE_RATE = "Pass keep_prob"
TITLE_NAME = "Write {name}"

TWICE = "{function} is called around itself: {effect}"
TITLE_ONCE = "Call it once"
OTHER_SESSION = "{name} is no session of TensorFlow and takes no config: TypeError"
TITLE_WITHOUT = "Take the config away"
NEGATED = "keep_prob is {code}: rate was replaced without brackets; 1 - (rate) was meant"

_EFFECTS = {
    "npu_distributed_optimizer_wrapper": "gradients are reduced twice",
    "npu_hooks_append": "each hook is there twice",
    "npu_callbacks_append": "each callback is there twice",
    "npu_keras_optimizer": "gradients are reduced twice",
}
_HARMLESS = "once is enough"
_ONE_MINUS_ONE = re.compile(r"1(\.0?)?\s*-\s*1(\.0?)?\s*-")
_PROFILING = "profiling_config"
_PROFILING_CLASS = "npu_bridge.ProfilingConfig"


def check(project: Project) -> Iterator[Finding]:
    """Yields one finding per call or argument that is wrong."""
    for call in calls_of(project, DROPOUT):
        yield from _dropout(project, call)
    for function, parameter in APPENDERS.items():
        for call in calls_of(project, function):
            yield from _appender(project, call, function.rpartition(".")[2], parameter)
    for name in NOT_THERE:
        for call in calls_of(project, f"npu_bridge.{name}"):
            yield from _documented(project, call)
    for call in run_configs(project):
        yield from _positional(project, call)
    for function, parameter in ONCE.items():
        for call in calls_of(project, function):
            yield from _twice(project, call, function, parameter)
    for call in calls_of(project, CONFIG_PROTO_HELPER):
        yield from _other_session(project, call)


def _twice(project: Project, call: Ref, function: str, parameter: str) -> Iterator[Finding]:
    """A function around a call of itself."""
    given = argument(cast(Call, call.expr), parameter, 0)
    if not isinstance(given, Call):
        return
    inner = call._replace(expr=given)
    if externals_called(project, inner) != {function}:
        return
    name = function.rpartition(".")[2]
    message = TWICE.format(function=name, effect=_EFFECTS.get(name, _HARMLESS))
    harmless = name not in _EFFECTS
    applicability = Applicability.SAFE if harmless else Applicability.UNSAFE
    rewrite = Rewrite(applicability, TITLE_ONCE, (KeepInner(call.place, inner.place),))
    severity = Severity.INFO if harmless else Severity.WARNING
    place = last_token(call.key, cast(Call, call.expr).func)
    yield from plain_finding(project, CODE, severity, message, place, rewrite)


def _other_session(project: Project, call: Ref) -> Iterator[Finding]:
    """A config of the NPU that a session of another library gets."""
    outer = project.parent_ref(call)
    if outer is None or not isinstance(outer.expr, Call):
        return
    names = externals_called(project, outer)
    if names and names <= SESSIONS_WITHOUT_CONFIG and argument(outer.expr, "config", None) is call.expr:
        message = OTHER_SESSION.format(name=min(names))
        rewrite = Rewrite(Applicability.SAFE, TITLE_WITHOUT, (DropItems(outer.place, (call.place,)),))
        place = last_token(call.key, cast(Call, call.expr).func)
        yield from plain_finding(project, CODE, Severity.ERROR, message, place, rewrite)


def _dropout(project: Project, call: Ref) -> Iterator[Finding]:
    expr = cast(Call, call.expr)
    for keyword in expr.keywords:
        if keyword.name == "rate":
            rewrite = _kept(project, call, keyword)
            name = keyword_name(call.key, keyword)
            yield from plain_finding(project, CODE, Severity.ERROR, RATE, name, rewrite)
        elif keyword.name == "noise_shape" and not _is_none(keyword):
            place = keyword_name(call.key, keyword)
            yield from plain_finding(project, CODE, Severity.WARNING, NOISE_SHAPE, place)
        elif keyword.name == "keep_prob":
            code = code_on_one_line(project, call._replace(expr=keyword.value))
            if _ONE_MINUS_ONE.match(code):
                place = Place(call.key, keyword.value.span)
                said = NEGATED.format(code=code)
                yield from plain_finding(project, CODE, Severity.ERROR, said, place)
    has_rate = any(keyword.name == "rate" for keyword in expr.keywords)
    if not has_rate and missing(project, call, DROPOUT_PARAMETERS, ("keep_prob",)):
        yield from plain_finding(project, CODE, Severity.ERROR, NO_KEEP_PROB, last_token(call.key, expr.func))


def _is_none(keyword: Keyword) -> bool:
    return isinstance(keyword.value, Constant) and keyword.value.value is None


def _kept(project: Project, call: Ref, keyword: Keyword) -> Rewrite | None:
    """Passes what is kept instead of what is dropped."""
    expr = cast(Call, call.expr)
    if has_star(call) or len(expr.args) > 1 or any(one.name in (None, "keep_prob") for one in expr.keywords):
        return None
    value = call._replace(expr=keyword.value)
    code = f"1.0 - ({code_on_one_line(project, value)})"
    intents = (
        Rename(keyword_name(call.key, keyword), "rate", "keep_prob"),
        ReplaceExpression(value.place, code),
    )
    return Rewrite(Applicability.SAFE, TITLE_RATE, intents)


def _appender(project: Project, call: Ref, function: str, parameter: str) -> Iterator[Finding]:
    expr = cast(Call, call.expr)
    for keyword in unknown_keywords(call, (parameter,)):
        name = cast(str, keyword.name)
        place = keyword_name(call.key, keyword)
        rewrite = None
        if similar(name, (parameter,)) is not None and len(expr.keywords) == 1 and not expr.args:
            title = TITLE_NAME.format(name=parameter)
            rewrite = Rewrite(Applicability.SAFE, title, (Rename(place, name, parameter),))
        said = MISSPELT.format(function=function, name=name)
        yield from plain_finding(project, CODE, Severity.ERROR, said, place, rewrite)
    for given in (*expr.args[:1], *(one.value for one in expr.keywords if one.name == parameter)):
        value = call._replace(expr=given)
        made = origins(project, value)
        if made and all(_is_filled_tuple(one) for one in made):
            said = TUPLE.format(function=function)
            yield from plain_finding(project, CODE, Severity.ERROR, said, value.place)


def _is_filled_tuple(made: Ref) -> bool:
    expr = made.expr
    return isinstance(expr, Collection) and expr.kind == "Tuple" and bool(expr.items) and not made.path


def _documented(project: Project, call: Ref) -> Iterator[Finding]:
    func = cast(Call, call.expr).func
    if not isinstance(func, Attribute):
        return
    owner = symbols(project, call.key, call.scope, func.value)
    if any(getattr(one, "name", "") == "tensorflow.estimator" for one in owner):
        message = NOT_TENSORFLOW.format(name=f"tf.estimator.{func.attr}")
        yield from plain_finding(project, CODE, Severity.ERROR, message, last_token(call.key, func))


def _positional(project: Project, call: Ref) -> Iterator[Finding]:
    expr = cast(Call, call.expr)
    if has_star(call):
        return
    for position, item in enumerate(expr.args[1:], 1):
        if position >= len(PARAMETERS) or _is_profiling(project, call._replace(expr=item), position):
            continue
        message = POSITIONAL.format(name=PARAMETERS[position])
        yield from plain_finding(project, CODE, Severity.ERROR, message, Place(call.key, item.span))


def _is_profiling(project: Project, value: Ref, position: int) -> bool:
    """Whether the argument is meant for the place where it stands."""
    if PARAMETERS[position] != _PROFILING:
        return False
    if isinstance(value.expr, Constant):
        return value.expr.value is None
    return any(
        isinstance(one.expr, Call) and _PROFILING_CLASS in externals_called(project, one)
        for one in origins(project, value)
    )


RULE = Rule(
    code=CODE,
    name="npu-helper-call",
    summary="A call of one of npu_bridge's functions that fails or loses its arguments.",
    severity="error; warning for noise_shape and what is done twice; info for configs wrapped twice",
    fix="safe for names of arguments, rate and configs; unsafe for what is done twice; else manual",
    sources=("CODE", "DOC-EST", "TOOL"),
    documentation=__doc__ or "",
    check=check,
)
