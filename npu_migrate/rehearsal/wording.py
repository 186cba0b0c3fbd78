"""What a user reads of a verdict: for each code its name and sources, for each kind a sentence.

The codes are those of the rules that find the same in the text of a script, as far as there are any.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any, NamedTuple

from npu_migrate.rehearsal.protocol import Verdict

_SHOWN = 4
"""How many names a sentence lists."""


class Code(NamedTuple):
    """A code: the name of its rule, what it says in a few words, and the labels of the vendor facts."""

    name: str
    summary: str
    sources: tuple[str, ...]


PARTITION = "CODE:om_partition_subgraphs_pass.cc"
KEYS = "CODE:npu_attrs.cc"

CODES: Mapping[str, Code] = MappingProxyType(
    {
        "NPU101": Code("one-shot-iterator", "A one-shot iterator on the NPU", (PARTITION, "SEED-ITER")),
        "NPU102": Code("uninitialized-iterator", "An iterator that nobody initializes", ("[TF]",)),
        "NPU104": Code("data-pre-proc-missing", "Data preprocessing is not offloaded", (PARTITION,)),
        "NPU105": Code("data-pre-proc-disabled", "Data preprocessing is switched off", (PARTITION,)),
        "NPU107": Code("input-not-offloadable", "Nothing to read from inside the loop", (PARTITION,)),
        "NPU108": Code(
            "variables-initialized-with-iterator",
            "Variables and an iterator are initialized in one run",
            (PARTITION, "FAQ:variable_preprocess_init_subgraph_error_fix"),
        ),
        "NPU109": Code(
            "resource-in-preprocessing",
            "A dataset uses a table or a variable",
            ("FAQ:resource_operator_preprocess_fix", "FAQ:tf-variable_preprocess_error"),
        ),
        "NPU110": Code("initializer-lost-on-restore", "An initializer that a restore skips", ("[TF]",)),
        "NPU111": Code("large-shuffle-buffer", "A large shuffle buffer", ("FAQ:shuffle_buffer_timeout_fix",)),
        "NPU201": Code("iterations-per-loop-invalid", "iterations_per_loop is invalid", (PARTITION,)),
        "NPU202": Code("steps-not-divisible", "Steps that N does not divide", ("SEED-ITER",)),
        "NPU203": Code("checkpoint-steps-not-multiple", "Checkpoints between two runs", ("SEED-ITER",)),
        "NPU205": Code("offload-in-mixed-computing", "N > 1 in mixed computing", (PARTITION,)),
        "NPU206": Code("loop-values-differ", "Two values of N", ("DOC-ITER",)),
        "NPU207": Code("loop-on-finalized-graph", "A loop on a finalized graph", ("DOC-SETIT",)),
        "NPU209": Code("offload-half-configured", "Half of the iteration offload", ("DOC-ITER",)),
        "NPU211": Code("looped-op-not-run", "The looped operation is not run", ("DOC-ITER",)),
        "NPU212": Code("loop-built-repeatedly", "A loop that is built again and again", ("DOC-ITER",)),
        "NPU301": Code("accelerate-mode-malformed", "A malformed mode", ("SEED-EXP",)),
        "NPU302": Code("accelerate-ratio-out-of-range", "A ratio out of range", ("SEED-EXP",)),
        "NPU303": Code("accelerate-precision-conflict", "Precision beside acceleration", ("SEED-EXP",)),
        "NPU304": Code("accelerate-under-offload", "Acceleration and N > 1", ("SEED-EXP",)),
        "NPU305": Code("step-or-loss-hook-missing", "Acceleration without its hook", ("DOC-TELL",)),
        "NPU306": Code("step-or-loss-hook-mismatch", "The hook tells something else", ("DOC-TELL",)),
        "NPU401": Code(
            "loss-scale-manager-under-control-dependencies",
            "A loss-scale manager under control dependencies",
            ("SEED-LS", "DOC-LSFAQ"),
        ),
        "NPU402": Code("loss-scale-argument-invalid", "An argument of loss scaling", ("SEED-LS",)),
        "NPU405": Code("own-overflow-test", "An overflow test of TensorFlow", ("OPS:tf_finite_manual_port",)),
        "NPU407": Code(
            "overflow-not-shared",
            "An overflow that others do not hear of",
            ("CODE:npu_loss_scale_optimizer.py",),
        ),
        "NPU408": Code(
            "two-scaled-updates-in-one-run",
            "Two scaled updates in one run",
            ("FAQ:multi_optimizer_fp_exception_detection",),
        ),
        "NPU501": Code("rec-init-unknown-argument", "An argument that init does not know", ("SEED-REC",)),
        "NPU502": Code("rec-init-type", "A wrong type for init", ("SEED-REC",)),
        "NPU503": Code("rec-init-range", "A value out of range for init", ("SEED-REC",)),
        "NPU504": Code("rec-init-all-steps-zero", "All steps of init are 0", ("SEED-REC",)),
        "NPU505": Code("rec-incremental-checkpoint-incomplete", "Half of incremental saving", ("SEED-REC",)),
        "NPU508": Code("rec-steps-mismatch", "init was told other steps", ("SEED-REC",)),
        "NPU509": Code("rec-steps-unset-with-estimator", "init was told no steps", ("SEED-REC",)),
        "NPU513": Code("rec-initializer-after-modification", "A dead initializer", ("REC-DOC",)),
        "NPU601": Code("unknown-key", "A session key that nobody reads", (KEYS,)),
        "NPU602": Code("wrong-field", "A session key in the wrong field", (KEYS,)),
        "NPU604": Code("illegal-value", "An illegal value of a session key", (KEYS,)),
        "NPU605": Code("conflict", "Session keys that exclude each other", (KEYS,)),
        "NPU606": Code("partner-missing", "A session key without its partner", (KEYS,)),
        "NPU608": Code("entry-name", "The name of the NPU's entry", (KEYS,)),
        "NPU724": Code("unsupported-type-or-api", "A type that the NPU does not support", ("DOC-RESTR",)),
        "NPU725": Code("host-op-in-npu-graph", "An operation that only the host has", ("DOC-MIXC",)),
        "NPU726": Code("queue-input", "Input queues", ("DOC-RESTR",)),
        "NPU801": Code(
            "rank-before-initialization", "A rank before the communication", ("FAQ:get_rank_id_error",)
        ),
    }
)
"""All codes that a rehearsal can give."""

_N = "iterations_per_loop = {n}"

SENTENCES: Mapping[tuple[str, str], str] = MappingProxyType(
    {
        ("NPU101", "one-shot-in-loop"): f"the NPU's runtime aborts at a one-shot iterator under {_N}",
        ("NPU102", "never-initialized"): "nobody has initialized the iterator {iterator} before this run",
        ("NPU104", "pre-proc-missing"): (
            f"{_N}, but enable_data_pre_proc is not set: the iterator {{iterator}} stays on the host and the "
            "loop on the device cannot read from it"
        ),
        ("NPU105", "pre-proc-disabled"): (
            f"{_N}, but enable_data_pre_proc is False: the iterator {{iterator}} stays on the host and the "
            "loop on the device cannot read from it"
        ),
        ("NPU107", "nothing-to-loop"): f"{_N}, but this run reads from no iterator of tf.data",
        ("NPU107", "fed-by-host"): (
            f"{_N}, but this run is fed with {{placeholders}}: all {{n}} steps see the same values"
        ),
        ("NPU108", "variables-zeroed"): (
            "this run initializes an iterator and assigns variables: the NPU leaves it to the host, and on "
            "the device these variables are 0: {variables}"
        ),
        ("NPU109", "table-in-dataset"): (
            "a dataset looks up the table {table} on the host, but the table is initialized on the device: "
            "the NPU says that it is not initialized"
        ),
        ("NPU109", "variable-in-dataset"): (
            "a dataset reads the variable {variable} on the host, but it is initialized on the device: the "
            "NPU says that it is uninitialized"
        ),
        ("NPU110", "initializer-lost"): (
            "the iterator {iterator} is initialized in an init_op, which is not run when a checkpoint is "
            "restored"
        ),
        ("NPU111", "large-buffer"): (
            "a shuffle buffer of {size} elements is filled on the device's time: the first step may time out"
        ),
        ("NPU201", "not-positive"): "iterations_per_loop must be a positive integer, it is {value}",
        ("NPU202", "steps-not-divisible"): (
            f"{{steps}} steps are not a multiple of {_N}: the NPU trains on to the next multiple"
        ),
        ("NPU203", "checkpoint-steps"): (
            f"a checkpoint every {{steps}} steps is not possible under {_N}: the host sees its multiples only"
        ),
        ("NPU205", "mixed-computing"): f"{_N} together with mix_compile_mode: the NPU's runtime refuses it",
        ("NPU206", "values-differ"): (
            "iterations_per_loop is {session} in the session's configuration and {loop} in the loop"
        ),
        ("NPU207", "graph-finalized"): (
            "set_iteration_per_loop changes the graph, which is finalized: {op} cannot be looped"
        ),
        ("NPU209", "loop-missing"): (
            f"the session says {_N}, but the operation that is run has no loop: each run does one step"
        ),
        ("NPU209", "key-missing"): (
            "the operation has a loop of {n} steps, but the session's configuration has no "
            "iterations_per_loop: each run does one step"
        ),
        ("NPU211", "looped-op-not-run"): (
            "the operation {op} is run itself, and not the looped one that was made of it"
        ),
        ("NPU212", "loop-built-again"): (
            "the loop around {op} is built again, so the graph grows and is compiled anew each time"
        ),
        ("NPU301", "malformed"): "the NPU's runtime refuses the mode {mode}",
        ("NPU302", "ratio"): "the ratio in {mode} must lie between {low} and {high}",
        ("NPU303", "precision"): "{key} = {value} cannot be used together with training acceleration",
        ("NPU304", "under-offload"): f"training acceleration together with {_N}",
        ("NPU305", "hook-missing"): (
            "training acceleration is on, but nobody has set {variables}: TellMeStepOrLossHook is not among "
            "the hooks"
        ),
        ("NPU306", "total-differs"): (
            "TellMeStepOrLossHook was told a total of {told} steps, but {taken} are trained"
        ),
        ("NPU401", "manager-under-control"): (
            "ExponentialUpdateLossScaleManager is made under control dependencies on {dependencies}: the NPU "
            "cannot initialize its variables"
        ),
        ("NPU405", "own-overflow-test"): (
            "{op} tests gradients for overflow with an operator of TensorFlow, which does not see what the "
            "NPU's operators do"
        ),
        ("NPU407", "overflow-not-shared"): (
            "NPULossScaleOptimizer scales the distributed {optimizer} without is_distributed=True: the ranks "
            "do not skip a step together"
        ),
        ("NPU408", "two-updates"): (
            "one run holds the updates of {optimizers}: they share one overflow flag; run each by itself"
        ),
        ("NPU501", "unknown-argument"): "init does not know the argument {argument}",
        ("NPU502", "type"): "{argument} = {value} has the wrong type: init expects {expected}",
        ("NPU503", "range"): "{argument} = {value} is out of range: init takes {smallest} to {largest}",
        ("NPU504", "all-zero"): "all steps that init was given are 0",
        ("NPU505", "incremental"): "is_incremental_checkpoint needs {missing} as well",
        ("NPU508", "steps-differ"): "{argument}: init was told {told}, but {taken} was taken",
        ("NPU509", "steps-unset"): "{argument}: init was told nothing, but {taken} was taken",
        ("NPU513", "initializer-after-modification"): (
            "the initializer of {iterator} is run after the graph was modified, when it is no longer used"
        ),
        ("NPU601", "unknown-key"): "the NPU does not know the session key {key}, and ignores it",
        ("NPU602", "wrong-field"): (
            "the session key {key} is set in the field .{field}; the NPU reads .{expected}, which is empty"
        ),
        ("NPU604", "illegal-value"): "{key} = {value} is not legal; legal is {legal}",
        ("NPU604", "getnexts-with-dynamic-dims"): (
            "dynamic_dims allows one IteratorGetNext in a run; this one has {count}"
        ),
        ("NPU604", "lazy-recompile-loop"): f"lazy_recompile with dynamic input does not go with {_N}",
        ("NPU605", "conflict"): "{key} and {other} exclude each other",
        ("NPU606", "partner-missing"): "{key} is set without {missing}",
        ("NPU608", "entry-name"): (
            "the custom optimizer is called {name}, so the NPU does not see it; the name is NpuOptimizer"
        ),
        ("NPU724", "dtype-unsupported"): "{op} computes in {dtype}, which the NPU does not support",
        ("NPU725", "host-op"): (
            "{op} ({type}) runs only on the host; without mix_compile_mode the NPU does not support it"
        ),
        ("NPU726", "queue-input"): (
            "{op} reads from a queue; the NPU is documented to read from tf.data and placeholders only"
        ),
        ("NPU801", "rank-before-init"): (
            "{function} is called before the collective communication is initialized"
        ),
    }
)
"""A sentence for each kind of verdict, with the names of its arguments in braces."""


def message(verdict: Verdict) -> str:
    """The sentence for `verdict`."""
    sentence = SENTENCES.get((verdict.code, verdict.kind))
    if sentence is None:
        return f"the NPU would not do what this says ({verdict.kind})"
    said = sentence.format_map(_Words({key: _in_words(value) for key, value in verdict.arguments.items()}))
    similar = verdict.arguments.get("similar")
    return f"{said}; did you mean {similar}?" if similar else said


class _Words(dict[str, str]):
    """The arguments in words. What is not known is shown as such, and never ends a report."""

    def __missing__(self, key: str) -> str:
        return "…"


def _in_words(value: Any) -> str:
    if not isinstance(value, list):
        return str(value)
    shown = [str(one) for one in value[:_SHOWN]]
    if len(value) > _SHOWN:
        return f"{', '.join(shown)} and {len(value) - _SHOWN} more"
    return " and ".join(filter(None, (", ".join(shown[:-1]), *shown[-1:])))
