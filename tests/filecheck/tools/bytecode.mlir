// RUN: xshardy-opt %s --emit-bytecode -o %t.mlirbc && xshardy-opt %t.mlirbc | filecheck %s
// RUN: xshardy-opt %s --emit-artifact 1.17.0 -o %t.artifact.mlirbc && xshardy-opt %t.artifact.mlirbc | filecheck %s
// RUN: xshardy-opt %t.mlirbc -p sdy-propagation-pipeline --mlir-print-debuginfo | filecheck %s --check-prefix LOCATED

// CHECK:      sdy.mesh @mesh = <["x"=2]>
// CHECK-NEXT: func.func @matmul(%arg0: tensor<4x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}, %arg1: tensor<8x8xf32>) -> tensor<4x8xf32> {
// CHECK-NEXT:   %0 = stablehlo.dot_general %arg0, %arg1, contracting_dims = [1] x [0] : (tensor<4x8xf32>, tensor<8x8xf32>) -> tensor<4x8xf32>
// CHECK-NEXT:   %1 = sdy.sharding_constraint %0 <@mesh, [{"x"}, {}]> : tensor<4x8xf32>
// CHECK-NEXT:   return %1 : tensor<4x8xf32>

// LOCATED: stablehlo.dot_general %arg0, %arg1, contracting_dims = [1] x [0] {sdy.sharding = {{.*}}} : {{.*}} loc(#loc[[PLACE:[0-9]*]])
// LOCATED: #loc[[PLACE]] = loc("model.py":3:4)

sdy.mesh @mesh = <["x"=2]>
func.func @matmul(%x: tensor<4x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}, %w: tensor<8x8xf32>) -> tensor<4x8xf32> {
  %0 = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0] : (tensor<4x8xf32>, tensor<8x8xf32>) -> tensor<4x8xf32> loc("model.py":3:4)
  %1 = sdy.sharding_constraint %0 <@mesh, [{"x"}, {}]> : tensor<4x8xf32>
  return %1 : tensor<4x8xf32>
}
