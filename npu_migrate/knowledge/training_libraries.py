"""Libraries that train with TensorFlow 1 in a session that they open themselves ([LIB]: their own source)."""

from __future__ import annotations

SESSION_LIBRARIES: dict[str, frozenset[str]] = {
    # tflearn/helpers/trainer.py: Trainer makes tf.Session, for DNN and SequenceGenerator, too
    "tflearn": frozenset({"fit", "train"}),
    # tensorpack/train/interface.py; the session comes from TrainConfig(session_creator=, session_config=)
    "tensorpack": frozenset({"launch_train_with_config", "train", "train_with_defaults"}),
    # tensorflow_gan/python/train.py: gan_train(config=)
    "tensorflow_gan": frozenset({"gan_train"}),
    "tensorflow.contrib.gan": frozenset({"gan_train"}),
    # stable_baselines/common/tf_util.py: make_session, in the set-up of each model
    "stable_baselines": frozenset({"learn", "pretrain"}),
    # baselines/common/tf_util.py: make_session
    "baselines": frozenset({"learn"}),
    # edward/util/graphs.py: get_session
    "edward": frozenset({"run", "update"}),
    # gpflow/training: the optimizers of release 1 run in the session of their model
    "gpflow": frozenset({"minimize"}),
    # opennmt/runner.py: Runner makes an Estimator
    "opennmt": frozenset({"train", "train_and_evaluate"}),
    # tensor2tensor/bin/t2t_trainer.py: an Estimator made from flags
    "tensor2tensor.bin.t2t_trainer": frozenset({"main"}),
    # ludwig/models/model.py: a session for each model
    "ludwig": frozenset({"train"}),
}
"""Packages, and the last words of the calls that train by them."""

KERAS_LIBRARIES = ("deepctr.", "deepmatch.")
"""Beginnings of names of functions that make models of tf.keras: ``deepctr.models.DeepFM(…)``."""

EITHER_KERAS = ("bert4keras.backend.keras.", "bert4keras.models.")
"""Beginnings of names that are of the package keras, but of tf.keras where `TF_KERAS_SWITCH` is set
(bert4keras/backend.py)."""

KERAS_PREPROCESSING = ".preprocessing."
"""What stands in the names of what prepares data: `keras.preprocessing.image.ImageDataGenerator.fit` gathers
statistics, and trains nothing."""

TF_KERAS_SWITCH = "TF_KERAS"
"""The environment variable that chooses tf.keras there."""
