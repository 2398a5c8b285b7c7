// RUN: xshardy-opt %s -p xla-sdy-round-trip-dedup-meshes --split-input-file | filecheck %s

// The mesh with the most axes stays; one with axes of a user rather than one with axes of a compiler.
// CHECK:      sdy.mesh @fine = <["a"=2, "b"=2, "c"=2]>
// CHECK-NEXT: sdy.mesh @reversed = <["x"=8], device_ids=[7, 6, 5, 4, 3, 2, 1, 0]>
// CHECK-NEXT: sdy.mesh @named = <["x"=6]>
// CHECK-NEXT: sdy.mesh @one = <[], device_ids=[3]>
// CHECK-NEXT: sdy.mesh @empty = <[]>
// CHECK-NEXT: sdy.mesh @one_axis_of_one = <["x"=1]>
// CHECK-NOT:  sdy.mesh
sdy.mesh @coarse = <["x"=8]>
sdy.mesh @fine = <["a"=2, "b"=2, "c"=2]>
sdy.mesh @with_ones = <["i"=1, "x"=4, "j"=1, "y"=2]>
sdy.mesh @reversed = <["x"=8], device_ids=[7, 6, 5, 4, 3, 2, 1, 0]>
sdy.mesh @compiler = <["_axis_0"=2, "_axis_1"=3]>
sdy.mesh @named = <["x"=6]>
sdy.mesh @one = <[], device_ids=[3]>
sdy.mesh @same_one = <[], device_ids=[3]>
sdy.mesh @empty = <[]>
sdy.mesh @one_axis_of_one = <["x"=1]>

// CHECK-LABEL: func.func @axes
// CHECK-SAME:      %arg0: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@fine, [{"a", "b", "c"}, {?}p1]>},
// CHECK-SAME:      %arg1: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@fine, [{"b"}, {"c", "a"}p2]>},
// An axis of size one is dropped, and with it the priority of what is then empty.
// CHECK-SAME:      %arg2: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@fine, [{"a", "b"}, {}], replicated={"c"}>},
// CHECK-SAME:      %arg3: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@fine, [{}, {}], unreduced=max{"a"}>},
// CHECK-SAME:      %arg4: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@named, [{"x":(1)2}, {"x":(2)3}]>},
// CHECK-SAME:      %arg5: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@reversed, [{"x"}, {}]>},
// CHECK-SAME:      %arg6: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@one, []>},
// CHECK-SAME:      %arg7: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<mesh<["x"=8]>, [{"x"}, {}]>}
func.func @axes(
    %0: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@coarse, [{"x"}, {?}p1]>},
    %1: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@coarse, [{"x":(2)2}, {"x":(4)2, "x":(1)2}p2]>},
    %2: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@with_ones, [{"x"}, {"j"}p1], replicated={"y"}>},
    %3: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@with_ones, [{"i"}, {}], unreduced=max{"x":(1)2}>},
    %4: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@compiler, [{"_axis_0"}, {"_axis_1"}]>},
    %5: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@reversed, [{"x"}, {}]>},
    %6: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@same_one, []>},
    %7: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<mesh<["x"=8]>, [{"x"}, {}]>}) {
  return
}

// CHECK-LABEL: func.func @manual_axes
// CHECK-NEXT:    sdy.manual_computation(%arg0) in_shardings=[<@fine, [{"c", "a"}]>] out_shardings=[<@fine, [{"c"}]>] manual_axes={"c"} (%arg1: tensor<4xf32>) {
// CHECK-NEXT:      func.call @callee
func.func @manual_axes(%x: tensor<8xf32>) -> tensor<8xf32> {
  %0 = sdy.manual_computation(%x) in_shardings=[<@with_ones, [{"y", "x":(1)2}]>] out_shardings=[<@with_ones, [{"y"}]>] manual_axes={"y", "i"} (%a: tensor<4xf32>) {
    %1 = func.call @callee(%a) : (tensor<4xf32>) -> tensor<4xf32>
    sdy.return %1 : tensor<4xf32>
  } : (tensor<8xf32>) -> tensor<8xf32>
  return %0 : tensor<8xf32>
}
// CHECK-LABEL: func.func private @callee
// CHECK-SAME:      attributes {sdy.func_manual_axes = #sdy<manual_axes{"c"}>}
func.func private @callee(%x: tensor<4xf32>) -> tensor<4xf32> attributes {sdy.func_manual_axes = #sdy<manual_axes{"y", "i"}>} {
  return %x : tensor<4xf32>
}

// CHECK-LABEL: func.func @replica_groups
// CHECK:         replica_groups = #stablehlo.replica_group_mesh_axes<mesh = @fine, axes = [#stablehlo.axis_ref<name = "a">, #stablehlo.axis_ref<name = "b">]>
func.func @replica_groups(%x: tensor<8xf32>) -> tensor<8xf32> {
  %0 = "stablehlo.all_reduce"(%x) <{replica_groups = #stablehlo.replica_group_mesh_axes<mesh = @coarse, axes = [#stablehlo.axis_ref<name = "x", sub_axis_info = (1)4>]>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %1 = stablehlo.add %a, %b : tensor<f32>
    stablehlo.return %1 : tensor<f32>
  }) : (tensor<8xf32>) -> tensor<8xf32>
  return %0 : tensor<8xf32>
}

// -----

// A mesh stays if the other one has no axes for what is used of it.
// CHECK:      sdy.mesh @two_three = <["a"=2, "b"=3]>
// CHECK-NEXT: sdy.mesh @six = <["x"=6]>
// CHECK-NEXT: sdy.mesh @three_two = <["c"=3, "d"=2]>
// CHECK-NOT:  @unused
// CHECK:      func.func @no_axes(%arg0: tensor<6xf32> {sdy.sharding = #sdy.sharding<@six, [{"x":(3)2}]>}, %arg1: tensor<6xf32> {sdy.sharding = #sdy.sharding<@three_two, [{"c"}]>})
sdy.mesh @two_three = <["a"=2, "b"=3]>
sdy.mesh @six = <["x"=6]>
sdy.mesh @three_two = <["c"=3, "d"=2]>
sdy.mesh @unused = <["y"=6]>
func.func @no_axes(%x: tensor<6xf32> {sdy.sharding = #sdy.sharding<@six, [{"x":(3)2}]>}, %y: tensor<6xf32> {sdy.sharding = #sdy.sharding<@three_two, [{"c"}]>}) {
  return
}

// -----

// A part of an axis cannot be manual.
// CHECK:      sdy.mesh @coarse = <["x"=4, "y"=4, "z"=2]>
// CHECK-NEXT: sdy.mesh @other = <["a"=2, "b"=16]>
// CHECK:        sdy.manual_computation(%arg0) in_shardings=[<@other, [{"a"}]>] out_shardings=[<@other, [{"a"}]>] manual_axes={"a"}
sdy.mesh @coarse = <["x"=4, "y"=4, "z"=2]>
sdy.mesh @other = <["a"=2, "b"=16]>
func.func @part_of_manual_axis(%x: tensor<8xf32>) -> tensor<8xf32> {
  %0 = sdy.manual_computation(%x) in_shardings=[<@other, [{"a"}]>] out_shardings=[<@other, [{"a"}]>] manual_axes={"a"} (%a: tensor<4xf32>) {
    sdy.return %a : tensor<4xf32>
  } : (tensor<8xf32>) -> tensor<8xf32>
  return %0 : tensor<8xf32>
}
