"""Rec SDK (`mx_rec`) names, the arguments of its `init`, and its optimizer factories.

Sources: SEED-REC, REC-CODE:mx_rec/util/initialize.py, REC-DOC:class_reference.md,
REC-DOC:automatic_graph_modification.md, REC-DOC:optimizers_apis.md, REC-DOC:model_apis.md.
"""

from __future__ import annotations

from collections.abc import Mapping
from difflib import get_close_matches
from types import MappingProxyType
from typing import NamedTuple

PACKAGE = "mx_rec."

IMPORTED_FIRST = "sklearn"
"""The package that has to be imported before `mx_rec`: on Arm it cannot be loaded afterwards (REC-DOC)."""

MODIFY = "modify_graph_and_start_emb_cache"

GRAPH_MODIFIERS = frozenset({MODIFY, "GraphModifierHook"})
"""Whoever calls one of these lets Rec SDK rebuild the graph behind the iterator."""

INIT = frozenset({"mx_rec.util.initialize.init", "mx_rec.util.init"})
"""The function that starts Rec SDK, by the module that defines it and by the package that exports it."""

STAR_MODULES: Mapping[str, frozenset[str]] = MappingProxyType(
    {
        "mx_rec.util": frozenset({"init", "get_initializer", "terminate_config_initializer", "set_if_load"}),
        "mx_rec.util.initialize": frozenset(
            {"init", "ConfigInitializer", "get_initializer", "terminate_config_initializer", "set_if_load"}
        ),
    }
)
"""What a star import of a Rec SDK module binds, as far as rules ask for it."""

GET_INSTANCE = "mx_rec.util.initialize.ConfigInitializer.get_instance"
"""Gives the object whose attributes are the arguments of `init`; they may be set later."""

SET_IF_LOAD = frozenset({"mx_rec.util.initialize.set_if_load", "mx_rec.util.set_if_load"})


class Argument(NamedTuple):
    """A keyword argument of `init`: its type, and for a number the smallest value (`LARGEST` is the largest).

    `smallest` is None for a bool; `kind` is None where the type is not documented.
    """

    kind: type | None
    smallest: int | None = None


LARGEST = 2147483647
"""The largest value of every number that `init` takes."""

UNSET_STEPS = -1
"""The default of the four numbers of steps: until the data is used up."""

ARGUMENTS: Mapping[str, Argument] = MappingProxyType(
    {
        "max_steps": Argument(int, -1),
        "train_steps": Argument(int, -1),
        "eval_steps": Argument(int, -1),
        "save_steps": Argument(int, -1),
        "if_load": Argument(bool),
        "use_dynamic": Argument(bool),
        "use_dynamic_expansion": Argument(bool),
        "bind_cpu": Argument(bool),
        "save_checkpoint_due_time": Argument(int, 1),
        "save_delta_checkpoints_secs": Argument(int, 1),
        "is_incremental_checkpoint": Argument(bool),
        "restore_model_version": Argument(int, 0),
        "recent_key_count_threshold": Argument(int, 0),
        "use_lccl": Argument(bool),
        "use_shm_swap": Argument(None),
    }
)
"""The arguments that `init` uses (SEED-REC; `use_shm_swap` is in the code only)."""

FORMER_ARGUMENTS = frozenset({"use_mpi", "use_hot", "train_interval", "prefetch_batch_number"})
"""What releases of 2022 and 2023 took; newer ones do not use it."""

_SIMILAR = 0.85
_LENGTH_TOLERANCE = 2


def similar_argument(name: str) -> str | None:
    """The argument of `init` that an unknown `name` was probably meant to be; None for a former one."""
    if name in ARGUMENTS or name in FORMER_ARGUMENTS:
        return None
    found = get_close_matches(name, ARGUMENTS, n=1, cutoff=_SIMILAR)
    return found[0] if found and abs(len(found[0]) - len(name)) <= _LENGTH_TOLERANCE else None


FACTORY = "create_hash_optimizer"
"""The last name of every optimizer factory that does not work on addresses."""

ADDRESS_FACTORIES: Mapping[str, str | None] = MappingProxyType(
    {
        "adagrad": "mx_rec.optimizers.adagrad_by_addr.create_hash_optimizer_by_address",
        "gradient_descent": "mx_rec.optimizers.gradient_descent_by_addr.create_hash_optimizer_by_addr",
        "lazy_adam": "mx_rec.optimizers.lazy_adam_by_addr.create_hash_optimizer_by_address",
        "ftrl": None,
    }
)
"""For each module below ``mx_rec.optimizers`` with a `FACTORY`: the ByAddr factory to use instead."""

ADDRESS_FACTORY_NAMES = ("create_hash_optimizer_by_addr", "create_hash_optimizer_by_address")

CREATE_TABLE = frozenset({"mx_rec.core.embedding.create_table", "mx_rec.core.create_table"})
HOST_SIZE = "host_vocabulary_size"
SSD_SIZE = "ssd_vocabulary_size"
"""The two sizes of a table that are not on-chip: greater than 0 means DDR or SSD memory."""
