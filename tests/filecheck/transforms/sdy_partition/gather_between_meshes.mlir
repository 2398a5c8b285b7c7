// RUN: xshardy-opt %s -p sdy-gather-between-meshes | filecheck %s

sdy.mesh @mesh = <["x"=2, "y"=2]>
sdy.mesh @same_axes = <["x"=2, "y"=2], device_ids=[3, 2, 1, 0]>
sdy.mesh @other = <["all"=4]>
sdy.mesh @second = <[], device_ids=[2]>

// CHECK-LABEL: func.func @other_axes
// CHECK-NEXT:    %[[W:.*]] = sdy.reshard %arg0 <@mesh, [{}]> : tensor<8xf32>
// CHECK-NEXT:    %[[R:.*]] = sdy.reshard %[[W]] <@other, [{"all"}]> : tensor<8xf32>
// CHECK-NEXT:    return %[[R]]
func.func @other_axes(%a: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}) -> tensor<8xf32> {
  %0 = sdy.reshard %a <@other, [{"all"}]> : tensor<8xf32>
  return %0 : tensor<8xf32>
}

// Collectives move parts, also to a mesh with another order of devices; a whole tensor is on each device anyway.
// CHECK-LABEL: func.func @unchanged
// CHECK-NEXT:    sdy.reshard %arg0 <@mesh, [{"y"}]>
// CHECK-NEXT:    sdy.reshard %arg0 <@same_axes, [{"y"}]>
// CHECK-NEXT:    sdy.reshard %arg0 <@other, [{}]>
// CHECK-NEXT:    sdy.reshard %arg1 <@other, [{"all"}]>
// CHECK-NEXT:    sdy.reshard %arg2 <@other, [{"all"}]>
// CHECK-NEXT:    return
func.func @unchanged(%a: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}, %b: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}]>}, %c: tensor<8xf32>) {
  %0 = sdy.reshard %a <@mesh, [{"y"}]> : tensor<8xf32>
  %1 = sdy.reshard %a <@same_axes, [{"y"}]> : tensor<8xf32>
  %2 = sdy.reshard %a <@other, [{}]> : tensor<8xf32>
  %3 = sdy.reshard %b <@other, [{"all"}]> : tensor<8xf32>
  %4 = sdy.reshard %c <@other, [{"all"}]> : tensor<8xf32>
  return
}

// A single device reads the whole tensor.
// CHECK-LABEL: func.func @to_a_device
// CHECK-NEXT:    %[[W:.*]] = sdy.reshard %arg0 <@mesh, [{}]> : tensor<8xf32>
// CHECK-NEXT:    sdy.reshard %[[W]] <@second, []> : tensor<8xf32>
// CHECK-NEXT:    sdy.reshard %arg1 <@second, []> : tensor<8xf32>
func.func @to_a_device(%a: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}, %b: tensor<8xf32>) {
  %0 = sdy.reshard %a <@second, []> : tensor<8xf32>
  %1 = sdy.reshard %b <@second, []> : tensor<8xf32>
  return
}
