// RUN: xshardy-opt %s -p sdy-import-pipeline | filecheck %s

// CHECK:      sdy.mesh @mesh = <["a"=2, "b"=2, "one"=1]>
// CHECK-NEXT: sdy.mesh @mesh_0 = <["x"=4]>
sdy.mesh @mesh = <["a"=2, "b"=2, "one"=1]>

// A mesh is lifted, and an axis of size one goes, before manual axes are cleaned up; that comes before the edges.
// CHECK-LABEL: func.func @main(%arg0: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh_0, [{"x"}]>}
// CHECK-SAME:    %arg1: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}]>}
// CHECK-NEXT:    %0 = call @sharded(%arg0) {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"b"}]>]>}
// CHECK-NEXT:    %1 = call @constant_0() : () -> tensor<8xf32>
// CHECK-NEXT:    %2 = call @constant_1() : () -> tensor<8xf32>
// CHECK-NEXT:    %3 = sdy.manual_computation(%1) in_shardings=[<@mesh, [{"a"}], replicated={"b"}>] out_shardings=[<@mesh, [{"a"}], replicated={"b"}>] manual_axes={"a", "b"} (%arg2: tensor<4xf32>) {
// CHECK-NEXT:      %7 = sdy.data_flow_edge %arg2 sharding=<@mesh, [{}]>
// CHECK:         %4 = sdy.data_flow_edge %3 sharding=<@mesh, [{"a"}], replicated={"b"}>
// Constraints and groups are left for later.
// CHECK-NEXT:    %5 = stablehlo.add %4, %2
// CHECK-NEXT:    %6 = sdy.sharding_constraint %5
// CHECK-NEXT:    sdy.sharding_group %6 group_id=7
func.func @main(%x: tensor<8xf32> {sdy.sharding = #sdy.sharding<mesh<["x"=4]>, [{"x"}]>},
                %y: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"one", "a"}]>}) -> tensor<8xf32> {
  %0 = func.call @sharded(%x) : (tensor<8xf32>) -> tensor<8xf32>
  %1 = func.call @constant() : () -> tensor<8xf32>
  %2 = sdy.manual_computation(%1) in_shardings=[<@mesh, [{"a"}]>] out_shardings=[<@mesh, [{"a"}]>] manual_axes={"b", "a"} (%z: tensor<4xf32>) {
    sdy.return %z : tensor<4xf32>
  } : (tensor<8xf32>) -> tensor<8xf32>
  %3 = stablehlo.add %2, %1 : tensor<8xf32>
  %4 = sdy.sharding_constraint %3 <@mesh, [{"a"}]> : tensor<8xf32>
  sdy.sharding_group %4 group_id=7 : tensor<8xf32>
  return %0 : tensor<8xf32>
}
// CHECK-LABEL: func.func private @sharded
func.func private @sharded(%x: tensor<8xf32>) -> (tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"b"}]>}) {
  return %x : tensor<8xf32>
}
// The original has no call left; a function that never had one goes first, and is not read.
// CHECK-NOT: @constant()
// CHECK-NOT: @dead
// CHECK:     func.func private @constant_0()
func.func private @constant() -> tensor<8xf32> {
  %0 = stablehlo.constant dense<1.0> : tensor<8xf32>
  return %0 : tensor<8xf32>
}
func.func private @dead(%x: tensor<8xf32> {sdy.sharding = #sdy.sharding<mesh<["never"=4]>, [{}]>}) -> tensor<8xf32> {
  %0 = func.call @dead(%x) : (tensor<8xf32>) -> tensor<8xf32>
  return %0 : tensor<8xf32>
}
