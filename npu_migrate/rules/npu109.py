"""
## What it does

Finds lookup tables and variables in the preprocessing of a program that runs on the NPU. A function that is
given to `map`, `flat_map`, `interleave`, `filter`, `map_and_batch` and the like is followed through the
project, and so are the arguments of `batch`, `shuffle`, `repeat`, `take` and `skip`:

- a lookup table, unless `mix_compile_mode` is True;
- a variable, also one from which TensorFlow computes what is used;
- `tf.keras.backend.zeros`, `ones` or `variable`: in TensorFlow 1.15 each of them makes a variable.

What a `py_func` calls is no part of the graph and does not count. Neither do attributes that are known when
the graph is built, such as the shape of a variable, nor its `initialized_value()`. A table counts as right if
the program initializes it in the run that initializes the iterator, or registers the iterator's initializer
in `TABLE_INITIALIZERS`: such a run stays on the host as a whole.

## Why

On the NPU a run that initializes tables or variables goes to the device, while preprocessing runs on the
host. There the table is not initialized, nor is the variable, and the first batch ends in an error.

In mixed computing tables stay on the host, in both places. It excludes `iterations_per_loop` > 1; then, and
for variables, the preprocessing has to do without.

## Example

```python
def with_losses(row):
    return row, {"mlm_loss": tf.keras.backend.zeros([1])}


dataset = dataset.map(with_losses)
dataset = dataset.map(lambda word: vocabulary.lookup(word))
```

## Use instead

```python
def with_losses(row):
    return row, {"mlm_loss": tf.zeros([1])}


dataset = dataset.map(with_losses)
custom_op.parameter_map["mix_compile_mode"].b = True
```

Or look the words up before they become a dataset.

## Fix safety

Safe for `tf.keras.backend.zeros` and `ones`: `tf.zeros` and `tf.ones` give the same values. No edit where the
call gives more than the shape and a literal dtype, where the variable is used as a variable, where the same
code also runs outside of datasets, or where the program changes Keras' default type. Tables and variables: no
edit.

## Sources

FAQ:resource_operator_preprocess_fix; FAQ:tf-variable_preprocess_error;
FAQ:tf_keras_backend_zeros_uninitialized_variable; DOC-MIXC; [TF].
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

from npu_migrate.findings import Applicability, Finding, Related, Rewrite, Severity
from npu_migrate.index.facts import Call, Constant, argument
from npu_migrate.index.names import code_scope
from npu_migrate.intents import ReplaceExpression
from npu_migrate.knowledge import npu, resources
from npu_migrate.places import Place
from npu_migrate.project.project import Project
from npu_migrate.project.ref import Ref
from npu_migrate.rules.offload import one_per_place
from npu_migrate.rules.places import last_token
from npu_migrate.rules.rule import Rule
from npu_migrate.rules.weighing import Verdict, judged, lowered_for, telling
from npu_migrate.semantics.flow import activations
from npu_migrate.semantics.resolution import Definition
from npu_migrate.semantics.uses import uses
from npu_migrate.semantics.values.value import describe, related
from npu_migrate.training.npu.mixed_computing import mixed_computing
from npu_migrate.training.npu.readings import runs_on_npu
from npu_migrate.training.pipelines.input_functions import runs_in_dataset
from npu_migrate.training.pipelines.placement.spelling import tensorflow_spelling
from npu_migrate.training.pipelines.reachability import is_reached
from npu_migrate.training.porting.programs import npu_programs_of
from npu_migrate.training.reading.resource_uses import ResourceUse, uses_of
from npu_migrate.training.reading.tables_on_host import initializes_tables_on_host
from npu_migrate.training.reading.transformations import Transformation, transformations

CODE = "NPU109"
TITLE = "Use tf.{name}, which makes a tensor"
TABLE = (
    "{method} uses a lookup table on the host, but the table is initialized on the device: look up before "
    "the dataset, or use mixed computing (mix_compile_mode = True), which excludes iterations_per_loop > 1"
)
MIXED_OFF = "{message}; {mix}"
VARIABLE = (
    "{method} uses a variable on the host, but the variable is initialized on the device: use a constant"
)
KERAS = (
    "{name} makes a variable, which {method} uses on the host and the NPU initializes on the device: {advice}"
)
KERAS_ADVICE = "use tf.{name}"
CONSTANT_ADVICE = "use a constant"
MADE_HERE = "made here"
USED_HERE = "the dataset uses it here"

_FLOAT_TYPE = "set_floatx"
_MOST_ARGUMENTS = 2


def check(project: Project) -> Iterator[Finding]:
    """Yields one finding per use of a table or variable."""
    return one_per_place(_findings(project))


def _findings(project: Project) -> Iterator[Finding]:
    for facts in project.relevant():
        made = transformations(project, facts.key)
        # Which programs run on the NPU costs most to find out where they are to be moved first.
        for transformation in made if made and any(npu_programs_of(project, facts.key)) else ():
            for use in uses_of(project, transformation):
                judge = partial(_judge, project, transformation, use)
                rewrite = _as_tensor(project, use)
                home = transformation.call.key
                yield from judged(project, CODE, _place(use), judge, rewrite, asked=home)


def _place(use: ResourceUse) -> Place:
    expr = use.use.expr
    if isinstance(expr, Call):
        return last_token(use.use.key, expr.func)
    return last_token(use.use.key, expr) if use.kind == "table" else use.use.place


def _judge(
    project: Project, transformation: Transformation, use: ResourceUse, program: str
) -> Verdict | None:
    call = transformation.call
    is_run = runs_on_npu(project, call, program) and is_reached(project, call, program)
    if not is_run or program not in npu_programs_of(project, call.key):
        return None
    if use.kind == "table":
        return _of_table(project, transformation, use, program)
    if use.kind == "keras":
        advice = KERAS_ADVICE if use.name in resources.KERAS_TENSORS else CONSTANT_ADVICE
        name = f"tf.keras.backend.{use.name}"
        message = KERAS.format(name=name, method=transformation.method, advice=advice.format(name=use.name))
    else:
        message = VARIABLE.format(method=transformation.method)
    return Verdict(Severity.ERROR, message, _related(transformation, use))


def _of_table(
    project: Project, transformation: Transformation, use: ResourceUse, program: str
) -> Verdict | None:
    mix = mixed_computing(project, program)
    if not mix.every(lambda value: not value) or initializes_tables_on_host(project, program):
        return None
    message = TABLE.format(method=transformation.method)
    switch = telling(mix)
    severity = lowered_for(Severity.ERROR, [switch])
    if switch.is_default:
        message = MIXED_OFF.format(message=message, mix=describe(project, npu.MIX_COMPILE_MODE, switch))
    return Verdict(severity, message, (*_related(transformation, use), *related(switch)))


def _related(transformation: Transformation, use: ResourceUse) -> tuple[Related, ...]:
    places = [(transformation.call.key, transformation.call, USED_HERE)]
    if use.made.expr is not use.use.expr:
        places.insert(0, (use.made.key, use.made, MADE_HERE))
    own = _place(use)
    found = []
    for key, ref, message in places:
        assert isinstance(ref.expr, Call)
        place = last_token(key, ref.expr.func)
        if place != own:
            found.append(Related(place, message))
    return tuple(found)


# -- the fix -------------------------------------------------------------------------------------------


def _as_tensor(project: Project, use: ResourceUse) -> Rewrite | None:
    """``tf.zeros`` in place of the Keras backend's, where it gives the same for certain."""
    call = use.use.expr
    if use.name not in resources.KERAS_TENSORS or not isinstance(call, Call) or use.kind != "keras":
        return None
    facts = project.facts(use.use.key)
    assert facts is not None
    spelling = tensorflow_spelling(project, facts, use.use.scope)
    dtype = argument(call, "dtype", 1)
    plain = len(call.args) <= _MOST_ARGUMENTS and all(k.name in ("shape", "dtype") for k in call.keywords)
    typed = dtype is None or (isinstance(dtype, Constant) and isinstance(dtype.value, str))
    is_variable = any(found.kind == "attribute" for found in uses(project, use.use))
    if spelling is None or not plain or not typed or is_variable or project.mentions(_FLOAT_TYPE):
        return None
    if _runs_elsewhere(project, use.use):
        return None
    func = use.use._replace(expr=call.func).place
    intent = ReplaceExpression(func, f"{spelling}.{use.name}")
    return Rewrite(Applicability.SAFE, TITLE.format(name=use.name), (intent,))


def _runs_elsewhere(project: Project, ref: Ref) -> bool:
    """Whether the code at `ref` also runs outside of datasets, where the variable may be meant."""
    facts = project.facts(ref.key)
    assert facts is not None
    scope = code_scope(facts, ref.scope)
    if scope == 0:
        return True
    sites = activations(project, Definition(ref.key, scope))
    return not all(runs_in_dataset(project, site.key, site.scope) for site in sites)


RULE = Rule(
    code=CODE,
    name="resource-in-preprocessing",
    summary="A lookup table or variable that preprocessing uses on the host.",
    severity="error",
    fix="safe for tf.keras.backend.zeros and ones, else manual",
    sources=("FAQ", "DOC-MIXC", "[TF]"),
    documentation=__doc__ or "",
    check=check,
)
