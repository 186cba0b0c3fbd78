"""`docs/vendor-restrictions.md` goes through all pages of the guide that say what a program must do."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

PAGE = Path(__file__).resolve().parents[1] / "docs" / "vendor-restrictions.md"

CONTENTS = {
    "Restrictions": "introduction",
    "Known errors": """
        hook_index_error_fix shuffle_buffer_timeout_fix resource_operator_preprocess_fix
        rca_operator_performance_tuning_fix variable_preprocess_init_subgraph_error_fix
        uint8_quint8_add_sub_overflow tf-variable_preprocess_error networktest_reducesum_low_performance
        npu_loss_scale_training_divergence mixed_precision_hparam_overflow
        multi_optimizer_fp_exception_detection disable_memory_optimization_core_dump
        npu_loss_scale_optimizer_faq v1_control_ops_out_of_memory dynamic_shape_v1_control_unsupported_error
        tf_keras_backend_zeros_uninitialized_variable get_rank_id_error_distributed_training
        hccl_init_ret_-17_error getnext_timeout_e30008_error multi-device_model_error
    """,
    "Common operations": """
        fpbp_point_determination cpu_core_binding autocast_aicpu tf_finite_manual_port
        tf_train_batch_manual_port save_checkpoint_on_particular_device call_cpp_apis_of_tf
        read_pb_model_node_name install_python_protobuf estimator_single_device_to_distributed
        sessrun_distributed_after_auto_port
    """,
    "Other subjects": """
        mixed_computing dump_data_collect overflow_data_collect Log-Summary adjust_gradient_split_strategy
        init_collective_communication update_weights_online_inference dynamic_shape_profiles_online_inference
        developing_custom_operator
    """,
    "Performance tuning": """
        performance_tuning_process mixed_precision_training affinity_interface_replacement iteration_offload
        automatic_aoe_tuning cpu_core_binding Profile_data_collection_and_analysis advanced_tuning
    """,
}
"""The pages in the table of contents of the guide, edition of July 2026, by heading of our page."""


def rows_of(heading: str) -> list[list[str]]:
    section = PAGE.read_text("utf-8").partition(f"\n## {heading}\n")[2].partition("\n## ")[0]
    lines = [line for line in section.splitlines() if line.startswith("|")]
    return [[cell.strip() for cell in line.split("|")[1:-1]] for line in lines[2:]]


@pytest.mark.parametrize("heading", CONTENTS)
def test_every_page_of_the_contents_is_gone_through(heading: str) -> None:
    named = [row[0].strip("`") for row in rows_of(heading) if row[0]]
    assert sorted(named) == sorted(CONTENTS[heading].split())


@pytest.mark.parametrize("heading", CONTENTS)
def test_every_sentence_has_its_rule_or_its_reason(heading: str) -> None:
    assert all(re.search(r"\w", says) and re.search(r"\w", rule) for _, says, rule in rows_of(heading))
