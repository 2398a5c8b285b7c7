// RUN: xshardy-opt %s -p sdy-insert-explicit-reshards | filecheck %s

sdy.mesh @mesh = <["a"=2, "b"=2, "c"=2]>
sdy.mesh @other = <["d"=4]>

// Conflicts of what is not unreduced are left to the partitioner, also where the module has unreduced tensors.
// CHECK-LABEL: func.func @conflict(
// CHECK-NEXT:    %0 = stablehlo.add %arg0, %arg1 : tensor<8xf32>
// CHECK-NEXT:    return %0
func.func @conflict(%x: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}]>}, %y: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"b"}]>}, %z: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}], unreduced={"a"}>}) -> tensor<8xf32> {
  %0 = stablehlo.add %x, %y : tensor<8xf32>
  return %0 : tensor<8xf32>
}

// CHECK-LABEL: func.func @with_more_axes_and_unreduced(
// CHECK-NEXT:    %0 = sdy.reshard %arg0 <@mesh, [{"a", "b"}]> : tensor<8xf32>
// CHECK-NEXT:    %1 = sdy.replicated_to_unreduced {"c"} %0 out_sharding=<@mesh, [{"a", "b"}], unreduced={"c"}> : tensor<8xf32>
// CHECK-NEXT:    return %1
func.func @with_more_axes_and_unreduced(%x: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}]>}) -> (tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a", "b"}], unreduced={"c"}>}) {
  %0 = sdy.reshard %x <@mesh, [{"a", "b"}], unreduced={"c"}> : tensor<8xf32>
  return %0 : tensor<8xf32>
}

// CHECK-LABEL: func.func @with_other_major_axes_and_unreduced(
// CHECK-NEXT:    %0 = sdy.reshard %arg0 <@mesh, [{"a"}]> : tensor<8xf32>
// CHECK-NEXT:    %1 = sdy.replicated_to_unreduced {"c"} %0 out_sharding=<@mesh, [{"a"}], unreduced={"c"}> : tensor<8xf32>
// CHECK-NEXT:    return %1
func.func @with_other_major_axes_and_unreduced(%x: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"b", "a"}]>}) -> (tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}], unreduced={"c"}>}) {
  %0 = sdy.reshard %x <@mesh, [{"a"}], unreduced={"c"}> : tensor<8xf32>
  return %0 : tensor<8xf32>
}

// A tensor that is not unreduced may move to another mesh.
// CHECK-LABEL: func.func @to_another_mesh(
// CHECK-NEXT:    %0 = sdy.reshard %arg0 <@other, [{"d"}]> : tensor<8xf32>
// CHECK-NEXT:    return %0
func.func @to_another_mesh(%x: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}]>}) -> (tensor<8xf32> {sdy.sharding = #sdy.sharding<@other, [{"d"}]>}) {
  %0 = sdy.reshard %x <@other, [{"d"}]> : tensor<8xf32>
  return %0 : tensor<8xf32>
}
