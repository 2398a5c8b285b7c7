// RUN: xshardy-opt %s -p sdy-lift-inlined-meshes | filecheck %s

// CHECK:      sdy.mesh @mesh = <["x"=2]> {stablehlo.mesh =
// CHECK-NOT:  @dup
// CHECK:      sdy.mesh @mesh_0 = <["a"=1, "b"=2]>
// CHECK-NEXT: sdy.mesh @maximal_mesh_5 = <[], device_ids=[5]>
// CHECK-NEXT: sdy.mesh @empty_mesh = <[]>
sdy.mesh @mesh = <["x"=2]>
sdy.mesh @dup = <["x"=2]>

// CHECK-LABEL: func.func @lifted
// CHECK-SAME:    %arg0: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}
// CHECK-SAME:    %arg1: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh_0, [{"b"}]>}
// CHECK-SAME:    %arg2: tensor<8xf32> {sdy.sharding = #sdy.sharding<@maximal_mesh_5, []>}
// CHECK-SAME:    %arg3: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}
// CHECK:         sdy.sharding = #sdy.sharding_per_value<[<@empty_mesh, [{}]>]>
func.func @lifted(
    %x: tensor<8xf32> {sdy.sharding = #sdy.sharding<@dup, [{"x"}]>},
    %y: tensor<8xf32> {sdy.sharding = #sdy.sharding<mesh<["a"=1, "b"=2]>, [{"b"}]>},
    %z: tensor<8xf32> {sdy.sharding = #sdy.sharding<mesh<[], device_ids=[5]>, []>},
    %w: tensor<8xf32> {sdy.sharding = #sdy.sharding<mesh<["x"=2]>, [{"x"}]>}) -> tensor<8xf32> {
  %0 = stablehlo.negate %x {sdy.sharding = #sdy.sharding_per_value<[<mesh<[]>, [{}]>]>} : tensor<8xf32>
  return %0 : tensor<8xf32>
}
