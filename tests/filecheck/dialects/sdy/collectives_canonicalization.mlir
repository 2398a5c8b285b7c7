// RUN: xshardy-opt %s -p canonicalize | filecheck %s

sdy.mesh @mesh = <["a"=2, "b"=2, "c"=4, "d"=2]>

// Collectives that communicate along no axis are nothing.
// CHECK-LABEL: @idle(
// CHECK-NEXT: return %arg0 : tensor<16x8xf32>
func.func @idle(%arg0: tensor<16x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}, {}]>}) -> tensor<16x8xf32> {
  %0 = sdy.all_gather [{}, {}] %arg0 out_sharding=<@mesh, [{"a"}, {}]> : tensor<16x8xf32>
  %1 = sdy.all_slice [{}, {}] %0 out_sharding=<@mesh, [{"a"}, {}]> : tensor<16x8xf32>
  %2 = sdy.all_reduce {} %1 out_sharding=<@mesh, [{"a"}, {}]> : tensor<16x8xf32>
  %3 = sdy.reduce_scatter [{}, {}] %2 out_sharding=<@mesh, [{"a"}, {}]> : tensor<16x8xf32>
  %4 = sdy.collective_permute %3 out_sharding=<@mesh, [{"a", ?}, {?}]> : tensor<16x8xf32>
  return %4 : tensor<16x8xf32>
}

// A permute that changes something stays.
// CHECK-LABEL: @permute(
// CHECK-NEXT: %{{.*}} = sdy.collective_permute %arg0 out_sharding=<@mesh, [{"b"}, {}]> : tensor<16x8xf32>
// CHECK-NEXT: return %{{.*}} : tensor<16x8xf32>
func.func @permute(%arg0: tensor<16x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}, {}]>}) -> tensor<16x8xf32> {
  %0 = sdy.collective_permute %arg0 out_sharding=<@mesh, [{"b"}, {}]> : tensor<16x8xf32>
  return %0 : tensor<16x8xf32>
}

// What was gathered is sliced again.
// CHECK-LABEL: @slice_of_gather(
// CHECK-NEXT: %{{.*}} = sdy.all_gather [{"b"}, {}] %arg0 out_sharding=<@mesh, [{"a"}, {}]> : tensor<16x8xf32>
// CHECK-NEXT: return %arg0 : tensor<16x8xf32>
func.func @slice_of_gather(%arg0: tensor<16x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a", "b"}, {}]>}) -> tensor<16x8xf32> {
  %0 = sdy.all_gather [{"b"}, {}] %arg0 out_sharding=<@mesh, [{"a"}, {}]> : tensor<16x8xf32>
  %1 = sdy.all_slice [{"b"}, {}] %0 out_sharding=<@mesh, [{"a", "b"}, {}]> : tensor<16x8xf32>
  return %1 : tensor<16x8xf32>
}

// It is sliced along another axis.
// CHECK-LABEL: @slice_of_gather_along_another_axis(
// CHECK-NEXT: %{{.*}} = sdy.all_gather [{"b"}, {}] %arg0 out_sharding=<@mesh, [{"a"}, {}]> : tensor<16x8xf32>
// CHECK-NEXT: %{{.*}} = sdy.all_slice [{"d"}, {}] %{{.*}} out_sharding=<@mesh, [{"a", "d"}, {}]> : tensor<16x8xf32>
// CHECK-NEXT: return %{{.*}} : tensor<16x8xf32>
func.func @slice_of_gather_along_another_axis(%arg0: tensor<16x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a", "b"}, {}]>}) -> tensor<16x8xf32> {
  %0 = sdy.all_gather [{"b"}, {}] %arg0 out_sharding=<@mesh, [{"a"}, {}]> : tensor<16x8xf32>
  %1 = sdy.all_slice [{"d"}, {}] %0 out_sharding=<@mesh, [{"a", "d"}, {}]> : tensor<16x8xf32>
  return %1 : tensor<16x8xf32>
}

// The gathered tensor has another reader, and remains.
// CHECK-LABEL: @slice_of_gather_with_two_readers(
// CHECK-NEXT: %{{.*}} = sdy.all_gather [{"b"}, {}] %arg0 out_sharding=<@mesh, [{"a"}, {}]> : tensor<16x8xf32>
// CHECK-NEXT: return %{{.*}}, %arg0 : tensor<16x8xf32>, tensor<16x8xf32>
func.func @slice_of_gather_with_two_readers(%arg0: tensor<16x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a", "b"}, {}]>}) -> (tensor<16x8xf32>, tensor<16x8xf32>) {
  %0 = sdy.all_gather [{"b"}, {}] %arg0 out_sharding=<@mesh, [{"a"}, {}]> : tensor<16x8xf32>
  %1 = sdy.all_slice [{"b"}, {}] %0 out_sharding=<@mesh, [{"a", "b"}, {}]> : tensor<16x8xf32>
  return %0, %1 : tensor<16x8xf32>, tensor<16x8xf32>
}

// A reduction and a slice along the same axes are a reduce_scatter.
// CHECK-LABEL: @reduce_scatter(
// CHECK-NEXT: %{{.*}} = sdy.reduce_scatter [{}, {"b"}] %arg0 out_sharding=<@mesh, [{"a"}, {"b"}]> : tensor<16x8xf32>
// CHECK-NEXT: return %{{.*}} : tensor<16x8xf32>
func.func @reduce_scatter(%arg0: tensor<16x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}, {}], unreduced={"b"}>}) -> tensor<16x8xf32> {
  %0 = sdy.all_reduce {"b"} %arg0 out_sharding=<@mesh, [{"a"}, {}]> : tensor<16x8xf32>
  %1 = sdy.all_slice [{}, {"b"}] %0 out_sharding=<@mesh, [{"a"}, {"b"}]> : tensor<16x8xf32>
  return %1 : tensor<16x8xf32>
}

// What is sliced beyond the reduced axes is sliced after it.
// CHECK-LABEL: @reduce_scatter_and_slice(
// CHECK-NEXT: %{{.*}} = sdy.reduce_scatter [{}, {"b"}] %arg0 out_sharding=<@mesh, [{"a"}, {"b"}]> : tensor<16x8xf32>
// CHECK-NEXT: %{{.*}} = sdy.all_slice [{"d"}, {"c"}] %{{.*}} out_sharding=<@mesh, [{"a", "d"}, {"b", "c"}]> : tensor<16x8xf32>
// CHECK-NEXT: return %{{.*}} : tensor<16x8xf32>
func.func @reduce_scatter_and_slice(%arg0: tensor<16x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}, {}], unreduced={"b"}>}) -> tensor<16x8xf32> {
  %0 = sdy.all_reduce {"b"} %arg0 out_sharding=<@mesh, [{"a"}, {}]> : tensor<16x8xf32>
  %1 = sdy.all_slice [{"d"}, {"b", "c"}] %0 out_sharding=<@mesh, [{"a", "d"}, {"b", "c"}]> : tensor<16x8xf32>
  return %1 : tensor<16x8xf32>
}

// The kind of reduction is kept.
// CHECK-LABEL: @reduce_scatter_of_maximum(
// CHECK-NEXT: %{{.*}} = sdy.reduce_scatter max [{}, {"b"}] %arg0 out_sharding=<@mesh, [{"a"}, {"b"}]> : tensor<16x8xf32>
// CHECK-NEXT: return %{{.*}} : tensor<16x8xf32>
func.func @reduce_scatter_of_maximum(%arg0: tensor<16x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}, {}], unreduced=max{"b"}>}) -> tensor<16x8xf32> {
  %0 = sdy.all_reduce max {"b"} %arg0 out_sharding=<@mesh, [{"a"}, {}]> : tensor<16x8xf32>
  %1 = sdy.all_slice [{}, {"b"}] %0 out_sharding=<@mesh, [{"a"}, {"b"}]> : tensor<16x8xf32>
  return %1 : tensor<16x8xf32>
}

// A reduced axis that is not sliced first keeps them apart.
// CHECK-LABEL: @reduced_axis_is_not_first(
// CHECK-NEXT: %{{.*}} = sdy.all_reduce {"b"} %arg0 out_sharding=<@mesh, [{"a"}, {}]> : tensor<16x8xf32>
// CHECK-NEXT: %{{.*}} = sdy.all_slice [{}, {"c", "b"}] %{{.*}} out_sharding=<@mesh, [{"a"}, {"c", "b"}]> : tensor<16x8xf32>
// CHECK-NEXT: return %{{.*}} : tensor<16x8xf32>
func.func @reduced_axis_is_not_first(%arg0: tensor<16x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}, {}], unreduced={"b"}>}) -> tensor<16x8xf32> {
  %0 = sdy.all_reduce {"b"} %arg0 out_sharding=<@mesh, [{"a"}, {}]> : tensor<16x8xf32>
  %1 = sdy.all_slice [{}, {"c", "b"}] %0 out_sharding=<@mesh, [{"a"}, {"c", "b"}]> : tensor<16x8xf32>
  return %1 : tensor<16x8xf32>
}

// So does another reader of the reduction.
// CHECK-LABEL: @reduction_has_another_reader(
// CHECK-NEXT: %{{.*}} = sdy.all_reduce {"b"} %arg0 out_sharding=<@mesh, [{"a"}, {}]> : tensor<16x8xf32>
// CHECK-NEXT: %{{.*}} = sdy.all_slice [{}, {"b"}] %{{.*}} out_sharding=<@mesh, [{"a"}, {"b"}]> : tensor<16x8xf32>
// CHECK-NEXT: return %{{.*}}, %{{.*}} : tensor<16x8xf32>, tensor<16x8xf32>
func.func @reduction_has_another_reader(%arg0: tensor<16x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}, {}], unreduced={"b"}>}) -> (tensor<16x8xf32>, tensor<16x8xf32>) {
  %0 = sdy.all_reduce {"b"} %arg0 out_sharding=<@mesh, [{"a"}, {}]> : tensor<16x8xf32>
  %1 = sdy.all_slice [{}, {"b"}] %0 out_sharding=<@mesh, [{"a"}, {"b"}]> : tensor<16x8xf32>
  return %0, %1 : tensor<16x8xf32>, tensor<16x8xf32>
}

// Readers that slice alike share the reduce_scatter.
// CHECK-LABEL: @readers_slice_alike(
// CHECK-NEXT: %{{.*}} = sdy.reduce_scatter [{}, {"b"}] %arg0 out_sharding=<@mesh, [{"a"}, {"b"}]> : tensor<16x8xf32>
// CHECK-NEXT: return %{{.*}}, %{{.*}} : tensor<16x8xf32>, tensor<16x8xf32>
func.func @readers_slice_alike(%arg0: tensor<16x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}, {}], unreduced={"b"}>}) -> (tensor<16x8xf32>, tensor<16x8xf32>) {
  %0 = sdy.all_reduce {"b"} %arg0 out_sharding=<@mesh, [{"a"}, {}]> : tensor<16x8xf32>
  %1 = sdy.all_slice [{}, {"b"}] %0 out_sharding=<@mesh, [{"a"}, {"b"}]> : tensor<16x8xf32>
  %2 = sdy.all_slice [{}, {"b"}] %0 out_sharding=<@mesh, [{"a"}, {"b"}]> : tensor<16x8xf32>
  return %1, %2 : tensor<16x8xf32>, tensor<16x8xf32>
}

// Reducing what was replicated before gives it back.
// CHECK-LABEL: @reduce_of_replicated(
// CHECK-NEXT: %{{.*}} = sdy.replicated_to_unreduced {"b"} %arg0 out_sharding=<@mesh, [{"a"}, {}], unreduced={"b"}> : tensor<16x8xf32>
// CHECK-NEXT: return %arg0 : tensor<16x8xf32>
func.func @reduce_of_replicated(%arg0: tensor<16x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}, {}]>}) -> tensor<16x8xf32> {
  %0 = sdy.replicated_to_unreduced {"b"} %arg0 out_sharding=<@mesh, [{"a"}, {}], unreduced={"b"}> : tensor<16x8xf32>
  %1 = sdy.all_reduce {"b"} %0 out_sharding=<@mesh, [{"a"}, {}]> : tensor<16x8xf32>
  return %1 : tensor<16x8xf32>
}

// Reducing along some of those axes does not.
// CHECK-LABEL: @reduce_of_replicated_along_some_axes(
// CHECK-NEXT: %{{.*}} = sdy.replicated_to_unreduced {"b", "d"} %arg0 out_sharding=<@mesh, [{"a"}, {}], unreduced={"b", "d"}> : tensor<16x8xf32>
// CHECK-NEXT: %{{.*}} = sdy.all_reduce {"b"} %{{.*}} out_sharding=<@mesh, [{"a"}, {}], unreduced={"d"}> : tensor<16x8xf32>
// CHECK-NEXT: return %{{.*}} : tensor<16x8xf32>
func.func @reduce_of_replicated_along_some_axes(%arg0: tensor<16x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}, {}]>}) -> tensor<16x8xf32> {
  %0 = sdy.replicated_to_unreduced {"b", "d"} %arg0 out_sharding=<@mesh, [{"a"}, {}], unreduced={"b", "d"}> : tensor<16x8xf32>
  %1 = sdy.all_reduce {"b"} %0 out_sharding=<@mesh, [{"a"}, {}], unreduced={"d"}> : tensor<16x8xf32>
  return %1 : tensor<16x8xf32>
}

// Reducing what was sharded before gathers it.
// CHECK-LABEL: @reduce_of_sharded(
// CHECK-NEXT: %{{.*}} = sdy.sharded_to_unreduced [{"d"}, {"b"}] %arg0 out_sharding=<@mesh, [{}, {}], unreduced={"b", "d"}> : tensor<16x8xf32>
// CHECK-NEXT: %{{.*}} = sdy.all_gather [{"d"}, {"b"}] %arg0 out_sharding=<@mesh, [{}, {}]> : tensor<16x8xf32>
// CHECK-NEXT: return %{{.*}} : tensor<16x8xf32>
func.func @reduce_of_sharded(%arg0: tensor<16x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"d"}, {"b"}]>}) -> tensor<16x8xf32> {
  %0 = sdy.sharded_to_unreduced [{"d"}, {"b"}] %arg0 out_sharding=<@mesh, [{}, {}], unreduced={"b", "d"}> : tensor<16x8xf32>
  %1 = sdy.all_reduce {"b", "d"} %0 out_sharding=<@mesh, [{}, {}]> : tensor<16x8xf32>
  return %1 : tensor<16x8xf32>
}

// Reducing along some of those axes does not.
// CHECK-LABEL: @reduce_of_sharded_along_some_axes(
// CHECK-NEXT: %{{.*}} = sdy.sharded_to_unreduced [{"d"}, {"b"}] %arg0 out_sharding=<@mesh, [{}, {}], unreduced={"b", "d"}> : tensor<16x8xf32>
// CHECK-NEXT: %{{.*}} = sdy.all_reduce {"d"} %{{.*}} out_sharding=<@mesh, [{}, {}], unreduced={"b"}> : tensor<16x8xf32>
// CHECK-NEXT: return %{{.*}} : tensor<16x8xf32>
func.func @reduce_of_sharded_along_some_axes(%arg0: tensor<16x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"d"}, {"b"}]>}) -> tensor<16x8xf32> {
  %0 = sdy.sharded_to_unreduced [{"d"}, {"b"}] %arg0 out_sharding=<@mesh, [{}, {}], unreduced={"b", "d"}> : tensor<16x8xf32>
  %1 = sdy.all_reduce {"d"} %0 out_sharding=<@mesh, [{}, {}], unreduced={"b"}> : tensor<16x8xf32>
  return %1 : tensor<16x8xf32>
}

// All-to-alls between other dimensions are one.
// CHECK-LABEL: @all_to_alls(
// CHECK-NEXT: %{{.*}} = sdy.all_to_all [{"a"}: 0->3, {"b"}: 1->2] %arg0 out_sharding=<@mesh, [{}, {}, {"b"}, {"a"}]> : tensor<8x8x8x8xf32>
// CHECK-NEXT: return %{{.*}} : tensor<8x8x8x8xf32>
func.func @all_to_alls(%arg0: tensor<8x8x8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}, {"b"}, {}, {}]>}) -> tensor<8x8x8x8xf32> {
  %0 = sdy.all_to_all [{"b"}: 1->2] %arg0 out_sharding=<@mesh, [{"a"}, {}, {"b"}, {}]> : tensor<8x8x8x8xf32>
  %1 = sdy.all_to_all [{"a"}: 0->3] %0 out_sharding=<@mesh, [{}, {}, {"b"}, {"a"}]> : tensor<8x8x8x8xf32>
  return %1 : tensor<8x8x8x8xf32>
}

// Those that share a dimension stay two.
// CHECK-LABEL: @all_to_alls_that_share_a_dimension(
// CHECK-NEXT: %{{.*}} = sdy.all_to_all [{"b"}: 1->2] %arg0 out_sharding=<@mesh, [{"a"}, {}, {"b"}, {}]> : tensor<8x8x8x8xf32>
// CHECK-NEXT: %{{.*}} = sdy.all_to_all [{"a"}: 0->2] %{{.*}} out_sharding=<@mesh, [{}, {}, {"b", "a"}, {}]> : tensor<8x8x8x8xf32>
// CHECK-NEXT: return %{{.*}} : tensor<8x8x8x8xf32>
func.func @all_to_alls_that_share_a_dimension(%arg0: tensor<8x8x8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}, {"b"}, {}, {}]>}) -> tensor<8x8x8x8xf32> {
  %0 = sdy.all_to_all [{"b"}: 1->2] %arg0 out_sharding=<@mesh, [{"a"}, {}, {"b"}, {}]> : tensor<8x8x8x8xf32>
  %1 = sdy.all_to_all [{"a"}: 0->2] %0 out_sharding=<@mesh, [{}, {}, {"b", "a"}, {}]> : tensor<8x8x8x8xf32>
  return %1 : tensor<8x8x8x8xf32>
}

// So do those with another reader in between.
// CHECK-LABEL: @all_to_alls_with_another_reader(
// CHECK-NEXT: %{{.*}} = sdy.all_to_all [{"b"}: 1->2] %arg0 out_sharding=<@mesh, [{"a"}, {}, {"b"}, {}]> : tensor<8x8x8x8xf32>
// CHECK-NEXT: %{{.*}} = sdy.all_to_all [{"a"}: 0->3] %{{.*}} out_sharding=<@mesh, [{}, {}, {"b"}, {"a"}]> : tensor<8x8x8x8xf32>
// CHECK-NEXT: return %{{.*}}, %{{.*}} : tensor<8x8x8x8xf32>, tensor<8x8x8x8xf32>
func.func @all_to_alls_with_another_reader(%arg0: tensor<8x8x8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}, {"b"}, {}, {}]>}) -> (tensor<8x8x8x8xf32>, tensor<8x8x8x8xf32>) {
  %0 = sdy.all_to_all [{"b"}: 1->2] %arg0 out_sharding=<@mesh, [{"a"}, {}, {"b"}, {}]> : tensor<8x8x8x8xf32>
  %1 = sdy.all_to_all [{"a"}: 0->3] %0 out_sharding=<@mesh, [{}, {}, {"b"}, {"a"}]> : tensor<8x8x8x8xf32>
  return %0, %1 : tensor<8x8x8x8xf32>, tensor<8x8x8x8xf32>
}

// An all_to_all that nobody reads goes; collectives are kept otherwise.
// CHECK-LABEL: @unread(
// CHECK-NEXT: %{{.*}} = sdy.all_gather [{"a"}, {}] %arg0 out_sharding=<@mesh, [{}, {}]> : tensor<16x8xf32>
// CHECK-NEXT: return %arg0 : tensor<16x8xf32>
func.func @unread(%arg0: tensor<16x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}, {}]>}) -> tensor<16x8xf32> {
  %0 = sdy.all_to_all [{"a"}: 0->1] %arg0 out_sharding=<@mesh, [{}, {"a"}]> : tensor<16x8xf32>
  %1 = sdy.all_gather [{"a"}, {}] %arg0 out_sharding=<@mesh, [{}, {}]> : tensor<16x8xf32>
  return %arg0 : tensor<16x8xf32>
}
