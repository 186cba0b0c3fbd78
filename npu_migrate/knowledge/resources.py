"""What makes lookup tables and variables in TensorFlow 1.15 [TF].

On the NPU both are initialized on the device, while preprocessing runs on the host (FAQ:
resource_operator_preprocess_fix, tf-variable_preprocess_error,
tf_keras_backend_zeros_uninitialized_variable).
"""

from __future__ import annotations

_TABLE_NAMES = (
    "HashTable",
    "IdTableWithHashBuckets",
    "MutableDenseHashTable",
    "MutableHashTable",
    "StaticHashTable",
    "StaticVocabularyTable",
    "DenseHashTable",
    "index_table_from_file",
    "index_table_from_tensor",
    "index_to_string_table_from_file",
    "index_to_string_table_from_tensor",
    "string_to_index_table_from_file",
    "string_to_index_table_from_tensor",
)
TABLES = frozenset(
    f"tensorflow.{home}{name}"
    for name in _TABLE_NAMES
    for home in ("", "contrib.lookup.", "lookup.", "lookup.experimental.")
)
"""Everything that makes a lookup table; `npu_migrate.knowledge.tensorflow` spells those of lookup_ops so."""

TABLE_METHODS = frozenset({"lookup", "size", "export", "insert", "remove"})
"""Methods of a table that run on it. A table may also be subscripted."""

KERAS_BACKENDS = ("tensorflow.keras.backend.", "keras.backend.")
KERAS_VARIABLES = frozenset(
    f"{backend}{name}"
    for backend in KERAS_BACKENDS
    for name in ("eye", "ones", "random_normal_variable", "random_uniform_variable", "variable", "zeros")
)
"""Functions of the Keras backend that make a variable, also where their name promises a tensor."""

KERAS_SHAPED = frozenset(f"{backend}{name}" for backend in KERAS_BACKENDS for name in ("ones", "zeros"))
"""Those of them that make a plain tensor where the shape is not known while the graph is built."""

KERAS_TENSORS = {"ones": "tensorflow.ones", "zeros": "tensorflow.zeros"}
"""TensorFlow's functions that make a tensor of the same values: shape and dtype are their arguments too."""

VARIABLES = (
    frozenset(
        {
            "tensorflow.Variable",
            "tensorflow.get_variable",
            "tensorflow.contrib.framework.get_or_create_global_step",
            "tensorflow.contrib.framework.create_global_step",
            "tensorflow.contrib.framework.local_variable",
            "tensorflow.contrib.framework.model_variable",
            "tensorflow.contrib.framework.variable",
            "tensorflow.contrib.slim.local_variable",
            "tensorflow.contrib.slim.model_variable",
            "tensorflow.contrib.slim.variable",
            "tensorflow.train.create_global_step",
            "tensorflow.train.get_global_step",
            "tensorflow.train.get_or_create_global_step",
        }
    )
    | KERAS_VARIABLES
)

VARIABLE_READS = frozenset({"read_value", "value"})
"""Methods of a variable that read it. Its other attributes are known while the graph is built, or are reads
that fall back to the initial value."""

OP_MODULES = ("dtypes", "image", "io", "linalg", "math", "nn", "random", "strings")
STATIC_OPS = frozenset({"get_default_graph", "get_default_session", "rank", "shape", "size"})
"""Functions of TensorFlow whose result needs no value of a variable, or is no tensor."""

ON_THE_HOST = frozenset({"tensorflow.numpy_function", "tensorflow.py_func", "tensorflow.py_function"})
"""Functions that run Python code, in which nothing of the graph is used."""

ELEMENTWISE = frozenset(
    {
        "apply",
        "filter",
        "filter_with_legacy_function",
        "flat_map",
        "interleave",
        "map",
        "map_with_legacy_function",
        "reduce",
    }
)
"""Methods of a dataset that call the function they get for its elements."""

FUNCTION_TRANSFORMATIONS = frozenset(
    f"tensorflow.{home}{name}"
    for home in ("data.experimental.", "contrib.data.")
    for name in (
        "group_by_reducer",
        "group_by_window",
        "map_and_batch",
        "map_and_batch_with_legacy_function",
        "parallel_interleave",
        "scan",
        "sloppy_interleave",
    )
)
"""What is given to ``dataset.apply`` and calls the functions that it gets for the elements."""

ARGUMENT_METHODS = frozenset(
    {"batch", "padded_batch", "prefetch", "repeat", "shard", "shuffle", "skip", "take", "window"}
)
"""Methods of a dataset whose arguments are tensors that become part of it."""
