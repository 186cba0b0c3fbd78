"""Which options exclude each other, and which need each other.

The names are session keys and, where `only_in` says so, parameters of one class only. Sources:
CODE:npu_attrs.cc, CODE:npu_config.py, API:session_config, DOC-MIXC.
"""

from __future__ import annotations

import re
from typing import Literal, NamedTuple

from npu_migrate.knowledge.session_keys import SESSION_KEYS

Weight = Literal["error", "warning", "info"]

Stop = Literal["error", "abort"]
"""How the runtime stops: with an error of the run, or with the whole process."""


class Part(NamedTuple):
    """An option with one of `values`, or matching `pattern`; without both, with any that says something.

    With `default` it also counts when it is not set, for its default is among the values. `present` means
    that it is set at all, even to False or an empty text.
    """

    name: str
    values: tuple[str | int | bool, ...] = ()
    pattern: str | None = None
    default: bool = False
    present: bool = False

    def holds(self, value: object) -> bool:
        """Whether a known value is one of those meant."""
        if self.pattern is not None:
            return isinstance(value, str) and re.fullmatch(self.pattern, value) is not None
        if self.values:
            return any(type(value) is type(one) and value == one for one in self.values)
        return value is not None if self.present else is_said(self.name, value)

    def in_words(self) -> str:
        """``precision_mode``, ``enable_dump = True`` or ``precision_mode = a, b or c``."""
        if not self.values:
            return self.name
        *others, last = map(str, self.values)
        return f"{self.name} = {', '.join(others)} or {last}" if others else f"{self.name} = {last}"


def is_said(name: str, value: object) -> bool:
    """Whether a value says something: not None, False, an empty text, or the -1 that is a default."""
    if value is None or value is False or value in ("", b""):
        return False
    key = SESSION_KEYS.get(name)
    return key is None or key.default != -1 or value != -1


class Conflict(NamedTuple):
    """Two options that cannot be set together, and why; `stops` tells that the runtime does."""

    one: Part
    other: Part
    why: str
    weight: Weight = "error"
    stops: Stop | None = None
    only_in: str | None = None


class Partner(NamedTuple):
    """An option that needs one of `needed`, and why."""

    one: Part
    needed: tuple[Part, ...]
    why: str
    weight: Weight = "error"
    stops: Stop | None = None


MIXED_MODES = ("allow_mix_precision", "allow_mix_precision_fp16", "allow_mix_precision_bf16")
MIXED_MODES_V2 = ("mixed_float16", "mixed_bfloat16", "mixed_hif8")

DYNAMIC_TRIO = ("input_shape", "dynamic_dims", "dynamic_node_type")
"""All three are given, or none of them (CODE:npu_attrs.cc)."""

_ONE_OF_BOTH = "only one of both may be set"
_MIXED = Part("mix_compile_mode", (True,))

CONFLICTS: tuple[Conflict, ...] = (
    Conflict(
        Part("precision_mode", present=True),
        Part("precision_mode_v2", present=True),
        _ONE_OF_BOTH,
        stops="error",
    ),
    Conflict(Part("enable_dump", (True,)), Part("enable_dump_debug", (True,)), "only one of both may be on"),
    Conflict(
        Part("enable_compress_weight", present=True),
        Part("compress_weight_conf", present=True),
        _ONE_OF_BOTH,
        stops="abort",
    ),
    Conflict(
        Part("compress_weight_conf", present=True),
        Part("enable_compress_weight", present=True, default=True),
        "NPUEstimator always sets the other one, and only one of both may be set",
        stops="abort",
        only_in="NPURunConfig",
    ),
    Conflict(
        Part("dynamic_dims"), _MIXED, "dynamic dimensions do not work in mixed computing", stops="abort"
    ),
    Conflict(
        Part("dynamic_input_config", present=True),
        _MIXED,
        "dynamic dimensions do not work in mixed computing",
        stops="abort",
    ),
    Conflict(
        Part("dynamic_dims"),
        Part("compile_dynamic_mode", (True,)),
        "profiles of dimensions and generalized shapes exclude each other",
    ),
    Conflict(
        Part("op_select_implmode"),
        Part("op_precision_mode"),
        "op_precision_mode wins, the other has no effect",
        weight="warning",
    ),
    Conflict(
        Part("optypelist_for_implmode"),
        Part("op_precision_mode"),
        "op_precision_mode wins, the other has no effect",
        weight="warning",
    ),
    Conflict(
        Part("op_debug_level", (2,)),
        Part("op_debug_config", pattern=r"(.*[,\s])?oom([,\s].*)?"),
        "the check of memory overwriting fails without optimization",
    ),
    Conflict(
        Part("precision_mode", ("force_fp16",)),
        Part("graph_run_mode", (1,), default=True),
        "force_fp16 is documented for inference only, which is graph_run_mode = 0",
        weight="warning",
    ),
    Conflict(
        Part("save_checkpoints_steps"),
        Part("save_checkpoints_secs"),
        "RunConfig raises ValueError",
        stops="error",
        only_in="NPURunConfig",
    ),
)
"""N > 1 has rules of its own: NPU205 for mixed computing, NPU104 and NPU105 for the preprocessing."""

PARTNERS: tuple[Partner, ...] = (
    Partner(
        Part("enable_dump", (True,)), (Part("dump_path"),), "the runtime stops without it", stops="error"
    ),
    Partner(
        Part("enable_dump_debug", (True,)),
        (Part("dump_path"),),
        "the runtime stops without it",
        stops="error",
    ),
    Partner(
        Part("modify_mixlist"),
        (Part("precision_mode", MIXED_MODES), Part("precision_mode_v2", MIXED_MODES_V2)),
        "the lists are for mixed precision, and the runtime stops without it",
        stops="error",
    ),
    Partner(
        Part("optypelist_for_implmode", present=True),
        (Part("op_select_implmode", present=True),),
        "the runtime stops without it",
        stops="abort",
    ),
    *(
        Partner(
            Part(one, present=True),
            (Part(other, present=True),),
            f"{', '.join(DYNAMIC_TRIO)} are set together, or the runtime stops",
            stops="abort",
        )
        for one, other in zip(DYNAMIC_TRIO, (*DYNAMIC_TRIO[1:], DYNAMIC_TRIO[0]), strict=True)
    ),
    Partner(
        Part("compile_hybrid_mode", (1,)),
        (Part("dynamic_node_type", (1,)),),
        "it is for profiles of placeholders, and the runtime stops without them",
        stops="error",
    ),
    Partner(Part("variable_placement", ("Host",)), (_MIXED,), "variables on the host need mixed computing"),
    Partner(
        Part("shape_generalization_mode", ("FULL", "ADAPTIVE")),
        (Part("jit_compile", ("true",)),),
        "it has no effect otherwise",
        weight="warning",
    ),
    Partner(
        Part("dump_debug_mode", ("aicore_overflow", "atomic_overflow")),
        (Part("enable_dump_debug", (True,)),),
        "it has no effect otherwise",
        "info",
    ),
    *(
        Partner(
            one,
            (Part("enable_dump", (True,)), Part("enable_dump_debug", (True,))),
            "it has no effect otherwise",
            "info",
        )
        for one in (Part("dump_step"), Part("dump_mode", ("input", "all")))
    ),
)
