"""A module that cannot be imported is left as it was, and the complaint names the operation."""

import pytest
from xdsl.dialects.builtin import ModuleOp
from xdsl.passes import ModulePass

from xshardy.syntax import parse_module, print_module
from xshardy.transforms.failures import OperationFailedException, OperationWarning
from xshardy.transforms.sdy_import.flatten_call_graph import FlattenCallGraphPass
from xshardy.transforms.sdy_import.import_func_calls import ImportFuncCallsPass
from xshardy.transforms.sdy_import.import_pipeline import ImportPipelinePass
from xshardy.transforms.sdy_import.sharding_group_import import ShardingGroupImportPass
from xshardy.universe import new_context

LIFTED_FIRST = '{sdy.sharding = #sdy.sharding<mesh<["a"=2]>, [{"a"}]>}'
"""What `sdy-lift-inlined-meshes` would change."""

GROUP = f"""func.func @main(%x: tensor<8xf32> {LIFTED_FIRST}) -> tensor<8xf32> {{
  sdy.sharding_group %x group_id=3 : tensor<8xf32>
  %s = stablehlo.slice %x [0:4] : (tensor<8xf32>) -> tensor<4xf32>
  sdy.sharding_group %s group_id=3 : tensor<4xf32>
  return %x : tensor<8xf32>
}}"""
RECURSION = f"""func.func @main(%x: tensor<8xf32> {LIFTED_FIRST}) -> tensor<8xf32> {{
  %0 = func.call @f(%x) : (tensor<8xf32>) -> tensor<8xf32>
  return %0 : tensor<8xf32>
}}
func.func private @f(%x: tensor<8xf32>) -> tensor<8xf32> {{
  %0 = func.call @f(%x) : (tensor<8xf32>) -> tensor<8xf32>
  return %0 : tensor<8xf32>
}}"""
MANUAL_AXES = f"""func.func @main(%x: tensor<8xf32> {LIFTED_FIRST}) {{
  sdy.manual_computation() in_shardings=[] out_shardings=[] manual_axes={{"a"}} () {{
    %0 = sdy.constant dense<1.0> : tensor<8xf32>
    sdy.return
  }} : () -> ()
  return
}}"""


def unchanged_by_failure(module: ModuleOp, step: ModulePass) -> OperationFailedException:
    """The error of `step` on `module`; checks that the module does not change."""
    before = module.clone()
    with pytest.raises(OperationFailedException) as raised:
        step.apply(new_context(), module)
    assert print_module(module) == print_module(before)
    assert raised.value.operation in module.walk()
    return raised.value


@pytest.mark.parametrize("step", [ImportPipelinePass(dedup_functions_fully=True), ShardingGroupImportPass()])
def test_group_of_two_shapes(step: ModulePass):
    error = unchanged_by_failure(parse_module(GROUP), step)
    assert error.operation.name == "sdy.sharding_group"
    assert "must have the same shape for groupId: 3; this one has shape 4, the first 8" in str(error)


def test_groups_are_not_read_without_the_option():
    ImportPipelinePass().apply(new_context(), parse_module(GROUP))


@pytest.mark.parametrize("step", [ImportPipelinePass(), FlattenCallGraphPass(), ImportFuncCallsPass()])
def test_recursion(step: ModulePass):
    assert "@f calls itself" in str(unchanged_by_failure(parse_module(RECURSION), step))


def test_manual_axes_without_shardings():
    unchanged_by_failure(parse_module(MANUAL_AXES), ImportPipelinePass())


def test_a_copied_function_is_warned_of_once():
    calls = "\n".join("func.call @f(%x) : (tensor<8xf32>) -> tensor<8xf32>" for _ in range(3))
    module = parse_module(f"""func.func @main(%x: tensor<8xf32>) {{
  {calls}
  return
}}
func.func private @f(%x: tensor<8xf32>) -> tensor<8xf32> {{
  return %x : tensor<8xf32>
}}""")
    with pytest.warns(OperationWarning, match="function @f has multiple call ops") as warnings:
        ImportFuncCallsPass().apply(new_context(), module)
    assert len(warnings) == 1
