// RUN: xshardy-opt %s -p sdy-reshard-to-collectives | filecheck %s

sdy.mesh @mesh = <["a"=2, "b"=2]>
sdy.mesh @other = <["d"=4]>
sdy.mesh @one = <[], device_ids=[1]>

// What one device has is copied to all, which is no collective. On all devices, a tensor is whole over any mesh.
// CHECK-LABEL: func.func @whole_tensors(
// CHECK-NEXT:    %0 = stablehlo.custom_call @f()
// CHECK-NEXT:    %1 = sdy.reshard %0 <@mesh, [{}]> : tensor<8xf32>
// CHECK-NEXT:    %2 = sdy.all_gather [{"a"}] %arg0 out_sharding=<@mesh, [{}]> : tensor<8xf32>
// CHECK-NEXT:    return %1, %2
func.func @whole_tensors(%y: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}]>}) -> (tensor<8xf32>, tensor<8xf32>) {
  %x = stablehlo.custom_call @f() {sdy.sharding = #sdy.sharding_per_value<[<@one, []>]>} : () -> tensor<8xf32>
  %0 = sdy.reshard %x <@mesh, [{}]> : tensor<8xf32>
  %1 = sdy.reshard %y <@other, [{}]> : tensor<8xf32>
  return %0, %1 : tensor<8xf32>, tensor<8xf32>
}
