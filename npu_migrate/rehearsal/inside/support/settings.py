"""What `NPURunConfig` is given, and how it gets into the session's entry."""

from __future__ import annotations

from typing import Any, Mapping, Sequence

_ALWAYS = {"use_off_line": True, "enable_data_pre_proc": True}


def defaults_of(parameters: Sequence[str], args: Sequence[Any], kwargs: Mapping[str, Any]) -> dict[str, Any]:
    """The arguments by their names. Raises `TypeError` as a call does that does not fit."""
    if len(args) > len(parameters):
        raise TypeError(
            f"__init__() takes {len(parameters) + 1} positional arguments but {len(args) + 1} were given"
        )
    given = dict(zip(parameters, args))
    for name, value in kwargs.items():
        if name not in parameters:
            raise TypeError(f"__init__() got an unexpected keyword argument '{name}'")
        if name in given:
            raise TypeError(f"__init__() got multiple values for argument '{name}'")
        given[name] = value
    return given


def write_options(entry: Any, given: Mapping[str, Any], tables: Mapping[str, Any]) -> None:
    """Write into `entry` what was given, each key in its field, and what is always there."""
    values: dict[str, Any] = {**_ALWAYS, **given}
    experimental = values.get("experimental_config")
    if experimental is not None and experimental.accelerate_train_mode is not None:
        values[tables["acceleration"]["key"]] = experimental.accelerate_train_mode
    for key, row in tables["session_keys"].items():
        value = values.get(key)
        if value is None:
            continue
        option = entry.parameter_map[key]
        if row["field"] == "b":
            option.b = bool(value)
        elif row["field"] == "i":
            option.i = int(value)
        else:
            option.s = str(value).encode("utf-8", "surrogateescape")
