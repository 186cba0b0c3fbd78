"""Any Python with names of ours sprinkled in, and what must hold for every text."""

from __future__ import annotations

import io
import keyword
import tokenize
import warnings
from collections.abc import Callable, Sequence

from fidelity import lost_comments

from npu_migrate import check_source, fix_source
from npu_migrate.findings import Applicability

OURS = (
    "make_one_shot_iterator",
    "make_initializable_iterator",
    "get_next",
    "initializer",
    "iterations_per_loop",
    "enable_data_pre_proc",
    "parameter_map",
    "custom_optimizers",
    "set_iteration_per_loop",
    "NPUEstimator",
    "NPURunConfig",
    "NPUOptimizer",
    "NPULossScaleOptimizer",
    "DynamicLossScaleManager",
    "ExponentialUpdateLossScaleManager",
    "FixedLossScaleManager",
    "ExperimentalConfig",
    "accelerate_train_mode",
    "SetIterationsVarHook",
    "control_dependencies",
    "Session",
    "MonitoredTrainingSession",
    "Estimator",
    "EstimatorSpec",
    "ConfigProto",
    "init",
    "train_steps",
    "use_dynamic",
    "tf",
    "data",
    "Dataset",
    "from_tensor_slices",
    "batch",
    "repeat",
    "drop_remainder",
    "run",
    "train",
    "model_fn",
    "steps",
    "hooks",
    "session_config",
    "minimize",
    "global_variables_initializer",
    "TABLE_INITIALIZERS",
    "add_to_collection",
    "FLAGS",
    "self",
    "partial",
)
HEADERS = (
    "import tensorflow as tf\n",
    "import tensorflow as tf\nfrom npu_bridge.npu_init import *\n",
    "import tensorflow.compat.v1 as tf\nfrom mx_rec.util.initialize import init\n",
    "from npu_bridge.npu_init import *\n",
    "from tensorflow import *\n",
    "",
)


def sprinkled(text: str, choose: Callable[[Sequence[str | None]], str | None]) -> str:
    """The text with names of ours for some of its names; `choose` picks, None keeps a name."""
    starts = [0]
    for line in io.StringIO(text, newline="").readlines():
        starts.append(starts[-1] + len(line))
    parts: list[str] = []
    position = 0
    candidates = (*[None] * len(OURS), *OURS)
    for token in tokenize.generate_tokens(io.StringIO(text, newline="").readline):
        if (
            token.type != tokenize.NAME
            or keyword.iskeyword(token.string)
            or keyword.issoftkeyword(token.string)
        ):
            continue
        name = choose(candidates)
        if name is not None:
            parts += [text[position : starts[token.start[0] - 1] + token.start[1]], name]
            position = starts[token.end[0] - 1] + token.end[1]
    return "".join([*parts, text[position:]])


def is_python(text: str) -> bool:
    """Whether CPython compiles a text."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            compile(text.encode(), "text", "exec", dont_inherit=True)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return False
    return True


def require_faithful(text: str) -> bool:
    """Raises `AssertionError` unless all that is promised of fixes holds; tells whether one was made."""
    found = check_source(text)
    assert not [one.message for one in found if "please report" in one.message]
    changed = False
    for level in Applicability:
        fixed = fix_source(text, applicability=level)
        if not any(one.fix for one in found):
            assert fixed == text
        if fixed == text:
            continue
        changed = True
        assert is_python(fixed), fixed
        assert not lost_comments(text.encode(), fixed.encode()), fixed
        assert fix_source(fixed, applicability=level) == fixed, fixed
    return changed
