// RUN: xshardy-opt %s -p sdy-remove-size-one-axes | filecheck %s

// Where all axes have size 1, shardings lose them all.

sdy.mesh @mesh = <["a"=1]>

// CHECK-LABEL: func.func @only_axes_of_size_one(
// CHECK-SAME:    %arg0: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}]>}
func.func @only_axes_of_size_one(%x: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}]>}) -> tensor<8xf32> {
  return %x : tensor<8xf32>
}
