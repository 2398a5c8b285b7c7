// RUN: xshardy-opt %s -p sdy-remove-size-one-axes | filecheck %s

sdy.mesh @mesh = <["one"=1, "a"=2]>

// A closed dimension that loses its axes loses its priority, an open one keeps it.
// CHECK-LABEL: func.func @removed
// CHECK-SAME:    %arg0: tensor<8x8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}, {}, {?}p2]>}
func.func @removed(%x: tensor<8x8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}, {"one"}p1, {?}p2]>}) {
  return
}

// CHECK-LABEL: func.func @replicated
// CHECK-SAME:    #sdy.sharding<@mesh, [{}], replicated={"a"}>
func.func @replicated(%x: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}], replicated={"one", "a"}>}) {
  return
}

// CHECK-LABEL: func.func @unreduced
// CHECK-SAME:    #sdy.sharding<@mesh, [{}], unreduced={"a"}>
func.func @unreduced(%x: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}], unreduced={"one", "a"}>}) {
  return
}

// Also where the mesh is written out.
// CHECK-LABEL: func.func @inlined_mesh
// CHECK-SAME:    #sdy.sharding<mesh<["one"=1, "a"=4]>, [{"a"}]>
func.func @inlined_mesh(%x: tensor<8xf32> {sdy.sharding = #sdy.sharding<mesh<["one"=1, "a"=4]>, [{"one", "a"}]>}) {
  return
}
