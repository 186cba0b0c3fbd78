"""What a user reads of a verdict: a sentence for each kind. The codes are in `run_codes`."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

from npu_migrate.knowledge.option_words import meant_key
from npu_migrate.rehearsal.protocol import Verdict

_SHOWN = 4
"""How many names a sentence lists."""


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
        ("NPU204", "single-steps"): (
            f"under {_N} the host only sees every {{n}}th step, but single steps are asked for: {{what}}"
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
        ("NPU406", "steps-beside"): (
            "{op} counts this step beside NPULossScaleOptimizer, also where the optimizer skips it; give the "
            "counter to the optimizer as global_step"
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
        ("NPU514", "import-order"): "{module} is imported after mx_rec, which fails on Arm; import it first",
        ("NPU601", "unknown-key"): "the NPU does not know the session key {key}, and ignores it",
        ("NPU602", "wrong-field"): (
            "the session key {key} is set in the field .{field}; the NPU reads .{expected}, which is empty"
        ),
        ("NPU604", "illegal-value"): "{key} = {value} is not legal; legal is {legal}",
        ("NPU604", "getnexts-with-dynamic-dims"): (
            "dynamic_dims allows one IteratorGetNext in a run; this one has {count}"
        ),
        ("NPU604", "lazy-recompile-loop"): f"lazy_recompile with dynamic input does not go with {_N}",
        ("NPU605", "conflict"): "{key} and {other} do not go together: {why}",
        ("NPU606", "partner-missing"): "{key} is set without {missing}: {why}",
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
        ("NPU803", "checkpoints-by-time"): (
            "save_checkpoints_secs is not supported in a training on several devices; use "
            "save_checkpoints_steps"
        ),
        ("NPU804", "other-graph"): (
            "rank {rank} runs {wanted} here as its graph number {number}, where rank {other} runs "
            "{expected}: the ranks wait for each other for ever"
        ),
        ("NPU804", "missing-graph"): (
            "this graph, number {number} of rank {rank}, which runs {wanted}, is not run by rank {other}: "
            "the ranks wait for each other for ever"
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
    key = verdict.arguments.get("key")
    hint = meant_key(key) if verdict.code == "NPU601" and isinstance(key, str) else None
    return f"{said}; {hint}" if hint else said


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
