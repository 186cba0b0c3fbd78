"""What runs a graph under a config, and where it takes it.

Sources: the signatures of TensorFlow 1.15 [TF]; DOC-PORT, DOC-QUICK, DOC-RESTR; CODE:npu_config.py.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import NamedTuple


class Taken(NamedTuple):
    """How a call takes its config: by which keyword, and at which 0-based position."""

    keyword: str
    position: int | None


SESSIONS: Mapping[str, Taken] = MappingProxyType(
    {
        "tensorflow.Session": Taken("config", 2),
        "tensorflow.InteractiveSession": Taken("config", 2),
        "tensorflow.train.MonitoredTrainingSession": Taken("config", 9),
        "tensorflow.train.SingularMonitoredSession": Taken("config", 3),
        "tensorflow.train.ChiefSessionCreator": Taken("config", 2),
        "tensorflow.train.Supervisor.managed_session": Taken("config", 1),
        "tensorflow.train.Supervisor.prepare_or_wait_for_session": Taken("config", 1),
        "tensorflow.train.SessionManager.prepare_session": Taken("config", 7),
        "tensorflow.contrib.slim.learning.train": Taken("session_config", 22),
        "tensorflow.contrib.training.train": Taken("config", 9),
    }
)
"""The calls that open a session of their own, or train in one."""

MONITORED_SESSION = "tensorflow.train.MonitoredSession"
TRAINING_SESSION = "tensorflow.train.MonitoredTrainingSession"
CREATOR = "tensorflow.train.ChiefSessionCreator"
TRAINING_LOOPS = frozenset({"tensorflow.contrib.slim.learning.train", "tensorflow.contrib.training.train"})
"""Calls that train by themselves, with the op that they get."""

MASTERS: Mapping[str, Taken] = MappingProxyType(
    {
        "tensorflow.Session": Taken("target", 0),
        "tensorflow.InteractiveSession": Taken("target", 0),
        "tensorflow.train.MonitoredTrainingSession": Taken("master", 0),
        "tensorflow.train.SingularMonitoredSession": Taken("master", 2),
        "tensorflow.train.ChiefSessionCreator": Taken("master", 1),
        "tensorflow.train.Supervisor.managed_session": Taken("master", 0),
        "tensorflow.train.Supervisor.prepare_or_wait_for_session": Taken("master", 0),
        "tensorflow.train.SessionManager.prepare_session": Taken("master", 0),
        "tensorflow.contrib.slim.learning.train": Taken("master", 6),
        "tensorflow.contrib.training.train": Taken("master", 2),
    }
)
"""Where a session takes the server that it talks to: an empty text is this process."""

CHECKPOINTS: Mapping[str, Taken] = MappingProxyType(
    {
        "tensorflow.train.ChiefSessionCreator": Taken("checkpoint_filename_with_path", 4),
        "tensorflow.train.SingularMonitoredSession": Taken("checkpoint_filename_with_path", 6),
        "tensorflow.train.SessionManager.prepare_session": Taken("checkpoint_filename_with_path", 4),
    }
)
"""Where a session takes the very checkpoint that it is to restore, and not the latest of a folder, if any."""

CONFIG_PROTO = "tensorflow.ConfigProto"
CONFIG_PROTOS = frozenset({CONFIG_PROTO, "tensorflow.core.protobuf.config_pb2.ConfigProto"})
RUN_CONFIGS = frozenset(
    {
        "tensorflow.estimator.RunConfig",
        "tensorflow.estimator.tpu.RunConfig",
        "tensorflow.contrib.tpu.RunConfig",
        "tensorflow.contrib.tpu.python.tpu.tpu_config.RunConfig",
        "tensorflow_estimator.python.estimator.tpu.tpu_config.RunConfig",
    }
)
PLAIN_RUN_CONFIG = "tensorflow.estimator.RunConfig"
SESSION_CONFIG = Taken("session_config", 5)
"""Where ``tf.estimator.RunConfig`` takes the config of its sessions."""

REWRITER_CONFIG = "RewriterConfig"
REWRITER_CONFIG_HOMES = frozenset(
    {
        "npu_bridge.npu_init.RewriterConfig",
        "npu_bridge.RewriterConfig",
        "tensorflow.core.protobuf.rewriter_config_pb2.RewriterConfig",
    }
)
"""What the name may mean in a file already: all of them are the same class."""
