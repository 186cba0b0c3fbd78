"""Training on several devices: who asks which rank this is, and who averages gradients.

Sources: CODE:npu_init.py, CODE:npu_optimizer.py, DOC-AR, FAQ:get_rank_id_error_distributed_training.
"""

from __future__ import annotations

HCCL = "hccl.manage.api"
"""The module of the collective communication."""

HCCL_NAMES = (
    "create_group",
    "destroy_group",
    "get_rank_size",
    "get_local_rank_size",
    "get_rank_id",
    "get_local_rank_id",
    "get_world_rank_from_group_rank",
    "get_group_rank_from_world_rank",
)
"""What ``from npu_bridge.npu_init import *`` binds of it."""

NEED_COMMUNICATION = frozenset(f"{HCCL}.{name}" for name in HCCL_NAMES) - {f"{HCCL}.destroy_group"}
"""The functions that only work once the collective communication is initialized."""

RANK_FUNCTIONS = frozenset(
    {
        f"{HCCL}.get_rank_id",
        f"{HCCL}.get_local_rank_id",
        "npu_bridge.get_npu_rank_id",
        "npu_bridge.get_npu_local_rank_id",
        "horovod.tensorflow.rank",
        "horovod.tensorflow.local_rank",
        "horovod.tensorflow.keras.rank",
        "horovod.keras.rank",
    }
)
"""The functions that tell which of the ranks this is."""

SIZE_FUNCTIONS = frozenset(
    {
        f"{HCCL}.get_rank_size",
        f"{HCCL}.get_local_rank_size",
        "npu_bridge.get_npu_rank_size",
        "npu_bridge.get_npu_local_rank_size",
        "horovod.tensorflow.size",
        "horovod.tensorflow.local_size",
        "horovod.tensorflow.keras.size",
        "horovod.keras.size",
    }
)
"""The functions that tell how many ranks there are."""

ENVIRONMENT_SIZES = frozenset({"RANK_SIZE", "DEVICE_NUM", "OMPI_COMM_WORLD_SIZE"})
"""Environment variables that tell how many ranks there are."""

ENVIRONMENT_RANKS = frozenset({"RANK_ID", "DEVICE_INDEX", "OMPI_COMM_WORLD_RANK"})
"""Environment variables that differ from rank to rank."""

OPTIMIZERS = frozenset(
    {
        "npu_bridge.npu_distributed_optimizer_wrapper",
        "npu_bridge.NPUDistributedOptimizer",
    }
)
"""What makes an optimizer that averages the gradients of all ranks."""

STARTERS = (b"initialize_system", b"init_resource")
"""Words without which nothing starts the NPU, and the communication with it, before training does."""
