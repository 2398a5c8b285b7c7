"""The dumps of the export pipeline, and the module after a failure."""

from pathlib import Path

import pytest
from xdsl.dialects.builtin import ModuleOp
from xdsl.utils.exceptions import PassFailedException

from xshardy.dialects.discardable import verify
from xshardy.dialects.sdy.ops import ManualComputationOp
from xshardy.syntax import parse_module, print_module
from xshardy.transforms.failures import OperationFailedException
from xshardy.transforms.sdy_export.export_pipeline import ExportPipelinePass
from xshardy.universe import new_context

MESH = 'sdy.mesh @mesh = <["x"=2, "y"=2]>'

CONSTRAINED = f"""{MESH}
func.func @main(%x: tensor<8xf32> {{sdy.sharding = #sdy.sharding<@mesh, [{{"x", ?}}]>}}) -> tensor<8xf32> {{
  %0 = stablehlo.negate %x {{sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{{"x", ?}}]>]>}} : tensor<8xf32>
  %1 = sdy.sharding_constraint %0 <@mesh, [{{"y"}}]> : tensor<8xf32>
  return %1 : tensor<8xf32>
}}
"""

REDUCED_BY_ACCIDENT = f"""{MESH}
func.func @main(%x: tensor<8xf32> {{sdy.sharding = #sdy.sharding<@mesh, [{{?}}], unreduced={{"x"}}>}}) {{
  sdy.sharding_group %x group_id=0 : tensor<8xf32>
  %0 = stablehlo.negate %x {{sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{{?}}]>]>}} : tensor<8xf32>
  return
}}
"""


RECORDED = f"""{MESH}
func.func @main(%x: tensor<8xf32>) -> tensor<8xf32> {{
  %0 = stablehlo.negate %x {{
    sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{{"x"}}]>]>, sdy.sharding_origins = [{{x = "self"}}]
  }} : tensor<8xf32>
  return %0 : tensor<8xf32>
}}
"""

WITHOUT_MAIN = f"""{MESH}
func.func @f(%x: tensor<8xf32> {{sdy.sharding = #sdy.sharding<@mesh, [{{"x", ?}}]>}}) {{
  sdy.sharding_group %x group_id=0 : tensor<8xf32>
  return
}}
func.func @g() {{ return }}
"""


def export(text: str, options: ExportPipelinePass) -> ModuleOp:
    module = parse_module(text)
    options.apply(new_context(), module)
    verify(module)
    return module


@pytest.mark.parametrize(
    ("collectives", "files"),
    [
        (False, ["02.after_propagation.mlir", "03.after_minimal_partitioner_with_global_shapes.mlir"]),
        (
            True,
            [
                "02.after_propagation.mlir",
                "03.after_explicit_reshards.mlir",
                "04.after_partitioner_with_global_shapes.mlir",
            ],
        ),
    ],
)
def test_dumps(tmp_path: Path, collectives: bool, files: list[str]):
    export(
        CONSTRAINED,
        ExportPipelinePass(str(tmp_path), enable_insert_explicit_collectives=collectives, first_dump=2),
    )
    assert sorted(path.name for path in tmp_path.iterdir()) == files
    first, last = ((tmp_path / file).read_text() for file in (files[0], files[-1]))
    assert "sdy.reshard" in first and "?" not in first and "@mesh" in first
    assert ("sdy.all_gather" in last, "sdy.reshard" in last) == (collectives, not collectives)


@pytest.mark.parametrize("recorded", [False, True])
def test_records_are_kept_for_dumps_and_dropped_with_the_dump_options(tmp_path: Path, recorded: bool):
    module = export(RECORDED, ExportPipelinePass(str(tmp_path), dump_sharding_origins=recorded))
    assert "sdy.sharding_origins" in (tmp_path / "00.after_propagation.mlir").read_text()
    assert ("sdy.sharding_origins" in print_module(module)) == (not recorded)


def test_dumps_around_the_partitioning_of_each_instruction(tmp_path: Path):
    export(CONSTRAINED, ExportPipelinePass(str(tmp_path), enable_per_instruction_partitioning=True))
    texts = {path.name: path.read_text() for path in sorted(tmp_path.iterdir())}
    assert [*texts] == [
        "00.after_propagation.mlir",
        "01.before_per_instruction_partitioning.mlir",
        "02.after_per_instruction_partitioning.mlir",
        "03.after_minimal_partitioner_with_global_shapes.mlir",
    ]
    assert ["sdy.manual_computation" in text for text in texts.values()] == [False, False, True, True]


def test_no_reshards_before_another_propagation(tmp_path: Path):
    module = export(CONSTRAINED, ExportPipelinePass(str(tmp_path), avoid_export_for_partitioning=True))
    assert "sdy.sharding_constraint" in print_module(module)
    assert [path.name for path in tmp_path.iterdir()] == ["00.after_propagation.mlir"]


def test_module_that_cannot_be_exported_is_left_as_it_was():
    module = parse_module(REDUCED_BY_ACCIDENT)
    before = print_module(module)
    with pytest.raises(
        OperationFailedException, match="dropped unreduced axis 'x' without a blessed operation"
    ) as info:
        ExportPipelinePass().apply(new_context(), module)
    assert info.value.operation.name == "stablehlo.negate"
    assert print_module(module) == before
    verify(module)


def test_a_module_without_a_main_function_is_exported():
    options = ExportPipelinePass(update_non_divisible_input_output_shardings=False)
    assert "?" not in print_module(export(WITHOUT_MAIN, options))


def test_a_module_without_a_main_function_is_left_as_it_was_if_an_option_needs_one():
    module = parse_module(WITHOUT_MAIN)
    before = print_module(module)
    with pytest.raises(PassFailedException, match="none of them is @main"):
        ExportPipelinePass(update_non_divisible_input_output_shardings=True).apply(new_context(), module)
    assert print_module(module) == before


def test_single_operations_are_partitioned():
    module = parse_module("""
      sdy.mesh @mesh = <["x"=2]>
      func.func @main(%x: tensor<4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}) -> tensor<4xf32> {
        %0 = stablehlo.negate %x {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}]>]>} : tensor<4xf32>
        %1 = stablehlo.abs %0 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}]>]>} : tensor<4xf32>
        return %1 : tensor<4xf32>
      }
    """)
    pipeline = ExportPipelinePass(
        enable_per_instruction_partitioning=True, per_instruction_partitioning_filter=("negate",)
    )
    pipeline.apply(new_context(), module)
    verify(module)
    body = next(op for op in module.walk() if isinstance(op, ManualComputationOp)).body.block
    assert [op.name for op in body.ops] == ["stablehlo.negate", "sdy.return"]
    assert any(op.name == "stablehlo.abs" for op in body.parent_op().parent.ops)  # pyright: ignore


def test_a_module_stays_if_an_operation_cannot_be_partitioned():
    module = parse_module("""
      sdy.mesh @mesh = <["x"=2]>
      func.func @main(%x: tensor<4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}) {
        %0 = stablehlo.abs %x : tensor<4xf32>
        %1 = chlo.tan %x : tensor<4xf32> -> tensor<4xf32>
        return
      }
    """)
    before = print_module(module)
    with pytest.raises(OperationFailedException):
        ExportPipelinePass(enable_per_instruction_partitioning=True).apply(new_context(), module)
    assert print_module(module) == before


def test_collectives_are_optimized_before_they_are_canonicalized():
    names = [
        [
            step.name
            for step in ExportPipelinePass(enable_insert_explicit_collectives=True, optimize_collectives=on).passes
        ]
        for on in (False, True)
    ]
    place = names[1].index("sdy-optimize-collectives")
    assert names[1][place - 1 : place + 2 : 2] == ["sdy-reshard-to-collectives", "sdy-canonicalize-collectives"]
    assert names[1][:place] + names[1][place + 1 :] == names[0]
