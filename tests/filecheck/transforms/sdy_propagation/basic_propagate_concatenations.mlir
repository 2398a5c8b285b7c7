// RUN: xshardy-opt %s -p 'sdy-basic-propagate{keep-sharding-rules=true}' | filecheck %s

sdy.mesh @mesh = <["a"=2]>

// Slices of one tensor are joined without replication; other tensors are not, also if they have the same types.
// CHECK-LABEL: func.func @concatenations(
// CHECK:         stablehlo.concatenate %arg1, %arg2, dim = 0 {{.*}} need_replication={i}>}
// CHECK-NEXT:    stablehlo.concatenate %0, %1, dim = 0 {{.*}} permutation={i}>}
func.func @concatenations(%x: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}]>}, %y: tensor<4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}]>}, %z: tensor<4xf32>) -> (tensor<8xf32>, tensor<8xf32>) {
  %0 = stablehlo.slice %x [0:4] : (tensor<8xf32>) -> tensor<4xf32>
  %1 = stablehlo.slice %x [4:8] : (tensor<8xf32>) -> tensor<4xf32>
  %2 = stablehlo.concatenate %y, %z, dim = 0 : (tensor<4xf32>, tensor<4xf32>) -> tensor<8xf32>
  %3 = stablehlo.concatenate %0, %1, dim = 0 : (tensor<4xf32>, tensor<4xf32>) -> tensor<8xf32>
  return %2, %3 : tensor<8xf32>, tensor<8xf32>
}
