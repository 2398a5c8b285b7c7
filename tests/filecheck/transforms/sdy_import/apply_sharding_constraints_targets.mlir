// RUN: xshardy-opt %s -p sdy-apply-sharding-constraints | filecheck %s

sdy.mesh @mesh = <["a"=2, "b"=2]>

// A constraint that was copied has a rule: what goes into it comes out of it.
// CHECK-LABEL: func.func @main
// CHECK:         sdy.sharding_constraint %0 <@mesh, [{"a"}, {}]> {sdy.sharding_rule = #sdy.op_sharding_rule<([i, j])->([i, j]) {i=8, j=4}>}
func.func @main(%x: tensor<8x4xf32>) {
  %0 = stablehlo.negate %x : tensor<8x4xf32>
  %1 = sdy.sharding_constraint %0 <@mesh, [{"a"}, {}]> : tensor<8x4xf32>
  return
}

// Several arguments are written together.
// CHECK-LABEL: func.func @arguments(
// CHECK-SAME:    %arg0: tensor<8xf32> {keep.me, sdy.sharding = #sdy.sharding<@mesh, [{"a"}]>}, %arg1: tensor<8xf32>, %arg2: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"b"}]>})
func.func @arguments(%x: tensor<8xf32> {keep.me}, %y: tensor<8xf32>, %z: tensor<8xf32>) {
  %0 = sdy.sharding_constraint %x <@mesh, [{"a"}]> : tensor<8xf32>
  %1 = sdy.sharding_constraint %y <@mesh, [{"a", ?}]> : tensor<8xf32>
  %2 = sdy.sharding_constraint %z <@mesh, [{"b"}]> : tensor<8xf32>
  return
}

// An argument of a loop is a target of the edge that the result owns: all that reads it reads the constraint.
// CHECK-LABEL: func.func @argument_of_loop
// CHECK:         do {
// CHECK-NEXT:      %2 = sdy.sharding_constraint %iterArg <@mesh, [{"a"}]>
// CHECK-NEXT:      %3 = stablehlo.negate %2
// CHECK:         sdy.data_flow_edge %0 : tensor<8xf32>
func.func @argument_of_loop(%x: tensor<8xf32>) -> tensor<8xf32> {
  %0 = stablehlo.while(%i = %x) : tensor<8xf32>
  cond {
    %p = stablehlo.constant dense<true> : tensor<i1>
    stablehlo.return %p : tensor<i1>
  } do {
    %1 = stablehlo.negate %i : tensor<8xf32>
    %2 = sdy.sharding_constraint %i <@mesh, [{"a"}]> : tensor<8xf32>
    stablehlo.return %1 : tensor<8xf32>
  }
  %3 = sdy.data_flow_edge %0 : tensor<8xf32>
  return %3 : tensor<8xf32>
}

// Unreduced axes do not propagate, so the edge has them itself.
// CHECK-LABEL: func.func @unreduced_axes
// CHECK:         %1 = sdy.data_flow_edge %0 sharding=<@mesh, [{?}], unreduced={"b"}>
// CHECK-NEXT:    %2 = sdy.sharding_constraint %1 <@mesh, [{"a"}], unreduced={"b"}>
// CHECK-NEXT:    stablehlo.negate %2
func.func @unreduced_axes(%x: tensor<8xf32>) {
  %0 = stablehlo.optimization_barrier %x : tensor<8xf32>
  %1 = sdy.data_flow_edge %0 : tensor<8xf32>
  %2 = stablehlo.negate %1 : tensor<8xf32>
  %3 = sdy.sharding_constraint %1 <@mesh, [{"a"}], unreduced={"b"}> : tensor<8xf32>
  return
}

// Nothing can carry the sharding of an argument of a reduction's body.
// CHECK-LABEL: func.func @argument_of_reduction
// CHECK:         sdy.sharding_constraint %arg2 <@mesh, []> : tensor<f32>
func.func @argument_of_reduction(%x: tensor<8xf32>, %zero: tensor<f32>) {
  %0 = stablehlo.reduce(%x init: %zero) across dimensions = [0] : (tensor<8xf32>, tensor<f32>) -> tensor<f32>
  reducer(%a: tensor<f32>, %b: tensor<f32>) {
    %1 = sdy.sharding_constraint %a <@mesh, []> : tensor<f32>
    %2 = stablehlo.add %1, %b : tensor<f32>
    stablehlo.return %2 : tensor<f32>
  }
  return
}
