// RUN: xshardy-opt %s -p sdy-apply-sharding-constraints | filecheck %s

sdy.mesh @mesh = <["a"=2, "b"=2]>

// Uses after the chain read its end; one before it, one in another block, and the return of @main do not.
// CHECK-LABEL: func.func @main
// CHECK-NEXT:    %0 = stablehlo.negate %arg0
// CHECK-NEXT:    %1 = sdy.sharding_constraint %arg0 <@mesh, [{"a", ?}]>
// CHECK-NEXT:    %2 = sdy.sharding_constraint %1 <@mesh, [{"b", ?}]>
// CHECK-NEXT:    %3 = stablehlo.abs %2
// CHECK:           stablehlo.exponential %arg0
// CHECK:         return %arg0
func.func @main(%x: tensor<8xf32>, %p: tensor<i32>) -> tensor<8xf32> {
  %0 = stablehlo.negate %x : tensor<8xf32>
  %1 = sdy.sharding_constraint %x <@mesh, [{"a", ?}]> : tensor<8xf32>
  %2 = sdy.sharding_constraint %1 <@mesh, [{"b", ?}]> : tensor<8xf32>
  %3 = stablehlo.abs %x : tensor<8xf32>
  %4 = "stablehlo.case"(%p) ({
    %5 = stablehlo.exponential %x : tensor<8xf32>
    stablehlo.return %5 : tensor<8xf32>
  }) : (tensor<i32>) -> tensor<8xf32>
  return %x : tensor<8xf32>
}

// CHECK-LABEL: func.func @start_has_a_sharding
// CHECK:         stablehlo.abs %arg0
func.func @start_has_a_sharding(%x: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"b", ?}]>}) {
  %1 = sdy.sharding_constraint %x <@mesh, [{"a", ?}]> : tensor<8xf32>
  %2 = sdy.sharding_constraint %1 <@mesh, [{"b", ?}]> : tensor<8xf32>
  %3 = stablehlo.abs %x : tensor<8xf32>
  return
}

// The second constraint starts a chain of two as well, but its input is a constraint.
// CHECK-LABEL: func.func @start_is_a_constraint
// CHECK:         %0 = sdy.sharding_constraint %arg0
// CHECK:         stablehlo.abs %0
func.func @start_is_a_constraint(%x: tensor<8xf32>) {
  %0 = sdy.sharding_constraint %x <@mesh, [{"a", ?}]> : tensor<8xf32>
  %1 = sdy.sharding_constraint %0 <@mesh, [{"b", ?}]> : tensor<8xf32>
  %2 = sdy.sharding_constraint %1 <@mesh, [{?}]> : tensor<8xf32>
  %3 = stablehlo.abs %0 : tensor<8xf32>
  return
}

// CHECK-LABEL: func.func @start_has_another_constraint
// CHECK:         stablehlo.abs %arg0
func.func @start_has_another_constraint(%x: tensor<8xf32>) {
  %1 = sdy.sharding_constraint %x <@mesh, [{"a", ?}]> : tensor<8xf32>
  %2 = sdy.sharding_constraint %1 <@mesh, [{"b", ?}]> : tensor<8xf32>
  %3 = sdy.sharding_constraint %x <@mesh, [{"a", ?}]> : tensor<8xf32>
  %4 = stablehlo.abs %x : tensor<8xf32>
  return
}

// CHECK-LABEL: func.func @start_enters_a_manual_computation
// CHECK:         stablehlo.abs %arg0
func.func @start_enters_a_manual_computation(%x: tensor<8xf32>) {
  %1 = sdy.sharding_constraint %x <@mesh, [{"a", ?}]> : tensor<8xf32>
  %2 = sdy.sharding_constraint %1 <@mesh, [{"b", ?}]> : tensor<8xf32>
  sdy.manual_computation(%x) in_shardings=[<@mesh, [{"a", ?}]>] out_shardings=[] manual_axes={"a"} (%y: tensor<4xf32>) {
    sdy.return
  } : (tensor<8xf32>) -> ()
  %4 = stablehlo.abs %x : tensor<8xf32>
  return
}

// What is read between the ends of a chain may be read before the next constraint or after it.
// CHECK-LABEL: func.func @read_between
// CHECK:         stablehlo.abs %arg0
// CHECK:         stablehlo.abs %arg1
func.func @read_between(%x: tensor<8xf32>, %y: tensor<8xf32>) {
  %1 = sdy.sharding_constraint %x <@mesh, [{"a", ?}]> : tensor<8xf32>
  %2 = stablehlo.negate %1 : tensor<8xf32>
  %3 = sdy.sharding_constraint %1 <@mesh, [{"b", ?}]> : tensor<8xf32>
  %4 = stablehlo.abs %x : tensor<8xf32>
  %5 = sdy.sharding_constraint %y <@mesh, [{"a", ?}]> : tensor<8xf32>
  %6 = sdy.sharding_constraint %5 <@mesh, [{"b", ?}]> : tensor<8xf32>
  %7 = stablehlo.negate %5 : tensor<8xf32>
  %8 = stablehlo.abs %y : tensor<8xf32>
  return
}

// A constraint that reads the end goes on with the chain, but for its other use.
// CHECK-LABEL: func.func @end_has_constraints
// CHECK:         stablehlo.abs %arg0
func.func @end_has_constraints(%x: tensor<8xf32>) {
  %1 = sdy.sharding_constraint %x <@mesh, [{"a", ?}]> : tensor<8xf32>
  %2 = sdy.sharding_constraint %1 <@mesh, [{"b", ?}]> : tensor<8xf32>
  %3 = sdy.sharding_constraint %2 <@mesh, [{?}]> : tensor<8xf32>
  %4 = stablehlo.negate %2 : tensor<8xf32>
  %5 = stablehlo.abs %x : tensor<8xf32>
  return
}
