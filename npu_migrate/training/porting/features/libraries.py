"""Libraries that need a GPU, and parts of TensorFlow that do (DOC-RESTR, DOC-AUTO)."""

from __future__ import annotations

from typing import NamedTuple

from npu_migrate.places import Place
from npu_migrate.project.once import once
from npu_migrate.project.project import Project
from npu_migrate.training.porting.features.found import calls_among, imports_of

_MODULES = {
    "nvidia.dali": "NVIDIA DALI",
    "tensorrt": "TensorRT",
    "tensorflow.contrib.tensorrt": "TensorRT",
    "tensorflow.python.compiler.tensorrt": "TensorRT",
    "cupy": "CuPy",
    "pycuda": "PyCUDA",
    "numba.cuda": "numba.cuda",
    "nvtx": "NVTX",
    "tensorflow.contrib.nccl": "NCCL",
    "tensorflow.python.ops.nccl_ops": "NCCL",
}
_CUSTOM_OPS = frozenset({"tensorflow.load_op_library", "tensorflow.load_library"})


class GpuLibrary(NamedTuple):
    """A place that uses a library for GPUs, by its name in words; None for one of compiled ops."""

    place: Place
    name: str | None


@once
def gpu_libraries(project: Project) -> tuple[GpuLibrary, ...]:
    """The imports of libraries for GPUs, and the loading of compiled ops."""
    found = {}
    for one in imports_of(project, _MODULES):
        name = next(words for module, words in _MODULES.items() if f"{one.module}.".startswith(f"{module}."))
        found[one.place] = GpuLibrary(one.place, name)
    for call in calls_among(project, _CUSTOM_OPS):
        found[call.ref.place] = GpuLibrary(call.ref.place, None)
    return tuple(found[place] for place in sorted(found, key=lambda one: (one.path, one.span)))
