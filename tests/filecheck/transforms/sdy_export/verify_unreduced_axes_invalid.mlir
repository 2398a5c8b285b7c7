// RUN: xshardy-opt %s -p sdy-verify-unreduced-axes --split-input-file --verify-diagnostics | filecheck %s

sdy.mesh @mesh = <["x"=2, "y"=2]>
// CHECK: verify_unreduced_axes_invalid.mlir:6:8: error: 'stablehlo.negate' op dropped unreduced axis 'y' without a blessed operation (e.g., sdy.reshard). This is an invalid transition from unreduced to reduced.
func.func @dropped(%t: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}], unreduced={"x", "y"}>}) {
  %0 = stablehlo.negate %t {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}], unreduced={"x"}>]>} : tensor<8xf32>
  return
}

// -----

sdy.mesh @mesh = <["x"=2]>
// CHECK: 'stablehlo.negate' op dropped unreduced axis 'x'
func.func @dropped_behind_a_barrier(%t: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}], unreduced={"x"}>}) {
  %0 = sdy.propagation_barrier %t allowed_direction=FORWARD : tensor<8xf32>
  %1 = stablehlo.negate %0 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}]>]>} : tensor<8xf32>
  return
}

// -----

sdy.mesh @mesh = <["x"=2]>
// CHECK: 'stablehlo.reduce' op cannot introduce 'sum' unreduced axes. Expected 'max'.
func.func @another_reduction(%t: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"x"}]>}) {
  %0 = sdy.constant dense<0.0> : tensor<f32>
  %1 = stablehlo.reduce(%t init: %0) applies stablehlo.maximum across dimensions = [1] {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}], unreduced={"x"}>]>} : (tensor<8x8xf32>, tensor<f32>) -> tensor<8xf32>
  return
}

// -----

sdy.mesh @mesh = <["x"=2]>
// CHECK: 'stablehlo.reduce' op cannot add new unreduced axis 'x'.
func.func @no_known_reduction(%t: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"x"}]>}) {
  %0 = sdy.constant dense<0.0> : tensor<f32>
  %1 = stablehlo.reduce(%t init: %0) applies stablehlo.multiply across dimensions = [1] {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}], unreduced={"x"}>]>} : (tensor<8x8xf32>, tensor<f32>) -> tensor<8xf32>
  return
}

// -----

sdy.mesh @mesh = <["x"=2]>
// CHECK: 'func.call' op has unreduced axes mismatch for 'x' at call argument 1.
func.func @argument(%t: tensor<8xf32>, %u: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}], unreduced={"x"}>}) {
  call @callee(%t, %u) : (tensor<8xf32>, tensor<8xf32>) -> ()
  return
}
func.func private @callee(%t: tensor<8xf32>, %u: tensor<8xf32>) {
  return
}

// -----

sdy.mesh @mesh = <["x"=2, "y"=2]>
// CHECK: 'func.call' op has unreduced axes mismatch for 'x, y' at call result 0.
func.func @result() {
  %0 = call @callee() {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}], unreduced={"y"}>]>} : () -> tensor<8xf32>
  return
}
func.func private @callee() -> (tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}], unreduced={"x"}>})

// -----

sdy.mesh @mesh = <["x"=2]>
// CHECK: 'func.return' op has unreduced axes mismatch for 'x' at return value 0 without a blessed operation (e.g., sdy.reshard).
func.func @returned(%t: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}], unreduced={"x"}>})
    -> (tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}]>}) {
  return %t : tensor<8xf32>
}

// -----

sdy.mesh @mesh = <["x"=2, "y"=2]>
// CHECK: 'sdy.return' op has unreduced axes mismatch for 'y' at return value 0
func.func @returned_from_a_region(%t: tensor<8xf32>) {
  %0 = sdy.manual_computation(%t) in_shardings=[<@mesh, [{}], replicated={"x"}>] out_shardings=[<@mesh, [{}], unreduced={"x", "y"}>] manual_axes={"x"} (%a: tensor<8xf32>) {
    sdy.return %a : tensor<8xf32>
  } : (tensor<8xf32>) -> tensor<8xf32>
  return
}

// -----

sdy.mesh @mesh = <["x"=2]>
// CHECK: 'sdy.reduce_scatter' op operand must be sharded.
func.func @not_sharded(%t: tensor<8xf32>) {
  %0 = sdy.reduce_scatter [{"x"}] %t out_sharding=<@mesh, [{"x"}]> : tensor<8xf32>
  return
}

// -----

sdy.mesh @mesh = <["x"=2]>
// CHECK: 'stablehlo.all_reduce' op cannot reduce 'min' unreduced axes. Expected 'sum'.
func.func @reduced_otherwise(%t: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}], unreduced=min{"x"}>}) {
  %0 = "stablehlo.all_reduce"(%t) <{replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %1 = stablehlo.add %a, %b : tensor<f32>
    stablehlo.return %1 : tensor<f32>
  }) {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}]>]>} : (tensor<8xf32>) -> tensor<8xf32>
  return
}
