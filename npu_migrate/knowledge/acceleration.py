"""Training acceleration: the grammar of ``accelerate_train_mode``, its conflicts, the hook and its variables.

Sources: SEED-EXP, DOC-TELL, DOC-EXPS, CODE:geop_npu.cc, CODE:npu_config.py, CODE:npu_hook.py.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from types import MappingProxyType
from typing import Literal, NamedTuple

EXPERIMENTAL_CONFIG = "npu_bridge.ExperimentalConfig"

HOOK = "npu_bridge.TellMeStepOrLossHook"
HOOK_MODULE = "npu_bridge.estimator.npu.npu_hook"
HOOK_PARAMETERS = ("step", "total_step", "loss", "final_loss")
HOOKS_APPEND = "npu_bridge.npu_hooks_append"

MODE = "accelerate_train_mode"
MODE_POSITION = 9
"""The 0-based position of the mode among the parameters of `ExperimentalConfig`."""

SESSION_KEY = "experimental_accelerate_train_mode"
EXPERIMENTAL = "experimental_config"
"""The parameter of ``NPURunConfig`` that takes an `ExperimentalConfig`."""

Trigger = Literal["step", "loss"]

TYPES = ("fast", "fast1")
RATIOS: Mapping[Trigger, tuple[float, float]] = MappingProxyType({"step": (0.2, 0.9), "loss": (1.01, 1.5)})
"""The smallest and largest ratio of each trigger, both allowed."""

DEFAULT_RATIOS: Mapping[Trigger, float] = MappingProxyType({"step": 0.9, "loss": 1.05})

PAIRS: Mapping[Trigger, tuple[str, str]] = MappingProxyType(
    {"step": ("step", "total_step"), "loss": ("loss", "final_loss")}
)
"""The two arguments of the hook that each trigger needs: the tensor's name, and what it runs up to."""

VARIABLES: Mapping[Trigger, tuple[str, str]] = MappingProxyType(
    {"step": ("STEP_NOW", "TOTAL_STEP"), "loss": ("LOSS_NOW", "TARGET_LOSS")}
)
"""The environment variables that the runtime reads, and that the hook sets."""

PRECISION_MODES: Mapping[str, frozenset[str]] = MappingProxyType(
    {
        "precision_mode": frozenset({"allow_fp32_to_fp16", "must_keep_origin_dtype"}),
        "precision_mode_v2": frozenset({"origin"}),
    }
)
"""The precision settings that acceleration goes together with; unset goes as well."""

_NUMBER = re.compile(r"[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?")


class Mode(NamedTuple):
    """A mode that the runtime accepts, as far as its form goes; `ratio` is None where the default counts."""

    type: str
    trigger: Trigger
    ratio: float | None


def parse_mode(text: str) -> Mode | None:
    """The mode that the runtime reads in `text`; None where it refuses the form."""
    fields = text.split("|")
    if len(fields) not in (2, 3) or fields[0] not in TYPES:
        return None
    ratio = fields[2] if len(fields) == 3 else ""
    if ratio and not _NUMBER.fullmatch(ratio):
        return None
    value = float(ratio) if ratio else None
    if fields[1] == "step":
        return Mode(fields[0], "step", value)
    return Mode(fields[0], "loss", value) if fields[1] == "loss" else None


def tidied(text: str) -> str:
    """`text` without blanks around its fields and in small letters."""
    return "|".join(field.strip().lower() for field in text.split("|"))


def meant_mode(text: str) -> Mode | None:
    """The mode that `text` is, or would be but for blanks and capital letters."""
    return parse_mode(tidied(text))


def is_unset(value: object) -> bool:
    """Whether a mode, or a precision setting, counts as not given: None, "", and "none" in the documents."""
    return value is None or (isinstance(value, (str, bytes)) and value.lower() in ("", "none", b"", b"none"))
