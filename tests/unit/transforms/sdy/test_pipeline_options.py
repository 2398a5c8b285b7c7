"""The pipelines of sdy share their options: names, order, defaults, and how they are handed on."""

from dataclasses import fields

import pytest
from xdsl.passes import ModulePass

from xshardy.transforms.sdy.pipeline_options import DebugOptions, ImportOptions, options_of
from xshardy.transforms.sdy_export.export_pipeline import ExportPipelinePass
from xshardy.transforms.sdy_import.import_pipeline import ImportPipelinePass
from xshardy.transforms.sdy_propagation.propagation_pipeline import PropagationPipelinePass

IMPORT = ("dedup_functions_fully", "enable_explicit_gather_scatter_batching")
DEBUG = ("debug_sharding_origins", "debug_propagation_edge_sharding")
PARTITIONING = (
    *("avoid_export_for_partitioning", "enable_insert_explicit_collectives"),
    "remove_all_gather_reduce_scatter_for_cmv1",
)
SIGNATURE = ("update_non_divisible_input_output_shardings", "inline_meshes", "pad_calls")


@pytest.mark.parametrize(
    ("pipeline", "names"),
    [
        (ImportPipelinePass, (*IMPORT, *DEBUG)),
        (
            PropagationPipelinePass,
            (
                *(
                    *IMPORT,
                    "module_dump_directory",
                    "conservative_propagation",
                    "rules_beyond_upstream",
                    *DEBUG,
                    "keep_sharding_rules",
                ),
                *(*PARTITIONING, *SIGNATURE, "keep_partial_sums"),
            ),
        ),
        (
            ExportPipelinePass,
            (
                *("dump_directory", *PARTITIONING, "keep_sharding_rules"),
                *("dump_sharding_origins", "dump_propagation_edges", *SIGNATURE),
                *("enable_per_instruction_partitioning", "per_instruction_partitioning_filter"),
                *("replica_count", "partition_count", "optimize_collectives", "first_dump"),
            ),
        ),
    ],
)
def test_order_in_which_errors_list_the_options(pipeline: type[ModulePass], names: tuple[str, ...]):
    assert tuple(field.name for field in fields(pipeline)) == names


def test_meshes_are_inlined_by_the_export_pipeline_alone():
    assert ExportPipelinePass().inline_meshes
    assert not PropagationPipelinePass().inline_meshes


def test_options_of_groups_only():
    pipeline = PropagationPipelinePass(dedup_functions_fully=True, debug_sharding_origins=True, inline_meshes=True)
    assert options_of(pipeline, ImportOptions, DebugOptions) == {
        "dedup_functions_fully": True,
        "enable_explicit_gather_scatter_batching": False,
        "debug_sharding_origins": True,
        "debug_propagation_edge_sharding": False,
    }


def test_the_propagation_pipeline_hands_its_options_on():
    pipeline = PropagationPipelinePass(
        module_dump_directory="dumps",
        debug_propagation_edge_sharding=True,
        keep_sharding_rules=True,
        avoid_export_for_partitioning=True,
        update_non_divisible_input_output_shardings=False,
    )
    assert pipeline.passes[0] == ImportPipelinePass(debug_propagation_edge_sharding=True)
    assert pipeline.passes[-1] == ExportPipelinePass(
        dump_directory="dumps",
        avoid_export_for_partitioning=True,
        keep_sharding_rules=True,
        dump_propagation_edges=True,
        update_non_divisible_input_output_shardings=False,
        inline_meshes=False,
        first_dump=1,
    )
