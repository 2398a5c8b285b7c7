// RUN: xshardy-opt %s | filecheck %s
// RUN: xshardy-opt %s | xshardy-opt | filecheck %s
// RUN: xdsl-opt %s | filecheck %s

// Each attribute by itself, as it prints.
// CHECK-LABEL: @axis()
// CHECK-SAME: #sdy<axis_ref"a":(1)2>
func.func @axis() attributes {attribute = #sdy<axis_ref"a":(1)2>} {
  func.return
}
// CHECK-LABEL: @axes()
// CHECK-SAME: #sdy<axis_ref_list{"a", "b"}>
func.func @axes() attributes {attribute = #sdy<axis_ref_list{"a", "b"}>} {
  func.return
}
// CHECK-LABEL: @lists()
// CHECK-SAME: #sdy<list_of_axis_ref_lists[{"a"}, {}]>
func.func @lists() attributes {attribute = #sdy<list_of_axis_ref_lists[{"a"}, {}]>} {
  func.return
}
// CHECK-LABEL: @param()
// CHECK-SAME: #sdy<all_to_all_param{"b"}: 0->2>
func.func @param() attributes {attribute = #sdy<all_to_all_param{"b"}: 0->2>} {
  func.return
}
// CHECK-LABEL: @params()
// CHECK-SAME: #sdy<all_to_all_param_list[{"b"}: 0->2, {"c"}: 1->3]>
func.func @params() attributes {attribute = #sdy<all_to_all_param_list[{"b"}: 0->2, {"c"}: 1->3]>} {
  func.return
}
// CHECK-LABEL: @manual()
// CHECK-SAME: #sdy<manual_axes{"a"}>
func.func @manual() attributes {attribute = #sdy<manual_axes{"a"}>} {
  func.return
}
// CHECK-LABEL: @mesh_axis()
// CHECK-SAME: #sdy<mesh_axis"a"=2>
func.func @mesh_axis() attributes {attribute = #sdy<mesh_axis"a"=2>} {
  func.return
}
// CHECK-LABEL: @sub_axis()
// CHECK-SAME: #sdy<sub_axis_info(1)2>
func.func @sub_axis() attributes {attribute = #sdy<sub_axis_info(1)2>} {
  func.return
}
// CHECK-LABEL: @mapping()
// CHECK-SAME: #sdy<dim_mapping ij>
func.func @mapping() attributes {attribute = #sdy<dim_mapping ij>} {
  func.return
}
// CHECK-LABEL: @null_mapping()
// CHECK-SAME: #sdy<dim_mapping *>
func.func @null_mapping() attributes {attribute = #sdy<dim_mapping *>} {
  func.return
}
// CHECK-LABEL: @mappings()
// CHECK-SAME: #sdy<tensor_mapping[i, jk, *]>
func.func @mappings() attributes {attribute = #sdy<tensor_mapping[i, jk, *]>} {
  func.return
}
// CHECK-LABEL: @dimension()
// CHECK-SAME: #sdy<dimension_sharding{"a", ?}p1>
func.func @dimension() attributes {attribute = #sdy<dimension_sharding{"a", ?}p1>} {
  func.return
}
// CHECK-LABEL: @value()
// CHECK-SAME: #sdy<edge_value_ref operand-0>
func.func @value() attributes {attribute = #sdy<edge_value_ref operand-0>} {
  func.return
}
// CHECK-LABEL: @details()
// CHECK-SAME: #sdy<axis_to_propagation_details{"y" = operand-1 -> [operand-0]}>
func.func @details() attributes {attribute = #sdy<axis_to_propagation_details{"y" = operand-1 -> [operand-0]}>} {
  func.return
}
// CHECK-LABEL: @step()
// CHECK-SAME: #sdy<propagation_one_step{step-2 = []}>
func.func @step() attributes {attribute = #sdy<propagation_one_step{step-2 = []}>} {
  func.return
}
// CHECK-LABEL: @edges()
// CHECK-SAME: #sdy.propagation_edges<[]>
func.func @edges() attributes {attribute = #sdy.propagation_edges<[]>} {
  func.return
}
// CHECK-LABEL: @edge_node_type()
// CHECK-SAME: #sdy<edge_node_type operand>
func.func @edge_node_type() attributes {attribute = #sdy<edge_node_type operand>} {
  func.return
}
// CHECK-LABEL: @reduction_op()
// CHECK-SAME: #sdy<reduction_op max>
func.func @reduction_op() attributes {attribute = #sdy<reduction_op max>} {
  func.return
}
// CHECK-LABEL: @mesh()
// CHECK-SAME: #sdy.mesh<["a"=2]>
func.func @mesh() attributes {attribute = #sdy.mesh<["a"=2]>} {
  func.return
}
// CHECK-LABEL: @sharding()
// CHECK-SAME: #sdy.sharding<@m, []>
func.func @sharding() attributes {attribute = #sdy.sharding<@m, []>} {
  func.return
}
// CHECK-LABEL: @shardings()
// CHECK-SAME: #sdy.sharding_per_value<[<@m, [{}]>]>
func.func @shardings() attributes {attribute = #sdy.sharding_per_value<[<@m, [{}]>]>} {
  func.return
}
// CHECK-LABEL: @rule()
// CHECK-SAME: #sdy.op_sharding_rule<([i])->([*]) {i=2}>
func.func @rule() attributes {attribute = #sdy.op_sharding_rule<([i])->([*]) {i=2}>} {
  func.return
}

// The other spelling of each, as the documents and MLIR allow it, is read too.
// CHECK-LABEL: @axis_otherwise()
// CHECK-SAME: #sdy<axis_ref"a":(1)2>
func.func @axis_otherwise() attributes {attribute = #sdy.axis_ref<"a":(1)2>} {
  func.return
}
// CHECK-LABEL: @axes_otherwise()
// CHECK-SAME: #sdy<axis_ref_list{"a", "b"}>
func.func @axes_otherwise() attributes {attribute = #sdy.axis_ref_list<{"a", "b"}>} {
  func.return
}
// CHECK-LABEL: @lists_otherwise()
// CHECK-SAME: #sdy<list_of_axis_ref_lists[{"a"}, {}]>
func.func @lists_otherwise() attributes {attribute = #sdy.list_of_axis_ref_lists<[{"a"}, {}]>} {
  func.return
}
// CHECK-LABEL: @param_otherwise()
// CHECK-SAME: #sdy<all_to_all_param{"b"}: 0->2>
func.func @param_otherwise() attributes {attribute = #sdy.all_to_all_param<{"b"}: 0->2>} {
  func.return
}
// CHECK-LABEL: @params_otherwise()
// CHECK-SAME: #sdy<all_to_all_param_list[{"b"}: 0->2]>
func.func @params_otherwise() attributes {attribute = #sdy.all_to_all_param_list<[{"b"}: 0->2]>} {
  func.return
}
// CHECK-LABEL: @manual_otherwise()
// CHECK-SAME: #sdy<manual_axes{"a"}>
func.func @manual_otherwise() attributes {attribute = #sdy.manual_axes<{"a"}>} {
  func.return
}
// CHECK-LABEL: @mesh_axis_otherwise()
// CHECK-SAME: #sdy<mesh_axis"a"=2>
func.func @mesh_axis_otherwise() attributes {attribute = #sdy.mesh_axis<"a"=2>} {
  func.return
}
// CHECK-LABEL: @sub_axis_otherwise()
// CHECK-SAME: #sdy<sub_axis_info(1)2>
func.func @sub_axis_otherwise() attributes {attribute = #sdy.sub_axis_info<(1)2>} {
  func.return
}
// CHECK-LABEL: @mapping_otherwise()
// CHECK-SAME: #sdy<dim_mapping ij>
func.func @mapping_otherwise() attributes {attribute = #sdy.dim_mapping<ij>} {
  func.return
}
// CHECK-LABEL: @mappings_otherwise()
// CHECK-SAME: #sdy<tensor_mapping[i, jk]>
func.func @mappings_otherwise() attributes {attribute = #sdy.tensor_mapping<[i, jk]>} {
  func.return
}
// CHECK-LABEL: @dimension_otherwise()
// CHECK-SAME: #sdy<dimension_sharding{"a", ?}p1>
func.func @dimension_otherwise() attributes {attribute = #sdy.dimension_sharding<{"a", ?}p1>} {
  func.return
}
// CHECK-LABEL: @value_otherwise()
// CHECK-SAME: #sdy<edge_value_ref operand-0>
func.func @value_otherwise() attributes {attribute = #sdy.edge_value_ref<operand-0>} {
  func.return
}
// CHECK-LABEL: @details_otherwise()
// CHECK-SAME: #sdy<axis_to_propagation_details{"y" = operand-1 -> [operand-0]}>
func.func @details_otherwise() attributes {attribute = #sdy.axis_to_propagation_details<{"y" = operand-1 -> [operand-0]}>} {
  func.return
}
// CHECK-LABEL: @step_otherwise()
// CHECK-SAME: #sdy<propagation_one_step{step-2 = []}>
func.func @step_otherwise() attributes {attribute = #sdy.propagation_one_step<{step-2 = []}>} {
  func.return
}
// CHECK-LABEL: @mesh_otherwise()
// CHECK-SAME: #sdy.mesh<["a"=2]>
func.func @mesh_otherwise() attributes {attribute = #sdy<mesh<["a"=2]>>} {
  func.return
}
// CHECK-LABEL: @sharding_otherwise()
// CHECK-SAME: #sdy.sharding<@m, []>
func.func @sharding_otherwise() attributes {attribute = #sdy<sharding<@m, []>>} {
  func.return
}
// CHECK-LABEL: @shardings_otherwise()
// CHECK-SAME: #sdy.sharding_per_value<[<@m, [{}]>]>
func.func @shardings_otherwise() attributes {attribute = #sdy<sharding_per_value<[<@m, [{}]>]>>} {
  func.return
}
// CHECK-LABEL: @rule_otherwise()
// CHECK-SAME: #sdy.op_sharding_rule<([i])->([i]) {i=2}>
func.func @rule_otherwise() attributes {attribute = #sdy<op_sharding_rule<([i])->([i]) {i=2}>>} {
  func.return
}
// CHECK-LABEL: @edges_otherwise()
// CHECK-SAME: #sdy.propagation_edges<[]>
func.func @edges_otherwise() attributes {attribute = #sdy<propagation_edges<[]>>} {
  func.return
}
// CHECK-LABEL: @edge_node_type_otherwise()
// CHECK-SAME: #sdy<edge_node_type result>
func.func @edge_node_type_otherwise() attributes {attribute = #sdy.edge_node_type<result>} {
  func.return
}
// CHECK-LABEL: @reduction_op_otherwise()
// CHECK-SAME: #sdy<reduction_op min>
func.func @reduction_op_otherwise() attributes {attribute = #sdy.reduction_op<min>} {
  func.return
}
