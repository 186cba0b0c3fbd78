"""Two tests over a file's bytes that decide whether it is worth parsing.

The first asks whether the file mentions a name of ours, i.e. one without which no rule can fire. The
second is for the other files of a program that has such a file: it asks whether the file says anything
that rules weigh, such as a flag, a session or an estimator. Both err on the side of yes: a name in a
comment counts. They run over every file of a tree, so they are substring tests, which scan several times
faster than one regular expression with alternatives.
"""

from __future__ import annotations

from typing import NamedTuple

OUR_NAMES: tuple[bytes, ...] = (
    # NPU101-NPU103, NPU108: iterators, and how their initializers are registered
    b"one_shot_iterator",
    b"OneShotIterator",
    b"make_initializable_iterator",
    b"make_initializer",
    b"TABLE_INITIALIZERS",
    b'"table_initializer"',
    b"'table_initializer'",
    # everything that comes from npu_bridge or npu_device: npu_init, npu_config, npu_hook, npu_plugin, ...
    b"npu_",
    b"NpuOptimizer",
    # NPU104, NPU105, NPU2xx: offload
    b"enable_data_pre_proc",
    b"iteration_per_loop",
    b"IterationPerLoop",
    # NPU3xx: acceleration
    b"accelerate_train_mode",
    b"ExperimentalConfig",
    b"TellMeStepOrLossHook",
    # NPU404: saturation
    b"set_device_sat_mode",
    # NPU5xx: Rec SDK
    b"mx_rec",
)
"""Without one of these in its program no rule fires; a file with one is a file of ours.

``iterations_per_loop`` is none of them: by itself it is a TPU's, and what makes it an NPU's is.
"""

PORTED_NAMES: tuple[bytes, ...] = (
    b"tensorflow",
    b"tf_slim",
    b"horovod",
    b"keras",
    b"ConfigProto",
    b"CUDA_VISIBLE_DEVICES",
    # libraries that train with TensorFlow, in scripts that need not mention it
    b"tflearn",
    b"tensorpack",
    b"baselines",
    b"edward",
    b"gpflow",
    b"opennmt",
    b"tensor2tensor",
    b"ludwig",
    b"deepctr",
    b"deepmatch",
)
"""What makes a file one of ours, too, when programs for a GPU are to be moved (NPU7xx)."""

OUR_CLASS_NAMES: tuple[bytes, ...] = (
    b"NPURunConfig",
    b"NPUEstimator",
    b"NPUOptimizer",
    b"NPUDistributedOptimizer",
    b"NPUCheckpointSaverHook",
    b"NPUOutputTensorHook",
    b"NPUBroadcastGlobalVariables",
    b"NPULossScaleOptimizer",
)
"""npu_bridge's classes, whose common beginning is tested first."""

ROLE_NAMES: tuple[bytes, ...] = (
    # sessions and what runs before their first step
    b"Session",
    b"Supervisor",
    b"Scaffold",
    b"slim.learning",
    b"learning.train",
    b"local_init_op",
    b"variables_initializer",
    b"initialize_all_variables",
    b"tables_initializer",
    b"sess.run",
    b"session.run",
    # estimators and what they read from
    b"Estimator(",
    b"estimator.train",
    b"estimator.evaluate",
    b"estimator.predict",
    b"input_fn",
    b"TrainSpec",
    b"EvalSpec",
    # iterators
    b"get_next",
    # local variables that do not start at 0, and Keras models, which initialize no tables
    b"LOCAL_VARIABLES",
    b"local_variable",
    b".fit(",
    b".fit_generator(",
    b".train_on_batch(",
    b"string_handle",
    b"from_structure",
    # what changes the meaning of other lines
    b"enable_eager_execution",
    b"enable_v2_behavior",
    # what gets to code whose name is only a text
    b"import_module",
    b"__import__",
)
"""What the other files of a program are read for."""

_ONE_SHOT = (b"one_shot_iterator", b"OneShotIterator")

_GRAPH_FILES = (b"_graph", b"saved_model")
"""One of these is in every file that imports graphs."""

GRAPH_READERS: tuple[bytes, ...] = (
    b"import_meta_graph",
    b"import_scoped_meta_graph",
    b"read_meta_graph_file",
    b"import_graph_def",
    b"freeze_graph",
    b"saved_model.load",
    b"loader",
    b"SavedModelLoader",
    b"from_saved_model",
)
"""What a file mentions that imports graphs from files."""

GENERATED_MODULE = "first_use_iterator"
"""How the names of modules begin that this tool has added to a project."""

_GENERATED = b"Written by npu-migrate. The file is a part of your project."

_ON_THE_NPU = (b"npu_", b"NpuOptimizer", b"mx_rec", *OUR_CLASS_NAMES)


class Beside(NamedTuple):
    """Names that play a role only in programs in which a file of ours mentions one of `reasons`.

    That programs are to be moved is a reason for all of them.
    """

    reasons: tuple[bytes, ...]
    roles: tuple[bytes, ...]

    def is_reason(self, data: bytes) -> bool:
        """Whether a file's bytes mention one of the reasons."""
        return _contains_any(data, self.reasons)

    def plays_role(self, data: bytes) -> bool:
        """Whether a file's bytes mention one of the roles."""
        return _contains_any(data, self.roles)


ROLES_BESIDE: tuple[Beside, ...] = (
    # NPU4xx: loss scaling, TensorFlow's too, and what it stands under; no rule asks for it elsewhere
    Beside(_ON_THE_NPU, (b"LossScale", b"control_dependencies", b"ExitStack")),
    # values and settings, which no rule asks for elsewhere
    Beside(
        _ON_THE_NPU,
        (
            b"iterations_per_loop",
            b"FLAGS",
            b"DEFINE_",
            b"ArgumentParser",
            b"add_argument",
            b"ConfigProto",
            b"feed_dict",
            b"Estimator",
            b"RunConfig",
            b"TensorHook",
            b"SaverHook",
            b"StepHook",
            b"CounterHook",
            b"save_checkpoints_steps",
            b"save_summary_steps",
            b"log_step_count_steps",
            b"train_steps",
            b"max_steps",
            b"eval_steps",
            b"save_steps",
            b"use_dynamic",
            b"is_incremental_checkpoint",
            b"create_hash_optimizer",
            b"create_table",
            b"parameter_map",
            b"allow_soft_placement",
            b"tf.device(",
            b"sess.close",
            b"session.close",
            b"precision_mode",
            b"mix_compile_mode",
            b"TOTAL_STEP",
            b"TARGET_LOSS",
        ),
    ),
    # NPU109: preprocessing, whose modules need not speak of datasets
    Beside(_ON_THE_NPU, (b".map(", b".flat_map(", b".interleave(", b"map_and_batch", b".filter(")),
    # what runs a session that another file has opened, under whatever name
    Beside(
        (*_ON_THE_NPU, *_ONE_SHOT, b"make_initializable_iterator", b"make_initializer"),
        (b".run", b".eval(", b"make_callable", b".partial_run"),
    ),
    # programs that are to be moved: what only hands on a model or a session need not name anything
    Beside((), (b"",)),
    # NPU107, NPU2xx: train ops, schedules, queues and reopened graphs where something may be offloaded
    Beside(
        (b"NpuOptimizer", b"NPURunConfig", b"iteration_per_loop", b"IterationPerLoop"),
        (
            b"minimize(",
            b"apply_gradients",
            b"decay_steps",
            b"_decay(",
            b"input_producer",
            b"train.batch",
            b"shuffle_batch",
            b"_unsafe_unfinalize",
        ),
    ),
)

_CLASS_PREFIX = b"NPU"
_TOGETHER = ((b"batch(", b"ataset"), (b".initializer", b"terator"))


def _contains_any(data: bytes, names: tuple[bytes, ...]) -> bool:
    # A plain loop: a generator would cost more than most of the searches.
    for name in names:  # noqa: SIM110
        if name in data:
            return True
    return False


def is_generated(data: bytes) -> bool:
    """Whether a file's bytes are those of a module that this tool has added, as it was or edited since."""
    return _GENERATED in data


def mentions_ours(data: bytes, more: tuple[bytes, ...] = ()) -> bool:
    """Whether a file's bytes mention a name without which no rule can fire, or one of `more`.

    NUL bytes do not hide a name: Python cannot read UTF-16 text, which has to be said.
    """
    if b"\0" in data:
        data = data.replace(b"\0", b"")
    if more and _contains_any(data, more):
        return True
    return _contains_any(data, OUR_NAMES) or (_CLASS_PREFIX in data and _contains_any(data, OUR_CLASS_NAMES))


def makes_one_shot(data: bytes) -> bool:
    """Whether a file's bytes mention a one-shot iterator."""
    return _contains_any(data, _ONE_SHOT)


def reads_graphs(data: bytes) -> bool:
    """Whether a file's bytes mention something that imports graphs from files."""
    return _contains_any(data, _GRAPH_FILES) and _contains_any(data, GRAPH_READERS)


def plays_role(data: bytes) -> bool:
    """Whether a file's bytes mention something that rules weigh once its program is one of ours.

    A call named ``batch`` counts only beside the word dataset (NPU106): ``next_batch(`` is everywhere; and
    ``.initializer`` only beside the word iterator: variables have one, too.
    """
    return _contains_any(data, ROLE_NAMES) or any(one in data and other in data for one, other in _TOGETHER)
