"""The table of session keys: complete, without contradictions, in agreement with NPURunConfig."""

from __future__ import annotations

import re

import pytest

from npu_migrate.knowledge.option_values import (
    PRODUCT_NAMES,
    in_words,
    is_legal,
    lacking_product,
    tidied,
)
from npu_migrate.knowledge.option_words import documented, in_sentences, meant_key, table
from npu_migrate.knowledge.releases import release_number
from npu_migrate.knowledge.run_config import (
    COMPANIONS,
    HOLDERS,
    LATER,
    PARAMETERS,
    REQUIRED,
    RUN_CONFIG_CLASS,
)
from npu_migrate.knowledge.session_keys import FORMER_KEYS, SESSION_KEYS, SessionKey
from npu_migrate.settings import PRODUCTS

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


@pytest.mark.parametrize("kind", ["DumpConfig", "MemoryConfig", "DynamicInputConfig"])
def test_every_parameter_of_these_companions_is_a_key(kind: str) -> None:
    assert set(COMPANIONS[kind]) <= SESSION_KEYS.keys()


def test_the_tables_of_arguments_fit_together() -> None:
    assert set(HOLDERS) <= set(PARAMETERS)
    assert set(HOLDERS.values()) == COMPANIONS.keys()
    assert all(set(names) <= set(COMPANIONS[kind]) for kind, names in REQUIRED.items())
    known = {RUN_CONFIG_CLASS: PARAMETERS, **COMPANIONS}
    assert all(names.isdisjoint(known[kind]) for kind, names in LATER.items())


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
    assert unset or key.default is None or is_legal(name, key, key.default)


@KEYS
def test_limits_belong_to_the_field(name: str) -> None:
    key = SESSION_KEYS[name]
    assert key.field == "i" or (key.smallest, key.largest) == (None, None)
    assert key.field == "s" or key.pattern is None
    assert set(key.only_on) <= {"", *map(str, key.values)}
    assert not (key.values and key.pattern)
    assert key.pattern is None or key.form


@KEYS
def test_products_releases_and_other_keys_exist(name: str) -> None:
    key = SESSION_KEYS[name]
    assert {product for products in key.only_on.values() for product in products} <= set(PRODUCTS)
    assert set(key.limits) <= set(PRODUCTS)
    assert key.since is None or release_number(key.since) > (1, 0)
    assert {other for other in (key.checked_with, key.replacement) if other} <= SESSION_KEYS.keys()


def test_every_product_has_a_name() -> None:
    assert tuple(PRODUCT_NAMES) == PRODUCTS


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
    ("name", "value", "legal"),
    [
        ("dump_step", "0", True),
        ("dump_step", "0|3-5|10", True),
        ("dump_step", "0-5", True),
        ("dump_step", "|3", False),
        ("dump_step", "a", False),
        ("dump_step", "5-3", False),
        ("dump_step", "|".join(map(str, range(101))), False),
        ("input_shape", "data:1,1,40,-1;label:1,-1;mask:-1,-1", True),
        ("input_shape", "data", False),
        ("dynamic_dims", "20,20,1,1;40,40,2,2", True),
        ("dynamic_dims", "20;-1", False),
        ("local_device_list", "1,2,3", True),
        ("local_device_list", "1, 2", False),
        ("graph_run_mode", 2, False),
        ("session_device_id", -1, False),
        ("hccl_timeout", 0, True),
        ("precision_mode", "none", True),
        ("precision_mode", "", True),
        ("precision_mode", True, True),
    ],
)
def test_legal_values(name: str, value: object, legal: bool) -> None:
    assert is_legal(name, SESSION_KEYS[name], value) is legal


@pytest.mark.parametrize(
    ("name", "value", "product", "products"),
    [
        ("precision_mode", "allow_mix_precision_bf16", "training", ("a2", "a3", "950")),
        ("precision_mode", "allow_mix_precision_bf16", "a2", None),
        ("precision_mode", "allow_mix_precision_bf16", None, None),
        ("dump_debug_mode", "aicore_overflow", "a3", ("training",)),
        ("input_batch_cpy", True, "training", ("a2", "a3", "950")),
        ("hccl_timeout", 20000, "training", ()),
        ("hccl_timeout", 20000, "a2", None),
    ],
)
def test_products(name: str, value: object, product: str | None, products: tuple[str, ...] | None) -> None:
    assert lacking_product(SESSION_KEYS[name], value, product) == products


@pytest.mark.parametrize(
    ("name", "value", "meant"),
    [
        ("variable_placement", "host", "Host"),
        ("precision_mode", " Allow_Mix_Precision ", "allow_mix_precision"),
        ("variable_placement", "Host", None),
        ("variable_placement", "hosts", None),
        ("graph_run_mode", 1, None),
    ],
)
def test_slips_of_blanks_and_capital_letters(name: str, value: object, meant: str | None) -> None:
    assert tidied(SESSION_KEYS[name], value) == meant


@pytest.mark.parametrize(
    ("name", "meant"),
    [
        ("precison_mode", "did you mean precision_mode (1 letter differs)?"),
        ("sump_mode", "did you mean dump_mode (1 letter differs)?"),
        ("sfusion_switch_file", "did you mean fusion_switch_file (1 letter differs)?"),
        ("useoffline", "did you mean use_off_line (2 letters differ)?"),
        ("autotune_tune_mode", None),
        ("allow_mix_compile", None),
        ("my_own_note", None),
        ("enable_auto_mix_precision", "precision_mode stands in its place"),
        ("mstune_mode", "aoe_mode stands in its place"),
        ("master_slave_mode", None),
    ],
)
def test_misspelt_and_former_keys(name: str, meant: str | None) -> None:
    assert meant_key(name) == meant


def test_former_keys_have_keys_in_their_place() -> None:
    assert {key.replacement for key in FORMER_KEYS.values() if key.replacement} <= SESSION_KEYS.keys()
    assert FORMER_KEYS.keys().isdisjoint(SESSION_KEYS)


def test_what_n_is() -> None:
    assert SESSION_KEYS["iterations_per_loop"] == SessionKey("i", 1, smallest=1, refused=True)


# -- words ---------------------------------------------------------------------------------------------


def test_what_is_said_of_a_key() -> None:
    assert documented("dump_data") == (
        "dump_data takes tensor, stats, is tensor by default, is there since r1.10"
    )
    assert documented("dump_path") == ""
    assert documented("fusion_switch_file") == "fusion_switch_file is there since r1.2"


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("graph_run_mode", "0, 1"),
        ("local_rank_id", "0 to 7"),
        ("task_index", "0 or more"),
        ("dump_step", "of the form 0|3-5|10"),
        ("use_off_line", "True, False"),
        ("dump_path", ""),
    ],
)
def test_legal_values_in_words(name: str, words: str) -> None:
    assert in_words(SESSION_KEYS[name]) == words


def test_a_question_is_not_followed_by_a_semicolon() -> None:
    assert in_sentences("a", None, "b?", "", "c") == "a; b? c"


def test_the_table_for_people_has_every_key_in_one_row() -> None:
    rows = table().splitlines()
    assert len(rows) == len(SESSION_KEYS) + 2
    assert {re.sub(r"\\\|", "", row).count("|") for row in rows} == {8}
