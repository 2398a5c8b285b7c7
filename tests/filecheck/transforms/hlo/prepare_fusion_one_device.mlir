// RUN: xshardy-opt %s -p hlo-prepare-fusion --split-input-file | filecheck %s

// JAX has this mesh, and constrains the keys of some random numbers to it.
// CHECK-LABEL: func.func @without_axes(
// CHECK-NEXT:    %[[S:.*]] = stablehlo.sine %arg0
// CHECK-NEXT:    return %[[S]]
sdy.mesh @empty_mesh = <[]>
sdy.mesh @one = <["x"=1]>
func.func @without_axes(%x: tensor<8xf32>) -> tensor<8xf32> {
  %0 = sdy.sharding_constraint %x <@empty_mesh, [{}]> : tensor<8xf32>
  %1 = stablehlo.sine %0 : tensor<8xf32>
  return %1 : tensor<8xf32>
}

// CHECK-LABEL: func.func @of_size_1(
// CHECK-NEXT:    return %arg0
func.func @of_size_1(%x: tensor<8xf32>) -> tensor<8xf32> {
  %0 = sdy.sharding_constraint %x <@one, [{"x"}]> : tensor<8xf32>
  %1 = sdy.reshard %0 <@one, [{}]> : tensor<8xf32>
  return %1 : tensor<8xf32>
}

// -----

// A tensor on a device that is named stays there, and several devices remain to partition.
// CHECK-LABEL: func.func @kept(
// CHECK-NEXT:    %0 = sdy.sharding_constraint %arg0 <@third, []>
// CHECK-NEXT:    %1 = sdy.sharding_constraint %0 <@two, [{"x"}]>
// CHECK-NEXT:    return %1
sdy.mesh @third = <[], device_ids=[3]>
sdy.mesh @two = <["x"=2]>
func.func @kept(%x: tensor<8xf32>) -> tensor<8xf32> {
  %0 = sdy.sharding_constraint %x <@third, []> : tensor<8xf32>
  %1 = sdy.sharding_constraint %0 <@two, [{"x"}]> : tensor<8xf32>
  return %1 : tensor<8xf32>
}
