// RUN: xshardy-opt %s -p sdy-verify-unreduced-axes | filecheck %s

sdy.mesh @mesh = <["x"=2, "y"=2]>
sdy.mesh @other = <["z"=4]>

// Carried along, and reduced where someone asks for it, also behind a barrier.
// CHECK-LABEL: @carried_and_reduced(
func.func @carried_and_reduced(%t: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}], unreduced={"y"}>})
    -> (tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}]>}, tensor<8xf32>) {
  %0 = stablehlo.add %t, %t {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}], unreduced={"y"}>]>} : tensor<8xf32>
  %1 = sdy.reshard %0 <@mesh, [{}]> : tensor<8xf32>
  %2 = sdy.propagation_barrier %1 allowed_direction=NONE : tensor<8xf32>
  %3 = stablehlo.negate %2 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}]>]>} : tensor<8xf32>
  %4 = sdy.sharding_constraint %0 <@mesh, [{"y"}]> : tensor<8xf32>
  return %1, %4 : tensor<8xf32>, tensor<8xf32>
}

// Sums make a result unreduced, products of matrices too, and reductions along the axis of what they compute.
// CHECK-LABEL: @introduced(
func.func @introduced(%t: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"x"}]>}) {
  %0 = stablehlo.dot_general %t, %t, contracting_dims = [1] x [1] {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}, {}], unreduced={"x"}>]>} : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
  %1 = sdy.constant dense<0.0> : tensor<f32>
  %2 = stablehlo.reduce(%t init: %1) applies stablehlo.minimum across dimensions = [1] {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}], unreduced=min{"x"}>]>} : (tensor<8x8xf32>, tensor<f32>) -> tensor<8xf32>
  %3 = sdy.all_reduce min {"x"} %2 out_sharding=<@mesh, [{}]> : tensor<8xf32>
  return
}

// Where meshes differ nothing is compared, and what nobody sharded is not unreduced.
// CHECK-LABEL: @meshes(
func.func @meshes(%t: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}], unreduced={"x"}>}) -> tensor<8xf32> {
  %0 = stablehlo.negate %t {sdy.sharding = #sdy.sharding_per_value<[<@other, [{"z"}]>]>} : tensor<8xf32>
  %1 = stablehlo.negate %0 : tensor<8xf32>
  return %1 : tensor<8xf32>
}

// A reduction within a manual computation is between its devices: the result is unreduced along other axes only.
// CHECK-LABEL: @manual(
func.func @manual(%t: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}], unreduced={"x", "y"}>})
    -> (tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}], unreduced={"x", "y"}>}) {
  %0 = sdy.manual_computation(%t) in_shardings=[<@mesh, [{}], unreduced={"x", "y"}>] out_shardings=[<@mesh, [{}], unreduced={"x", "y"}>] manual_axes={"x"} (%a: tensor<8xf32>) {
    %1 = stablehlo.negate %a {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}], unreduced={"y"}>]>} : tensor<8xf32>
    sdy.return %1 : tensor<8xf32>
  } : (tensor<8xf32>) -> tensor<8xf32>
  return %0 : tensor<8xf32>
}

// What someone has asked for is not questioned, whatever the callee says.
// CHECK-LABEL: @asked_for(
func.func @asked_for(%t: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}]>}) {
  %0 = sdy.reshard %t <@mesh, [{}]> : tensor<8xf32>
  %1 = call @callee(%0) {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}], unreduced={"x"}>]>} : (tensor<8xf32>) -> tensor<8xf32>
  return
}

// CHECK-LABEL: @calls(
func.func @calls(%t: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}], unreduced={"x"}>}) {
  %0 = call @callee(%t) {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}], unreduced={"x"}>]>} : (tensor<8xf32>) -> tensor<8xf32>
  return
}
func.func private @callee(%t: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}], unreduced={"x"}>})
    -> (tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}], unreduced={"x"}>}) {
  return %t : tensor<8xf32>
}

// What the user wrote is not carried along: not by an operation, not by a return.
// CHECK-LABEL: @written_by_the_user(
func.func @written_by_the_user(%t: tensor<8xf32>) -> (tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}]>}) {
  %0 = sdy.sharding_constraint %t <@mesh, [{}], unreduced={"y"}> : tensor<8xf32>
  %1 = stablehlo.negate %0 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}]>]>} : tensor<8xf32>
  return %0 : tensor<8xf32>
}

// Functions of modules inside of the module are not looked at.
// CHECK-LABEL: module @inner
module @inner {
  func.func private @callee(%t: tensor<8xf32>) {
    return
  }
  func.func @caller(%t: tensor<8xf32>) {
    call @callee(%t) : (tensor<8xf32>) -> ()
    return
  }
}
