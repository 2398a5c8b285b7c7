// RUN: xshardy-opt %s -p 'sdy-basic-propagate{keep-sharding-rules=true}' | filecheck %s

sdy.mesh @mesh = <["a"=2]>

// An update at a constant index needs no replication; one at another index does, also if it has the same types.
// CHECK-LABEL: func.func @main(
// CHECK:         stablehlo.dynamic_update_slice %arg0, %arg1, %arg2 {{.*}} {i=8, j=4} need_replication={j}>}
// CHECK-NEXT:    stablehlo.dynamic_update_slice %{{.*}}, %arg1, %{{.*}} {{.*}} {i=8, j=4}>}
func.func @main(%x: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}]>}, %y: tensor<4xf32>, %i: tensor<i32>) -> tensor<8xf32> {
  %c = sdy.constant dense<0> : tensor<i32>
  %0 = stablehlo.dynamic_update_slice %x, %y, %i : (tensor<8xf32>, tensor<4xf32>, tensor<i32>) -> tensor<8xf32>
  %1 = stablehlo.dynamic_update_slice %0, %y, %c : (tensor<8xf32>, tensor<4xf32>, tensor<i32>) -> tensor<8xf32>
  return %1 : tensor<8xf32>
}
