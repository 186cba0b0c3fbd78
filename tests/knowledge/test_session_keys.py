"""The table of session keys: complete, without contradictions, in agreement with NPURunConfig."""

from __future__ import annotations

import re

import pytest

from npu_migrate.knowledge.run_config import PARAMETERS
from npu_migrate.knowledge.session_keys import (
    DYNAMIC_TRIO,
    EXCLUSIVE,
    OBSOLETE_KEYS,
    SESSION_KEYS,
    SessionKey,
    similar_key,
)

KEYS = pytest.mark.parametrize("name", SESSION_KEYS)
TYPES = {"b": bool, "i": int, "s": str}

NOT_KEYS = {
    "profiling_config",
    "model_dir",
    "tf_random_seed",
    "save_summary_steps",
    "save_checkpoints_steps",
    "save_checkpoints_secs",
    "session_config",
    "keep_checkpoint_max",
    "keep_checkpoint_every_n_hours",
    "log_step_count_steps",
    "distribute",
    "dump_config",
    "horovod_mode",
    "dynamic_input_config",
    "train_distribute",
    "eval_distribute",
    "memory_config",
    "experimental_config",
}
"""Parameters of NPURunConfig that are no session keys: those of RunConfig, and objects that hold keys."""


def test_every_parameter_of_the_run_config_that_is_a_key_is_in_the_table() -> None:
    assert set(PARAMETERS) - NOT_KEYS - SESSION_KEYS.keys() == set()


@KEYS
def test_values_and_default_have_the_type_of_the_field(name: str) -> None:
    key = SESSION_KEYS[name]
    kind = TYPES[key.field]
    assert all(type(value) is kind for value in key.values)
    assert key.default is None or type(key.default) is kind


@KEYS
def test_the_default_is_legal(name: str) -> None:
    key = SESSION_KEYS[name]
    unset = name in ("session_device_id", "local_rank_id", "dynamic_node_type")
    if key.default is None or unset:
        return
    assert not key.values or key.default in key.values
    assert key.smallest is None or (isinstance(key.default, int) and key.default >= key.smallest)
    assert key.pattern is None or re.fullmatch(key.pattern, str(key.default))


@KEYS
def test_limits_belong_to_the_field(name: str) -> None:
    key = SESSION_KEYS[name]
    assert key.field == "i" or (key.smallest, key.largest) == (None, None)
    assert key.field == "s" or key.pattern is None
    assert set(key.only_on) <= {"", *map(str, key.values)}
    assert not (key.values and key.pattern)


@pytest.mark.parametrize(
    ("value", "legal"),
    [
        ("cv", True),
        ("LoadBalance", True),
        ("LoadBalance:64", True),
        ("LoadBalance:65", False),
        ("MainStream:1", True),
        ("MainStream", False),
        ("MainStream:0", False),
    ],
)
def test_the_pattern_of_parallel_streams(value: str, legal: bool) -> None:
    pattern = SESSION_KEYS["auto_multistream_parallel_mode"].pattern
    assert pattern is not None and bool(re.fullmatch(pattern, value)) is legal


@pytest.mark.parametrize(
    ("value", "legal"), [("0", True), ("0|3-5|10", True), ("0-5", True), ("|3", False), ("a", False)]
)
def test_the_pattern_of_dumped_steps(value: str, legal: bool) -> None:
    pattern = SESSION_KEYS["dump_step"].pattern
    assert pattern is not None and bool(re.fullmatch(pattern, value)) is legal


@pytest.mark.parametrize(
    ("name", "meant"),
    [
        ("precison_mode", "precision_mode"),
        ("sump_mode", "dump_mode"),
        ("sfusion_switch_file", "fusion_switch_file"),
        ("iteration_per_loop", "iterations_per_loop"),
        ("allow_mix_compile", None),
        ("my_own_note", None),
        ("precision_mode", None),
        ("enable_auto_mix_precision", None),
        ("mstune_mode", None),
    ],
)
def test_misspelt_keys(name: str, meant: str | None) -> None:
    assert similar_key(name) == meant


def test_the_other_tables_name_keys() -> None:
    named = {*DYNAMIC_TRIO, *(key for pair in EXCLUSIVE for key in pair)}
    assert named <= SESSION_KEYS.keys()
    assert {new for new in OBSOLETE_KEYS.values() if new} <= SESSION_KEYS.keys()


def test_what_n_is() -> None:
    assert SESSION_KEYS["iterations_per_loop"] == SessionKey("i", 1, smallest=1, refused=True)
