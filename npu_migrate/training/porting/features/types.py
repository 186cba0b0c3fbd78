"""Where a model computes in types that the NPU does not have: float64 and complex numbers (DOC-RESTR).

What only carries such values does no harm: a placeholder that is cast at once, data that functions of a
dataset prepare. So a place counts if a training session runs it, and if a variable is made there, or an op
computes with what it gives.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from npu_migrate.index.facts import Call, Constant, Expr, Operation, argument
from npu_migrate.project.once import once
from npu_migrate.project.project import Project
from npu_migrate.project.ref import Ref
from npu_migrate.semantics.flow import externals_called
from npu_migrate.semantics.resolution import external_names
from npu_migrate.semantics.uses import Use, uses
from npu_migrate.training.porting.features.found import Found, calls_among
from npu_migrate.training.porting.features.host import trained_calls

_TYPES = {
    "tensorflow.float64": "float64",
    "tensorflow.double": "float64",
    "numpy.float64": "float64",
    "numpy.double": "float64",
    "tensorflow.complex64": "complex64",
    "numpy.complex64": "complex64",
    "tensorflow.complex128": "complex128",
    "numpy.complex128": "complex128",
}
_VARIABLES = {"tensorflow.get_variable": 2, "tensorflow.Variable": 7}
_MADE = {
    "tensorflow.cast": 1,
    "tensorflow.constant": 1,
    "tensorflow.convert_to_tensor": 1,
    "tensorflow.placeholder": 0,
    "tensorflow.zeros": 1,
    "tensorflow.ones": 1,
    "tensorflow.eye": 3,
    "tensorflow.random_normal": 3,
    "tensorflow.random.normal": 3,
    "tensorflow.random_uniform": 3,
    "tensorflow.random.uniform": 3,
}
_CONVERTING = {
    "tensorflow.to_double": "float64",
    "tensorflow.to_complex64": "complex64",
    "tensorflow.to_complex128": "complex128",
    "tensorflow.complex": "complex64",
    "tensorflow.dtypes.complex": "complex64",
}
_TRANSFORMS = frozenset(
    f"tensorflow.{module}{name}"
    for module in ("", "signal.", "spectral.", "contrib.signal.")
    for name in ("fft", "ifft", "fft2d", "ifft2d", "fft3d", "ifft3d", "rfft", "rfft2d", "stft")
)
_CARRYING = frozenset(
    {
        "tensorflow.Print",
        "tensorflow.Session.run",
        "tensorflow.abs",
        "tensorflow.cast",
        "tensorflow.identity",
        "tensorflow.imag",
        "tensorflow.math.abs",
        "tensorflow.math.imag",
        "tensorflow.math.real",
        "tensorflow.print",
        "tensorflow.rank",
        "tensorflow.real",
        "tensorflow.saturate_cast",
        "tensorflow.shape",
        "tensorflow.size",
        "tensorflow.stop_gradient",
        "tensorflow.summary.histogram",
        "tensorflow.summary.scalar",
        "tensorflow.to_float",
        "tensorflow.to_int32",
        "tensorflow.to_int64",
    }
)


class WideType(NamedTuple):
    """A call that gives a value of a type that the NPU does not have."""

    ref: Ref
    name: str
    dtype: str


@once
def unsupported_types(project: Project) -> tuple[WideType, ...]:
    """The places where training goes on in such a type, in order of file and place."""
    found = list(_candidates(project))
    training = trained_calls(project, frozenset(one.ref.key for one in found))
    return tuple(
        one
        for one in found
        if id(one.ref.expr) in training
        and (one.name in _VARIABLES or any(_computes(project, use) for use in uses(project, one.ref)))
    )


def _candidates(project: Project) -> Iterator[WideType]:
    for one in calls_among(project, frozenset((*_VARIABLES, *_MADE, *_CONVERTING, *_TRANSFORMS))):
        dtype = _dtype(project, one)
        if dtype:
            yield WideType(one.ref, one.name, dtype)


def _dtype(project: Project, one: Found) -> str:
    if one.name in _TRANSFORMS:
        return "complex64"
    if one.name in _CONVERTING:
        return _CONVERTING[one.name]
    assert isinstance(one.ref.expr, Call)
    given = argument(one.ref.expr, "dtype", (_VARIABLES | _MADE)[one.name])
    return "" if given is None else _type_named(project, one.ref, given)


def _type_named(project: Project, ref: Ref, given: Expr) -> str:
    if isinstance(given, Constant):
        return given.value if given.value in _TYPES.values() else ""
    names = external_names(project, ref.key, ref.scope, given)
    return next((_TYPES[name] for name in sorted(names) if name in _TYPES), "")


def _computes(project: Project, use: Use) -> bool:
    """Whether an op computes with a value, as far as that is seen."""
    if use.kind == "contained":
        return isinstance(use.ref.expr, Operation)
    if use.kind != "argument":
        return False
    names = externals_called(project, use.ref)
    return any(name.startswith("tensorflow.") and name not in _CARRYING for name in names)
