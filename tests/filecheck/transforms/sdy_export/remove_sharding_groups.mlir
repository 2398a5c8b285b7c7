// RUN: xshardy-opt %s -p sdy-remove-sharding-groups | filecheck %s

sdy.mesh @mesh = <["a"=2]>

// CHECK-LABEL: @groups
// CHECK-NEXT: stablehlo.negate
// CHECK-NEXT: sdy.manual_computation
// CHECK-NEXT: sdy.return
// CHECK-NEXT: }
// CHECK-NEXT: return
func.func @groups(%x: tensor<8xf32>) -> tensor<8xf32> {
  sdy.sharding_group %x group_id=0 : tensor<8xf32>
  %0 = stablehlo.negate %x : tensor<8xf32>
  sdy.sharding_group %0 group_id=0 : tensor<8xf32>
  sdy.sharding_group %0 group_id=1 : tensor<8xf32>
  %1 = sdy.manual_computation(%0) in_shardings=[<@mesh, [{"a"}]>] out_shardings=[<@mesh, [{"a"}]>] manual_axes={"a"} (%y: tensor<4xf32>) {
    sdy.sharding_group %y group_id=2 : tensor<4xf32>
    sdy.return %y : tensor<4xf32>
  } : (tensor<8xf32>) -> tensor<8xf32>
  return %1 : tensor<8xf32>
}
