// RUN: xshardy-opt %s -p sdy-insert-explicit-reshards --split-input-file --verify-diagnostics | filecheck %s
// RUN: xshardy-opt %s -p "sdy-insert-explicit-reshards{enable-full-version=true}" --split-input-file --verify-diagnostics | filecheck %s

sdy.mesh @device = <[], device_ids=[0]>
func.func @argument_on_one_device(%x: tensor<8xf32> {sdy.sharding = #sdy.sharding<@device, []>}) -> tensor<8xf32> {
  func.return %x : tensor<8xf32>
}
// CHECK:      'func.func' op function argument 0 cannot have a single-device (maximal) sharding attribute

// -----

sdy.mesh @device = <[], device_ids=[0]>
func.func private @result_on_one_device(tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32> {sdy.sharding = #sdy.sharding<@device, []>})
// CHECK:      'func.func' op function result 1 cannot have a single-device (maximal) sharding attribute

// -----

sdy.mesh @mesh = <["a"=2]>
sdy.mesh @device_0 = <[], device_ids=[0]>
sdy.mesh @device_1 = <[], device_ids=[1]>
func.func @on_two_devices(%x: tensor<8xf32>) -> tensor<8xf32> {
  %0:2 = stablehlo.custom_call @f(%x) {sdy.sharding = #sdy.sharding_per_value<[<@device_0, []>, <@device_1, []>]>} : (tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>)
  func.return %0#0 : tensor<8xf32>
}
// CHECK:      'stablehlo.custom_call' op has conflicting single-device result shardings

// -----

sdy.mesh @mesh = <["a"=2]>
func.func @results_disagree(%x: tensor<8xf32>) -> tensor<8xf32> {
  %0:2 = stablehlo.custom_call @f(%x) {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}], unreduced={"a"}>, <@mesh, [{}]>]>} : (tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>)
  func.return %0#0 : tensor<8xf32>
}
// CHECK:      'stablehlo.custom_call' op has unreduced axes mismatch between results: give all of them the same unreduced axes

// -----

sdy.mesh @mesh = <["a"=2]>
func.func @no_results(%x: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}], unreduced={"a"}>}) {
  stablehlo.custom_call @f(%x) {has_side_effect = true} : (tensor<8xf32>) -> ()
  func.return
}
// CHECK:      'stablehlo.custom_call' op has an operand with unreduced axes and no results: reduce the operand first

// -----

sdy.mesh @mesh = <["a"=2]>
sdy.mesh @other = <["b"=2]>
func.func @other_mesh(%x: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}], unreduced={"a"}>}) -> tensor<8xf32> {
  %0 = stablehlo.negate %x {sdy.sharding = #sdy.sharding_per_value<[<@other, [{"b"}]>]>} : tensor<8xf32>
  func.return %0 : tensor<8xf32>
}
// CHECK:      'stablehlo.negate' op has an operand over mesh @mesh and is to have it over mesh @other, unreduced along some axes: reduce the operand first, or use one mesh

// -----

sdy.mesh @mesh = <["a"=2, "b"=2]>
func.func @one_for_another(%x: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}], unreduced={"a"}>}) -> (tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}], unreduced={"b"}>}) {
  func.return %x : tensor<8xf32>
}
// CHECK:      'func.return' op has an operand that is unreduced along {"a"} and is to be unreduced along {"b"} instead: reduce it first
