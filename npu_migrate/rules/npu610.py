"""
## What it does

Finds options, and values of options, that the product in the settings does not have. Without the setting
`product` there is no finding.

## Why

bfloat16, for example, is not supported on Atlas training products. The products also differ in their
defaults, in the overflows that they detect, and in what can be tuned.

## Example

```toml
[tool.npu-migrate]
product = "training"
```

```python
custom_op.parameter_map["precision_mode"].s = tf.compat.as_bytes("allow_mix_precision_bf16")
```

## Use instead

```python
custom_op.parameter_map["precision_mode"].s = tf.compat.as_bytes("allow_mix_precision_fp16")
```

NPU604 has a table of all keys and products.

## Fix safety

No edit: this is for you to decide.

## Sources

API:session_config.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

from npu_migrate.findings import Finding, Severity
from npu_migrate.knowledge.option_values import PRODUCT_NAMES, lacking_product, products_in_words
from npu_migrate.knowledge.session_keys import SessionKey
from npu_migrate.project.project import Project
from npu_migrate.rules.options import set_options, value_place
from npu_migrate.rules.rule import Rule
from npu_migrate.rules.weighing import Verdict, judged, lowered_for, telling
from npu_migrate.semantics.values.value import describe, related
from npu_migrate.training.npu.options.configurations import Configuration, Option, value_of

CODE = "NPU610"
MESSAGE = "{option} is for {products} only, and the product is {product}"
RANGE = "{option} is out of range on {product}, which takes {low} to {high}"


def check(project: Project) -> Iterator[Finding]:
    """Yields one finding per option that the product does not have."""
    if project.options.product is None:
        return
    for configuration, option, key in set_options(project):
        judge = partial(_judge, project, configuration, option, key)
        yield from judged(project, CODE, value_place(project, option), judge, asked=configuration.made.key)


def _judge(
    project: Project, configuration: Configuration, option: Option, key: SessionKey, program: str
) -> Verdict | None:
    product = project.options.product
    assert product is not None
    value = value_of(project, configuration, option, program)
    if not value.every(lambda one: one is not None and _lacking(key, one, product) is not None):
        return None
    known = telling(value)
    said = describe(project, option.name, known)
    products = lacking_product(key, known.constant, product)
    if products:
        message = MESSAGE.format(
            option=said, products=products_in_words(products), product=PRODUCT_NAMES[product]
        )
    else:
        low, high = key.limits[product]
        message = RANGE.format(option=said, product=PRODUCT_NAMES[product], low=low, high=high)
    return Verdict(lowered_for(Severity.WARNING, value.alternatives), message, related(known))


def _lacking(key: SessionKey, value: object, product: str) -> tuple[str, ...] | None:
    return None if value is False else lacking_product(key, value, product)


RULE = Rule(
    code=CODE,
    name="product",
    summary="An option or a value that the product in the settings does not have.",
    severity="warning",
    fix="manual",
    sources=("API:session_config",),
    documentation=__doc__ or "",
    check=check,
)
