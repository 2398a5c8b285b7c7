// RUN: xshardy-opt %s | filecheck %s
// RUN: xshardy-opt %s | xshardy-opt | filecheck %s
// RUN: xshardy-opt %s --print-op-generic | filecheck %s --check-prefix=GENERIC
// RUN: xshardy-opt %s --print-op-generic | xshardy-opt | filecheck %s

sdy.mesh @mesh = <["a"=2, "b"=2, "c"=8, "d"=2]>
sdy.mesh @pair = <["e"=2]>
sdy.mesh @swapped_pair = <["e"=2], device_ids=[1, 0]>

func.func @all_gather_several_dimensions(%x: tensor<16x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a", "b", "c"}, {"d"}]>}) -> tensor<16x8xf32> {
  // CHECK: sdy.all_gather [{"b", "c"}, {"d"}] %{{[^ ,)]+}} out_sharding=<@mesh, [{"a"}, {}]> : tensor<16x8xf32>
  // GENERIC: "sdy.all_gather"(%{{[^ ,)]+}}) <{gathering_axes = #sdy<list_of_axis_ref_lists[{"b", "c"}, {"d"}]>, out_sharding = #sdy.sharding<@mesh, [{"a"}, {}]>}> : (tensor<16x8xf32>) -> tensor<16x8xf32>
  %0 = sdy.all_gather [{"b", "c"}, {"d"}] %x out_sharding=<@mesh, [{"a"}, {}]> : tensor<16x8xf32>
  return %0 : tensor<16x8xf32>
}
func.func @all_gather_no_axis(%x: tensor<16x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}, {}]>}) -> tensor<16x8xf32> {
  // CHECK: sdy.all_gather [{}, {}] %{{[^ ,)]+}} out_sharding=<@mesh, [{"a"}, {}]> : tensor<16x8xf32>
  // GENERIC: "sdy.all_gather"(%{{[^ ,)]+}}) <{gathering_axes = #sdy<list_of_axis_ref_lists[{}, {}]>, out_sharding = #sdy.sharding<@mesh, [{"a"}, {}]>}> : (tensor<16x8xf32>) -> tensor<16x8xf32>
  %0 = sdy.all_gather [{}, {}] %x out_sharding=<@mesh, [{"a"}, {}]> : tensor<16x8xf32>
  return %0 : tensor<16x8xf32>
}
func.func @all_gather_minor_part_of_an_axis(%x: tensor<16x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"c"}, {}]>}) -> tensor<16x8xf32> {
  // CHECK: sdy.all_gather [{"c":(2)4}, {}] %{{[^ ,)]+}} out_sharding=<@mesh, [{"c":(1)2}, {}]> : tensor<16x8xf32>
  // GENERIC: "sdy.all_gather"(%{{[^ ,)]+}}) <{gathering_axes = #sdy<list_of_axis_ref_lists[{"c":(2)4}, {}]>, out_sharding = #sdy.sharding<@mesh, [{"c":(1)2}, {}]>}> : (tensor<16x8xf32>) -> tensor<16x8xf32>
  %0 = sdy.all_gather [{"c":(2)4}, {}] %x out_sharding=<@mesh, [{"c":(1)2}, {}]> : tensor<16x8xf32>
  return %0 : tensor<16x8xf32>
}
func.func @all_gather_minor_part_of_a_sub_axis(%x: tensor<16x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"c":(1)4, "a"}, {}]>}) -> tensor<16x8xf32> {
  // CHECK: sdy.all_gather [{"c":(2)2, "a"}, {}] %{{[^ ,)]+}} out_sharding=<@mesh, [{"c":(1)2}, {}]> : tensor<16x8xf32>
  // GENERIC: "sdy.all_gather"(%{{[^ ,)]+}}) <{gathering_axes = #sdy<list_of_axis_ref_lists[{"c":(2)2, "a"}, {}]>, out_sharding = #sdy.sharding<@mesh, [{"c":(1)2}, {}]>}> : (tensor<16x8xf32>) -> tensor<16x8xf32>
  %0 = sdy.all_gather [{"c":(2)2, "a"}, {}] %x out_sharding=<@mesh, [{"c":(1)2}, {}]> : tensor<16x8xf32>
  return %0 : tensor<16x8xf32>
}
func.func @all_slice_several_dimensions(%x: tensor<16x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}, {}]>}) -> tensor<16x8xf32> {
  // CHECK: sdy.all_slice [{"b", "c"}, {"d"}] %{{[^ ,)]+}} out_sharding=<@mesh, [{"a", "b", "c"}, {"d"}]> : tensor<16x8xf32>
  // GENERIC: "sdy.all_slice"(%{{[^ ,)]+}}) <{out_sharding = #sdy.sharding<@mesh, [{"a", "b", "c"}, {"d"}]>, slicing_axes = #sdy<list_of_axis_ref_lists[{"b", "c"}, {"d"}]>}> : (tensor<16x8xf32>) -> tensor<16x8xf32>
  %0 = sdy.all_slice [{"b", "c"}, {"d"}] %x out_sharding=<@mesh, [{"a", "b", "c"}, {"d"}]> : tensor<16x8xf32>
  return %0 : tensor<16x8xf32>
}
func.func @all_slice_no_sharding_is_replicated(%x: tensor<16x8xf32>) -> tensor<16x8xf32> {
  // CHECK: sdy.all_slice [{"a"}, {}] %{{[^ ,)]+}} out_sharding=<@mesh, [{"a"}, {}]> : tensor<16x8xf32>
  // GENERIC: "sdy.all_slice"(%{{[^ ,)]+}}) <{out_sharding = #sdy.sharding<@mesh, [{"a"}, {}]>, slicing_axes = #sdy<list_of_axis_ref_lists[{"a"}, {}]>}> : (tensor<16x8xf32>) -> tensor<16x8xf32>
  %0 = sdy.all_slice [{"a"}, {}] %x out_sharding=<@mesh, [{"a"}, {}]> : tensor<16x8xf32>
  return %0 : tensor<16x8xf32>
}
func.func @all_slice_sub_axes_become_the_axis(%x: tensor<16x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"c":(1)2}, {}]>}) -> tensor<16x8xf32> {
  // CHECK: sdy.all_slice [{"c":(2)4}, {}] %{{[^ ,)]+}} out_sharding=<@mesh, [{"c"}, {}]> : tensor<16x8xf32>
  // GENERIC: "sdy.all_slice"(%{{[^ ,)]+}}) <{out_sharding = #sdy.sharding<@mesh, [{"c"}, {}]>, slicing_axes = #sdy<list_of_axis_ref_lists[{"c":(2)4}, {}]>}> : (tensor<16x8xf32>) -> tensor<16x8xf32>
  %0 = sdy.all_slice [{"c":(2)4}, {}] %x out_sharding=<@mesh, [{"c"}, {}]> : tensor<16x8xf32>
  return %0 : tensor<16x8xf32>
}
func.func @all_slice_sub_axes_become_a_sub_axis(%x: tensor<16x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"c":(1)2}, {}]>}) -> tensor<16x8xf32> {
  // CHECK: sdy.all_slice [{"c":(2)2}, {}] %{{[^ ,)]+}} out_sharding=<@mesh, [{"c":(1)4}, {}]> : tensor<16x8xf32>
  // GENERIC: "sdy.all_slice"(%{{[^ ,)]+}}) <{out_sharding = #sdy.sharding<@mesh, [{"c":(1)4}, {}]>, slicing_axes = #sdy<list_of_axis_ref_lists[{"c":(2)2}, {}]>}> : (tensor<16x8xf32>) -> tensor<16x8xf32>
  %0 = sdy.all_slice [{"c":(2)2}, {}] %x out_sharding=<@mesh, [{"c":(1)4}, {}]> : tensor<16x8xf32>
  return %0 : tensor<16x8xf32>
}
func.func @all_to_all_one_parameter(%x: tensor<16x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a", "b"}, {"c"}]>}) -> tensor<16x8xf32> {
  // CHECK: sdy.all_to_all [{"b"}: 0->1] %{{[^ ,)]+}} out_sharding=<@mesh, [{"a"}, {"c", "b"}]> : tensor<16x8xf32>
  // GENERIC: "sdy.all_to_all"(%{{[^ ,)]+}}) <{out_sharding = #sdy.sharding<@mesh, [{"a"}, {"c", "b"}]>, params = #sdy<all_to_all_param_list[{"b"}: 0->1]>}> : (tensor<16x8xf32>) -> tensor<16x8xf32>
  %0 = sdy.all_to_all [{"b"}: 0->1] %x out_sharding=<@mesh, [{"a"}, {"c", "b"}]> : tensor<16x8xf32>
  return %0 : tensor<16x8xf32>
}
func.func @all_to_all_sub_axis(%x: tensor<16x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}, {"c"}]>}) -> tensor<16x8xf32> {
  // CHECK: sdy.all_to_all [{"c":(2)4}: 1->0] %{{[^ ,)]+}} out_sharding=<@mesh, [{"a", "c":(2)4}, {"c":(1)2}]> : tensor<16x8xf32>
  // GENERIC: "sdy.all_to_all"(%{{[^ ,)]+}}) <{out_sharding = #sdy.sharding<@mesh, [{"a", "c":(2)4}, {"c":(1)2}]>, params = #sdy<all_to_all_param_list[{"c":(2)4}: 1->0]>}> : (tensor<16x8xf32>) -> tensor<16x8xf32>
  %0 = sdy.all_to_all [{"c":(2)4}: 1->0] %x out_sharding=<@mesh, [{"a", "c":(2)4}, {"c":(1)2}]> : tensor<16x8xf32>
  return %0 : tensor<16x8xf32>
}
func.func @collective_permute_reordered_axes(%x: tensor<16x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a", "b"}, {}]>}) -> tensor<16x8xf32> {
  // CHECK: sdy.collective_permute %{{[^ ,)]+}} out_sharding=<@mesh, [{"b", "a"}, {}]> : tensor<16x8xf32>
  // GENERIC: "sdy.collective_permute"(%{{[^ ,)]+}}) <{out_sharding = #sdy.sharding<@mesh, [{"b", "a"}, {}]>}> : (tensor<16x8xf32>) -> tensor<16x8xf32>
  %0 = sdy.collective_permute %x out_sharding=<@mesh, [{"b", "a"}, {}]> : tensor<16x8xf32>
  return %0 : tensor<16x8xf32>
}
func.func @collective_permute_replaced_axes(%x: tensor<16x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a", "b"}, {"c":(2)2}]>}) -> tensor<16x8xf32> {
  // CHECK: sdy.collective_permute %{{[^ ,)]+}} out_sharding=<@mesh, [{"c":(1)4}, {"d"}]> : tensor<16x8xf32>
  // GENERIC: "sdy.collective_permute"(%{{[^ ,)]+}}) <{out_sharding = #sdy.sharding<@mesh, [{"c":(1)4}, {"d"}]>}> : (tensor<16x8xf32>) -> tensor<16x8xf32>
  %0 = sdy.collective_permute %x out_sharding=<@mesh, [{"c":(1)4}, {"d"}]> : tensor<16x8xf32>
  return %0 : tensor<16x8xf32>
}
func.func @collective_permute_other_order_of_devices(%x: tensor<16x8xf32> {sdy.sharding = #sdy.sharding<@pair, [{"e"}, {}]>}) -> tensor<16x8xf32> {
  // CHECK: sdy.collective_permute %{{[^ ,)]+}} out_sharding=<@swapped_pair, [{"e"}, {}]> : tensor<16x8xf32>
  // GENERIC: "sdy.collective_permute"(%{{[^ ,)]+}}) <{out_sharding = #sdy.sharding<@swapped_pair, [{"e"}, {}]>}> : (tensor<16x8xf32>) -> tensor<16x8xf32>
  %0 = sdy.collective_permute %x out_sharding=<@swapped_pair, [{"e"}, {}]> : tensor<16x8xf32>
  return %0 : tensor<16x8xf32>
}
func.func @all_reduce_of_unreduced(%x: tensor<16x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}, {}], unreduced={"b"}>}) -> tensor<16x8xf32> {
  // CHECK: sdy.all_reduce {"b"} %{{[^ ,)]+}} out_sharding=<@mesh, [{"a"}, {}]> : tensor<16x8xf32>
  // GENERIC: "sdy.all_reduce"(%{{[^ ,)]+}}) <{out_sharding = #sdy.sharding<@mesh, [{"a"}, {}]>, reduction_axes = #sdy<axis_ref_list{"b"}>}> : (tensor<16x8xf32>) -> tensor<16x8xf32>
  %0 = sdy.all_reduce {"b"} %x out_sharding=<@mesh, [{"a"}, {}]> : tensor<16x8xf32>
  return %0 : tensor<16x8xf32>
}
func.func @all_reduce_keeps_what_is_unreduced(%x: tensor<16x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}, {}], unreduced={"b", "d"}>}) -> tensor<16x8xf32> {
  // CHECK: sdy.all_reduce {"b"} %{{[^ ,)]+}} out_sharding=<@mesh, [{"a"}, {}], unreduced={"d"}> : tensor<16x8xf32>
  // GENERIC: "sdy.all_reduce"(%{{[^ ,)]+}}) <{out_sharding = #sdy.sharding<@mesh, [{"a"}, {}], unreduced={"d"}>, reduction_axes = #sdy<axis_ref_list{"b"}>}> : (tensor<16x8xf32>) -> tensor<16x8xf32>
  %0 = sdy.all_reduce {"b"} %x out_sharding=<@mesh, [{"a"}, {}], unreduced={"d"}> : tensor<16x8xf32>
  return %0 : tensor<16x8xf32>
}
func.func @all_reduce_no_sharding_is_replicated(%x: tensor<16x8xf32>) -> tensor<16x8xf32> {
  // CHECK: sdy.all_reduce {"b", "c":(1)2} %{{[^ ,)]+}} out_sharding=<@mesh, [{}, {}]> : tensor<16x8xf32>
  // GENERIC: "sdy.all_reduce"(%{{[^ ,)]+}}) <{out_sharding = #sdy.sharding<@mesh, [{}, {}]>, reduction_axes = #sdy<axis_ref_list{"b", "c":(1)2}>}> : (tensor<16x8xf32>) -> tensor<16x8xf32>
  %0 = sdy.all_reduce {"b", "c":(1)2} %x out_sharding=<@mesh, [{}, {}]> : tensor<16x8xf32>
  return %0 : tensor<16x8xf32>
}
func.func @all_reduce_maximum(%x: tensor<16x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}], unreduced=max{"b"}>}) -> tensor<16x8xf32> {
  // CHECK: sdy.all_reduce max {"b"} %{{[^ ,)]+}} out_sharding=<@mesh, [{}, {}]> : tensor<16x8xf32>
  // GENERIC: "sdy.all_reduce"(%{{[^ ,)]+}}) <{out_sharding = #sdy.sharding<@mesh, [{}, {}]>, reduction_axes = #sdy<axis_ref_list{"b"}>, reduction_op = 1 : i32}> : (tensor<16x8xf32>) -> tensor<16x8xf32>
  %0 = sdy.all_reduce max {"b"} %x out_sharding=<@mesh, [{}, {}]> : tensor<16x8xf32>
  return %0 : tensor<16x8xf32>
}
func.func @all_reduce_no_axis(%x: tensor<16x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}]>}) -> tensor<16x8xf32> {
  // CHECK: sdy.all_reduce {} %{{[^ ,)]+}} out_sharding=<@mesh, [{}, {}]> : tensor<16x8xf32>
  // GENERIC: "sdy.all_reduce"(%{{[^ ,)]+}}) <{out_sharding = #sdy.sharding<@mesh, [{}, {}]>, reduction_axes = #sdy<axis_ref_list{}>}> : (tensor<16x8xf32>) -> tensor<16x8xf32>
  %0 = sdy.all_reduce {} %x out_sharding=<@mesh, [{}, {}]> : tensor<16x8xf32>
  return %0 : tensor<16x8xf32>
}
func.func @reduce_scatter_of_unreduced(%x: tensor<16x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}, {}], unreduced={"b"}>}) -> tensor<16x8xf32> {
  // CHECK: sdy.reduce_scatter [{}, {"b"}] %{{[^ ,)]+}} out_sharding=<@mesh, [{"a"}, {"b"}]> : tensor<16x8xf32>
  // GENERIC: "sdy.reduce_scatter"(%{{[^ ,)]+}}) <{out_sharding = #sdy.sharding<@mesh, [{"a"}, {"b"}]>, reduce_scatter_axes = #sdy<list_of_axis_ref_lists[{}, {"b"}]>}> : (tensor<16x8xf32>) -> tensor<16x8xf32>
  %0 = sdy.reduce_scatter [{}, {"b"}] %x out_sharding=<@mesh, [{"a"}, {"b"}]> : tensor<16x8xf32>
  return %0 : tensor<16x8xf32>
}
func.func @reduce_scatter_minimum(%x: tensor<16x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}, {}], unreduced=min{"b", "d"}>}) -> tensor<16x8xf32> {
  // CHECK: sdy.reduce_scatter min [{"b", "d"}, {}] %{{[^ ,)]+}} out_sharding=<@mesh, [{"a", "b", "d"}, {}]> : tensor<16x8xf32>
  // GENERIC: "sdy.reduce_scatter"(%{{[^ ,)]+}}) <{out_sharding = #sdy.sharding<@mesh, [{"a", "b", "d"}, {}]>, reduce_scatter_axes = #sdy<list_of_axis_ref_lists[{"b", "d"}, {}]>, reduction_op = 2 : i32}> : (tensor<16x8xf32>) -> tensor<16x8xf32>
  %0 = sdy.reduce_scatter min [{"b", "d"}, {}] %x out_sharding=<@mesh, [{"a", "b", "d"}, {}]> : tensor<16x8xf32>
  return %0 : tensor<16x8xf32>
}
func.func @reduce_scatter_sub_axes(%x: tensor<16x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"c":(1)4}, {}]>}) -> tensor<16x8xf32> {
  // CHECK: sdy.reduce_scatter [{"c":(4)2}, {}] %{{[^ ,)]+}} out_sharding=<@mesh, [{"c"}, {}]> : tensor<16x8xf32>
  // GENERIC: "sdy.reduce_scatter"(%{{[^ ,)]+}}) <{out_sharding = #sdy.sharding<@mesh, [{"c"}, {}]>, reduce_scatter_axes = #sdy<list_of_axis_ref_lists[{"c":(4)2}, {}]>}> : (tensor<16x8xf32>) -> tensor<16x8xf32>
  %0 = sdy.reduce_scatter [{"c":(4)2}, {}] %x out_sharding=<@mesh, [{"c"}, {}]> : tensor<16x8xf32>
  return %0 : tensor<16x8xf32>
}
func.func @sharded_to_unreduced_two_dimensions(%x: tensor<16x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a", "d"}, {"b"}]>}) -> tensor<16x8xf32> {
  // CHECK: sdy.sharded_to_unreduced [{"d"}, {"b"}] %{{[^ ,)]+}} out_sharding=<@mesh, [{"a"}, {}], unreduced={"b", "d"}> : tensor<16x8xf32>
  // GENERIC: "sdy.sharded_to_unreduced"(%{{[^ ,)]+}}) <{axes = #sdy<list_of_axis_ref_lists[{"d"}, {"b"}]>, out_sharding = #sdy.sharding<@mesh, [{"a"}, {}], unreduced={"b", "d"}>}> : (tensor<16x8xf32>) -> tensor<16x8xf32>
  %0 = sdy.sharded_to_unreduced [{"d"}, {"b"}] %x out_sharding=<@mesh, [{"a"}, {}], unreduced={"b", "d"}> : tensor<16x8xf32>
  return %0 : tensor<16x8xf32>
}
func.func @sharded_to_unreduced_merges_with_unreduced(%x: tensor<16x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"c":(2)4}, {}], unreduced={"c":(1)2}>}) -> tensor<16x8xf32> {
  // CHECK: sdy.sharded_to_unreduced [{"c":(2)4}, {}] %{{[^ ,)]+}} out_sharding=<@mesh, [{}, {}], unreduced={"c"}> : tensor<16x8xf32>
  // GENERIC: "sdy.sharded_to_unreduced"(%{{[^ ,)]+}}) <{axes = #sdy<list_of_axis_ref_lists[{"c":(2)4}, {}]>, out_sharding = #sdy.sharding<@mesh, [{}, {}], unreduced={"c"}>}> : (tensor<16x8xf32>) -> tensor<16x8xf32>
  %0 = sdy.sharded_to_unreduced [{"c":(2)4}, {}] %x out_sharding=<@mesh, [{}, {}], unreduced={"c"}> : tensor<16x8xf32>
  return %0 : tensor<16x8xf32>
}
func.func @replicated_to_unreduced_implicitly_replicated(%x: tensor<16x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}, {}], unreduced={"d"}>}) -> tensor<16x8xf32> {
  // CHECK: sdy.replicated_to_unreduced {"b"} %{{[^ ,)]+}} out_sharding=<@mesh, [{"a"}, {}], unreduced={"b", "d"}> : tensor<16x8xf32>
  // GENERIC: "sdy.replicated_to_unreduced"(%{{[^ ,)]+}}) <{axes = #sdy<axis_ref_list{"b"}>, out_sharding = #sdy.sharding<@mesh, [{"a"}, {}], unreduced={"b", "d"}>}> : (tensor<16x8xf32>) -> tensor<16x8xf32>
  %0 = sdy.replicated_to_unreduced {"b"} %x out_sharding=<@mesh, [{"a"}, {}], unreduced={"b", "d"}> : tensor<16x8xf32>
  return %0 : tensor<16x8xf32>
}
func.func @replicated_to_unreduced_explicitly_replicated(%x: tensor<16x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}], replicated={"c":(2)2}>}) -> tensor<16x8xf32> {
  // CHECK: sdy.replicated_to_unreduced {"c":(2)2} %{{[^ ,)]+}} out_sharding=<@mesh, [{}, {}], unreduced={"c":(2)2}> : tensor<16x8xf32>
  // GENERIC: "sdy.replicated_to_unreduced"(%{{[^ ,)]+}}) <{axes = #sdy<axis_ref_list{"c":(2)2}>, out_sharding = #sdy.sharding<@mesh, [{}, {}], unreduced={"c":(2)2}>}> : (tensor<16x8xf32>) -> tensor<16x8xf32>
  %0 = sdy.replicated_to_unreduced {"c":(2)2} %x out_sharding=<@mesh, [{}, {}], unreduced={"c":(2)2}> : tensor<16x8xf32>
  return %0 : tensor<16x8xf32>
}
func.func @attribute_dictionary(%x: tensor<16x8xf32>) -> tensor<16x8xf32> {
  // CHECK: sdy.all_slice [{"a"}, {}] %{{[^ ,)]+}} out_sharding=<@mesh, [{"a"}, {}]> {any.thing = 1 : i32} : tensor<16x8xf32>
  // GENERIC: "sdy.all_slice"(%{{[^ ,)]+}}) <{out_sharding = #sdy.sharding<@mesh, [{"a"}, {}]>, slicing_axes = #sdy<list_of_axis_ref_lists[{"a"}, {}]>}> {any.thing = 1 : i32} : (tensor<16x8xf32>) -> tensor<16x8xf32>
  %0 = sdy.all_slice [{"a"}, {}] %x out_sharding=<@mesh, [{"a"}, {}]> {any.thing = 1 : i32} : tensor<16x8xf32>
  return %0 : tensor<16x8xf32>
}
func.func @four_dimensions(%x: tensor<8x8x4x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a", "b"}, {"c"}, {}, {}]>}) -> tensor<8x8x4x4xf32> {
  // CHECK: sdy.all_to_all [{"b"}: 0->2, {"c"}: 1->3] %{{[^ ,)]+}} out_sharding=<@mesh, [{"a"}, {}, {"b"}, {"c"}]> : tensor<8x8x4x4xf32>
  // GENERIC: "sdy.all_to_all"(%{{[^ ,)]+}}) <{out_sharding = #sdy.sharding<@mesh, [{"a"}, {}, {"b"}, {"c"}]>, params = #sdy<all_to_all_param_list[{"b"}: 0->2, {"c"}: 1->3]>}> : (tensor<8x8x4x4xf32>) -> tensor<8x8x4x4xf32>
  %0 = sdy.all_to_all [{"b"}: 0->2, {"c"}: 1->3] %x out_sharding=<@mesh, [{"a"}, {}, {"b"}, {"c"}]> : tensor<8x8x4x4xf32>
  return %0 : tensor<8x8x4x4xf32>
}
