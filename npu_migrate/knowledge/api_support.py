"""What is known of single functions and classes of TensorFlow on the NPU: a short list of those that matter.

Each row says one thing that a document or code of the vendor says, and where. A name that is not here was not
looked at: that is no word about whether it works.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import NamedTuple

UNSUPPORTED = "unsupported"
NEEDS_CHANGE = "needs change"
NO_EFFECT = "no effect"
UNKNOWN = "unknown"
VERDICTS = (UNSUPPORTED, NEEDS_CHANGE, NO_EFFECT, UNKNOWN)
"""What may be known, the worst first. ``unknown``: the sources disagree, or are still looking into it."""

LIST = "XLSX"
RESTRICTIONS = "DOC-RESTR"
ANY_PRODUCT = "all"
DOCUMENTS_DATE = "2026"
_DATES = {LIST: "2023-12", "[TF]": "2021-01"}
"""The vendor's list lies in the repository of 2023; TensorFlow's own behaviour is that of 1.15.5."""


class Support(NamedTuple):
    """What is known of one name.

    `advice` is what to use instead, or what follows; `code` is the rule that speaks of it, if any. `source`
    is a label of docs/sources.md, `product` the family of NPUs.
    """

    verdict: str
    advice: str
    source: str
    code: str = ""
    product: str = ANY_PRODUCT

    @property
    def date(self) -> str:
        """Of when the source is."""
        return _DATES.get(self.source, DOCUMENTS_DATE)


def _all(names: str, support: Support) -> dict[str, Support]:
    return {f"tensorflow.{name}": support for name in names.split()}


_DATA = "read with tf.data"
_SUPPORT: dict[str, Support] = {
    **_all(
        "enable_eager_execution enable_v2_behavior contrib.eager.enable_eager_execution",
        Support(UNSUPPORTED, "build a graph and run it in a session", LIST, "NPU708"),
    ),
    **_all(
        "executing_eagerly enable_v2_tensorshape enable_tensor_equality "
        "config.experimental_run_functions_eagerly",
        Support(NO_EFFECT, "says nothing where a graph is run in a session; listed as unsupported", LIST),
    ),
    **_all("is_finite is_inf is_nan", Support(UNSUPPORTED, "check on the host", LIST)),
    **_all("WholeFileReader LMDBReader IdentityReader", Support(UNSUPPORTED, _DATA, LIST)),
    **_all(
        "distribute.experimental.TPUStrategy contrib.distribute.TPUStrategy",
        Support(UNSUPPORTED, "one process for each device", LIST, "NPU716"),
    ),
    **_all(
        "tpu.rewrite tpu.replicate tpu.batch_parallel tpu.shard tpu.outside_compilation "
        "tpu.initialize_system tpu.shutdown_system tpu.core",
        Support(UNSUPPORTED, "use_tpu=False, or the plain Estimator", LIST),
    ),
    **_all(
        "Session InteractiveSession train.MonitoredTrainingSession train.SingularMonitoredSession "
        "train.MonitoredSession train.Supervisor.managed_session contrib.slim.learning.train "
        "contrib.training.train",
        Support(NEEDS_CHANGE, "a config with an NpuOptimizer entry", "DOC-PORT", "NPU701"),
    ),
    **_all(
        "estimator.Estimator estimator.DNNClassifier estimator.DNNRegressor estimator.LinearClassifier "
        "estimator.LinearRegressor estimator.DNNLinearCombinedClassifier estimator.BoostedTreesClassifier "
        "contrib.tpu.TPUEstimator estimator.tpu.TPUEstimator keras.estimator.model_to_estimator",
        Support(NEEDS_CHANGE, "a session_config with an NpuOptimizer entry", "DOC-PORT", "NPU702"),
    ),
    **_all(
        "data.make_one_shot_iterator compat.v1.data.make_one_shot_iterator raw_ops.OneShotIterator",
        Support(NEEDS_CHANGE, "an initializable iterator", "SEED-ITER", "NPU101"),
    ),
    **_all(
        "distribute.MirroredStrategy distribute.experimental.MultiWorkerMirroredStrategy "
        "distribute.experimental.CentralStorageStrategy contrib.distribute.MirroredStrategy "
        "contrib.distribute.CollectiveAllReduceStrategy distribute.OneDeviceStrategy",
        Support(NEEDS_CHANGE, "one process for each device", "DOC-AR", "NPU716"),
    ),
    **_all(
        "train.Server train.SyncReplicasOptimizer train.replica_device_setter "
        "distribute.experimental.ParameterServerStrategy",
        Support(NEEDS_CHANGE, "NPUEstimator with ParameterServerStrategy", "DOC-PS", "NPU718"),
    ),
    "tensorflow.keras.utils.multi_gpu_model": Support(
        NEEDS_CHANGE, "one process for each device; it raises an error without GPUs", "[TF]", "NPU717"
    ),
    **_all(
        "keras.layers.CuDNNLSTM keras.layers.CuDNNGRU contrib.cudnn_rnn.CudnnLSTM contrib.cudnn_rnn.CudnnGRU "
        "contrib.cudnn_rnn.CudnnRNNTanh contrib.cudnn_rnn.CudnnRNNRelu",
        Support(NEEDS_CHANGE, "the layer that runs everywhere", "[TF]", "NPU723"),
    ),
    **_all(
        "py_func numpy_function py_function",
        Support(NEEDS_CHANGE, "tf.data, or mix_compile_mode", "DOC-MIXC", "NPU725"),
    ),
    **_all(
        "train.experimental.enable_mixed_precision_graph_rewrite "
        "keras.mixed_precision.experimental.set_policy keras.mixed_precision.experimental.Policy",
        Support(NEEDS_CHANGE, "precision_mode and NPULossScaleOptimizer", "DOC-MIXP", "NPU733"),
    ),
    **_all(
        "contrib.mixed_precision.LossScaleOptimizer contrib.mixed_precision.FixedLossScaleManager "
        "contrib.mixed_precision.ExponentialUpdateLossScaleManager train.experimental.DynamicLossScale "
        "train.experimental.FixedLossScale train.experimental.MixedPrecisionLossScaleOptimizer",
        Support(NEEDS_CHANGE, "npu_bridge's class of that kind", "DOC-MIXP", "NPU403"),
    ),
    **_all(
        "test.is_gpu_available test.gpu_device_name test.is_built_with_cuda "
        "config.experimental.list_physical_devices python.client.device_lib.list_local_devices",
        Support(NEEDS_CHANGE, "the answer is no, or an empty list", "[TF]", "NPU734"),
    ),
    **_all(
        "load_op_library load_library",
        Support(NEEDS_CHANGE, "a custom operator for the NPU", RESTRICTIONS, "NPU735"),
    ),
    **_all(
        "contrib.compiler.jit.experimental_jit_scope xla.experimental.jit_scope",
        Support(NEEDS_CHANGE, "compile_ops=False", "DOC-PORT", "NPU732"),
    ),
    **_all(
        "complex fft ifft fft2d ifft2d fft3d ifft3d signal.fft signal.ifft signal.rfft signal.irfft "
        "signal.stft signal.inverse_stft spectral.fft spectral.rfft contrib.signal.stft",
        Support(UNSUPPORTED, "no complex numbers on the device", RESTRICTIONS, "NPU724"),
    ),
    **_all(
        "to_double to_complex64 to_complex128",
        Support(UNSUPPORTED, "float32, or another type of the device", RESTRICTIONS, "NPU724"),
    ),
    **_all(
        "train.start_queue_runners train.string_input_producer train.slice_input_producer train.batch "
        "train.shuffle_batch train.batch_join train.shuffle_batch_join",
        Support(
            UNKNOWN,
            f"{_DATA}; queues are documented as unsupported, and scripts are known that run",
            RESTRICTIONS,
            "NPU107",
        ),
    ),
    **_all(
        "CriticalSection random.experimental.Generator random.experimental.get_global_generator",
        Support(UNKNOWN, "the vendor's list says: in analysis", LIST),
    ),
    **_all(
        "config.experimental.set_memory_growth config.experimental.get_memory_growth "
        "config.experimental.set_visible_devices config.experimental.set_virtual_device_configuration "
        "config.threading.set_intra_op_parallelism_threads config.threading.set_inter_op_parallelism_threads "
        "config.threading.get_intra_op_parallelism_threads config.set_soft_device_placement "
        "keras.callbacks.TerminateOnNaN train.NanTensorHook train.ChiefSessionCreator "
        "xla.experimental.compile GPUOptions",
        Support(NO_EFFECT, "stays as it is", LIST),
    ),
    **_all(
        "profiler.Profiler profiler.profile RunMetadata",
        Support(NO_EFFECT, "sees nothing of the NPU", "DOC-RC", "NPU737"),
    ),
}

SUPPORT: Mapping[str, Support] = MappingProxyType(_SUPPORT)
"""What is known, by the canonical name."""
