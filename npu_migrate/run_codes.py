"""The codes that a rehearsal can give; where a rule finds the same in a script, it is the rule's code."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import NamedTuple


class RunCode(NamedTuple):
    """A code: the name of its rule, what it says in a few words, and the labels of the vendor facts.

    With `text_suffices` a rule reports at the same line whatever a run shows. Of other codes a run may show
    more than the text, or show it elsewhere, so what the text shows is no reason to call a comment idle.
    """

    name: str
    summary: str
    sources: tuple[str, ...]
    text_suffices: bool = False


PARTITION = "CODE:om_partition_subgraphs_pass.cc"
KEYS = "CODE:npu_attrs.cc"

RUN_CODES: Mapping[str, RunCode] = MappingProxyType(
    {
        "NPU101": RunCode(
            "one-shot-iterator",
            "A one-shot iterator on the NPU",
            (PARTITION, "SEED-ITER"),
            text_suffices=True,
        ),
        "NPU102": RunCode("uninitialized-iterator", "An iterator that nobody initializes", ("[TF]",)),
        "NPU104": RunCode("data-pre-proc-missing", "Data preprocessing is not offloaded", (PARTITION,)),
        "NPU105": RunCode("data-pre-proc-disabled", "Data preprocessing is switched off", (PARTITION,)),
        "NPU107": RunCode("input-not-offloadable", "Nothing to read from inside the loop", (PARTITION,)),
        "NPU108": RunCode(
            "variables-initialized-with-iterator",
            "Variables and an iterator are initialized in one run",
            (PARTITION, "FAQ:variable_preprocess_init_subgraph_error_fix"),
        ),
        "NPU109": RunCode(
            "resource-in-preprocessing",
            "A dataset uses a table or a variable",
            ("FAQ:resource_operator_preprocess_fix", "FAQ:tf-variable_preprocess_error"),
        ),
        "NPU110": RunCode("initializer-lost-on-restore", "An initializer that a restore skips", ("[TF]",)),
        "NPU111": RunCode(
            "large-shuffle-buffer", "A large shuffle buffer", ("FAQ:shuffle_buffer_timeout_fix",)
        ),
        "NPU201": RunCode("iterations-per-loop-invalid", "iterations_per_loop is invalid", (PARTITION,)),
        "NPU202": RunCode("steps-not-divisible", "Steps that N does not divide", ("SEED-ITER",)),
        "NPU203": RunCode("checkpoint-steps-not-multiple", "Checkpoints between two runs", ("SEED-ITER",)),
        "NPU204": RunCode(
            "summary-or-log-steps-under-offload", "Single steps that are not seen", ("SEED-ITER",)
        ),
        "NPU205": RunCode("offload-in-mixed-computing", "N > 1 in mixed computing", (PARTITION,)),
        "NPU206": RunCode("loop-values-differ", "Two values of N", ("DOC-ITER",)),
        "NPU207": RunCode("loop-on-finalized-graph", "A loop on a finalized graph", ("DOC-SETIT",)),
        "NPU209": RunCode("offload-half-configured", "Half of the iteration offload", ("DOC-ITER",)),
        "NPU211": RunCode("looped-op-not-run", "The looped operation is not run", ("DOC-ITER",)),
        "NPU212": RunCode("loop-built-repeatedly", "A loop that is built again and again", ("DOC-ITER",)),
        "NPU301": RunCode("accelerate-mode-malformed", "A malformed mode", ("SEED-EXP",)),
        "NPU302": RunCode("accelerate-ratio-out-of-range", "A ratio out of range", ("SEED-EXP",)),
        "NPU303": RunCode("accelerate-precision-conflict", "Precision beside acceleration", ("SEED-EXP",)),
        "NPU304": RunCode("accelerate-under-offload", "Acceleration and N > 1", ("SEED-EXP",)),
        "NPU305": RunCode("step-or-loss-hook-missing", "Acceleration without its hook", ("DOC-TELL",)),
        "NPU306": RunCode("step-or-loss-hook-mismatch", "The hook tells something else", ("DOC-TELL",)),
        "NPU401": RunCode(
            "loss-scale-manager-under-control-dependencies",
            "A loss-scale manager under control dependencies",
            ("SEED-LS", "DOC-LSFAQ"),
        ),
        "NPU405": RunCode(
            "own-overflow-test", "An overflow test of TensorFlow", ("OPS:tf_finite_manual_port",)
        ),
        "NPU406": RunCode(
            "step-counted-outside-optimizer", "Steps counted beside the optimizer", ("DOC-MIXP",)
        ),
        "NPU407": RunCode(
            "overflow-not-shared",
            "An overflow that others do not hear of",
            ("CODE:npu_loss_scale_optimizer.py",),
        ),
        "NPU408": RunCode(
            "two-scaled-updates-in-one-run",
            "Two scaled updates in one run",
            ("FAQ:multi_optimizer_fp_exception_detection",),
        ),
        "NPU501": RunCode(
            "rec-init-unknown-argument",
            "An argument that init does not know",
            ("SEED-REC",),
            text_suffices=True,
        ),
        "NPU502": RunCode("rec-init-type", "A wrong type for init", ("SEED-REC",)),
        "NPU503": RunCode("rec-init-range", "A value out of range for init", ("SEED-REC",)),
        "NPU504": RunCode("rec-init-all-steps-zero", "All steps of init are 0", ("SEED-REC",)),
        "NPU505": RunCode(
            "rec-incremental-checkpoint-incomplete", "Half of incremental saving", ("SEED-REC",)
        ),
        "NPU508": RunCode("rec-steps-mismatch", "init was told other steps", ("SEED-REC",)),
        "NPU509": RunCode("rec-steps-unset-with-estimator", "init was told no steps", ("SEED-REC",)),
        "NPU513": RunCode("rec-initializer-after-modification", "A dead initializer", ("REC-DOC",)),
        "NPU514": RunCode("rec-import-order", "An import after Rec SDK", ("REC-DOC",), text_suffices=True),
        "NPU601": RunCode("unknown-key", "A session key that nobody reads", (KEYS,)),
        "NPU602": RunCode("wrong-field", "A session key in the wrong field", (KEYS,)),
        "NPU604": RunCode("illegal-value", "An illegal value of a session key", (KEYS,)),
        "NPU605": RunCode("conflict", "Session keys that exclude each other", (KEYS,)),
        "NPU606": RunCode("partner-missing", "A session key without its partner", (KEYS,)),
        "NPU608": RunCode("entry-name", "The name of the NPU's entry", (KEYS,)),
        "NPU724": RunCode("unsupported-type-or-api", "A type that the NPU does not support", ("DOC-RESTR",)),
        "NPU725": RunCode("host-op-in-npu-graph", "An operation that only the host has", ("DOC-MIXC",)),
        "NPU726": RunCode("queue-input", "Input queues", ("DOC-RESTR",)),
        "NPU801": RunCode(
            "rank-before-initialization", "A rank before the communication", ("FAQ:get_rank_id_error",)
        ),
        "NPU803": RunCode("seconds-on-several-devices", "Checkpoints by time on several devices", ("INTRO",)),
        "NPU804": RunCode(
            "rank-dependent-run", "Runs that differ from rank to rank", ("FAQ:multi-device_model_error",)
        ),
    }
)
"""All codes that a rehearsal can give."""
