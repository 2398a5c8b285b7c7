// RUN: xshardy-opt %s -p sdy-inline-meshes | filecheck %s

// CHECK-NOT: sdy.mesh @
sdy.mesh @mesh = <["a"=2, "b"=2]>
sdy.mesh @one = <[], device_ids=[3]>
sdy.mesh @empty = <[]>

// CHECK-LABEL: func.func @every_place
// CHECK-SAME:    %arg0: tensor<8x4xf32> {sdy.sharding = #sdy.sharding<mesh<["a"=2, "b"=2]>, [{"a"}, {?}], replicated={"b"}>}
// CHECK-SAME:    -> (tensor<8x4xf32> {sdy.sharding = #sdy.sharding<mesh<[], device_ids=[3]>, []>}
// CHECK:         stablehlo.negate %arg0 {sdy.sharding = #sdy.sharding_per_value<[<mesh<[]>, [{}, {}]>]>}
// CHECK:         sdy.sharding_constraint %0 <mesh<["a"=2, "b"=2]>, [{"b"}, {}]>
// A mesh that is written out already stays.
// CHECK:         sdy.reshard %1 <mesh<["c"=4]>, [{"c"}, {}]>
func.func @every_place(%x: tensor<8x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}, {?}], replicated={"b"}>})
    -> (tensor<8x4xf32> {sdy.sharding = #sdy.sharding<@one, []>}) {
  %0 = stablehlo.negate %x {sdy.sharding = #sdy.sharding_per_value<[<@empty, [{}, {}]>]>} : tensor<8x4xf32>
  %1 = sdy.sharding_constraint %0 <@mesh, [{"b"}, {}]> : tensor<8x4xf32>
  %2 = sdy.reshard %1 <mesh<["c"=4]>, [{"c"}, {}]> : tensor<8x4xf32>
  return %2 : tensor<8x4xf32>
}
