"""Which values of an option are legal, on which product, and how that is said."""

from __future__ import annotations

import re

from npu_migrate.knowledge.session_keys import SessionKey

PRODUCT_NAMES = {
    "training": "Atlas training products",
    "a2": "Atlas A2",
    "a3": "Atlas A3",
    "950": "Ascend 950",
}
"""The product families, as the settings name them and as people do."""

_MOST_STEPS = 100
_NONE = "none"
"""Some documents write it for an option that is not set (SEED-EXP), others do not have it."""

_TYPES: dict[str, type] = {"b": bool, "i": int, "s": str}


def is_of_field(key: SessionKey, value: object) -> bool:
    """Whether a value has the type of the field that a key is read from."""
    return type(value) is _TYPES[key.field]


def is_legal(name: str, key: SessionKey, value: object) -> bool:
    """Whether a key may have a value on some product; one of another type, or an empty one, is not judged."""
    if not is_of_field(key, value) or value == "" or value == _NONE:
        return True
    if key.values:
        return value in key.values
    if isinstance(value, str) and key.pattern is not None:
        return re.fullmatch(key.pattern, value) is not None and (name != "dump_step" or _is_ascending(value))
    if isinstance(value, int):
        return (key.smallest is None or value >= key.smallest) and (
            key.largest is None or value <= key.largest
        )
    return True


def _is_ascending(steps: str) -> bool:
    """Whether the ranges of ``0|3-5|10`` go upwards, and there are not too many parts."""
    parts = [part.split("-") for part in steps.split("|")]
    return len(parts) <= _MOST_STEPS and all(int(part[0]) < int(part[1]) for part in parts if len(part) == 2)


def lacking_product(key: SessionKey, value: object, product: str | None) -> tuple[str, ...] | None:
    """The products that know a key, or that value of it, if `product` is none of them; else None.

    Empty for a number that only other products take.
    """
    if product is None:
        return None
    for part in ("", str(value)):
        products = key.only_on.get(part)
        if products is not None and product not in products:
            return products
    limit = key.limits.get(product)
    if limit is not None and type(value) is int and not limit[0] <= value <= limit[1]:
        return ()
    return None


def tidied(key: SessionKey, value: object) -> str | None:
    """The legal text that a value was meant to be, if only blanks or capital letters are wrong."""
    if not isinstance(value, str):
        return None
    texts = [one for one in key.values if isinstance(one, str)]
    found = [one for one in texts if one.lower() == value.strip().lower()]
    return found[0] if len(found) == 1 and found[0] != value else None


def in_words(key: SessionKey) -> str:
    """The legal values for people: ``0, 1``, ``0 to 7``, ``of the form 0|3-5|10``; empty if all are."""
    if key.values:
        return ", ".join(map(str, key.values))
    if key.pattern is not None:
        return f"of the form {key.form or key.pattern}"
    if key.smallest is not None and key.largest is not None:
        return f"{key.smallest} to {key.largest}"
    if key.smallest is not None:
        return f"{key.smallest} or more"
    return "True, False" if key.field == "b" else ""


def products_in_words(products: tuple[str, ...]) -> str:
    """``Atlas A2, Atlas A3 and Ascend 950``."""
    names = [PRODUCT_NAMES[product] for product in products]
    return " and ".join(filter(None, (", ".join(names[:-1]), *names[-1:])))
