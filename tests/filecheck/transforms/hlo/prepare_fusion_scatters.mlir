// RUN: xshardy-opt %s -p hlo-prepare-fusion | filecheck %s
// RUN: xshardy run --check --fuse %s | filecheck %s --check-prefix KERNEL

// Operands get the types of the computation; indices, and what has them already, stay.
// CHECK-LABEL: func.func @main(
// CHECK-NEXT:    %[[X:.*]] = stablehlo.convert %arg0 : (tensor<3x2xui8>) -> tensor<3x2xui32>
// CHECK-NEXT:    %[[U:.*]] = stablehlo.convert %arg4 : (tensor<5x2xi8>) -> tensor<5x2xi32>
// CHECK-NEXT:    "stablehlo.scatter"(%[[X]], %arg1, %arg2, %arg3, %[[U]])

// KERNEL: tensor<3x2xui32> {{.*}} agrees
// KERNEL: tensor<3x2xi32> {{.*}} agrees
func.func @main(%x: tensor<3x2xui8>, %y: tensor<3x2xi32>, %i: tensor<5x1xi16>, %u: tensor<5x2xui32>, %v: tensor<5x2xi8>)
    -> (tensor<3x2xui32>, tensor<3x2xi32>) {
  %0:2 = "stablehlo.scatter"(%x, %y, %i, %u, %v) <{scatter_dimension_numbers = #stablehlo.scatter<
    update_window_dims = [1], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>}> ({
  ^bb0(%a: tensor<ui32>, %b: tensor<i32>, %c: tensor<ui32>, %d: tensor<i32>):
    %e = stablehlo.add %a, %c : tensor<ui32>
    %f = stablehlo.maximum %b, %d : tensor<i32>
    stablehlo.return %e, %f : tensor<ui32>, tensor<i32>
  }) : (tensor<3x2xui8>, tensor<3x2xi32>, tensor<5x1xi16>, tensor<5x2xui32>, tensor<5x2xi8>) -> (tensor<3x2xui32>, tensor<3x2xi32>)
  return %0#0, %0#1 : tensor<3x2xui32>, tensor<3x2xi32>
}
