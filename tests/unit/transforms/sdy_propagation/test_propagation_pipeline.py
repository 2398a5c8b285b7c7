"""The propagation pipeline as a whole: its parts, its dumps, and modules that it rejects."""

from dataclasses import fields, replace
from pathlib import Path

import pytest
from xdsl.utils.exceptions import PassFailedException

from xshardy.syntax import parse_module, print_module
from xshardy.transforms.sdy_export.export_pipeline import ExportPipelinePass
from xshardy.transforms.sdy_import.import_pipeline import ImportPipelinePass
from xshardy.transforms.sdy_propagation.propagation_pipeline import PropagationPipelinePass
from xshardy.universe import new_context

STEP = """
sdy.mesh @mesh = <["a"=2]>
func.func @main(%x: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}]>}) -> tensor<8xf32> {
  %0 = func.call @f(%x) : (tensor<8xf32>) -> tensor<8xf32>
  func.return %0 : tensor<8xf32>
}
func.func private @f(%x: tensor<8xf32>) -> tensor<8xf32> {
  %0 = stablehlo.negate %x : tensor<8xf32>
  func.return %0 : tensor<8xf32>
}
"""


def test_the_parts_equal_the_pipeline():
    for shared in (False, True):
        pipeline = PropagationPipelinePass(dedup_functions_fully=shared)
        whole, parts = parse_module(STEP), parse_module(STEP)
        pipeline.apply(new_context(), whole)
        for each in pipeline.passes_before_propagation:
            each.apply(new_context(), parts)
        pipeline.propagation.apply(new_context(), parts)
        for each in pipeline.passes_after_propagation:
            each.apply(new_context(), parts)
        assert print_module(parts) == print_module(whole)


def test_its_options_are_those_of_import_and_export():
    ours = {option.name for option in fields(PropagationPipelinePass) if option.type is bool}
    for part in (ImportPipelinePass, ExportPipelinePass):
        for name in ours & {option.name for option in fields(part)}:
            for asked in (False, True):
                passes = replace(PropagationPipelinePass(), **{name: asked}).passes
                assert [getattr(each, name) for each in passes if isinstance(each, part)] == [asked]


@pytest.mark.parametrize("record", ["sharding_origins", "propagation_edges"])
def test_records_are_in_the_dump_and_not_in_the_result(record: str, tmp_path: Path):
    module = parse_module(STEP)
    PropagationPipelinePass(
        module_dump_directory=str(tmp_path),
        debug_sharding_origins=record == "sharding_origins",
        debug_propagation_edge_sharding=record == "propagation_edges",
    ).apply(new_context(), module)
    assert record in (tmp_path / "01.after_propagation.mlir").read_text()
    assert record not in print_module(module)


def test_a_module_that_is_refused_is_left_as_it_was():
    module = parse_module(STEP.replace("@main", "@other").replace("private ", ""))
    before = print_module(module)
    with pytest.raises(PassFailedException):
        PropagationPipelinePass().apply(new_context(), module)
    assert print_module(module) == before
