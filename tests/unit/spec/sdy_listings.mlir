// The examples and test forms of the dialect's specification, by row. The meshes and functions around examples are ours.
// ----- SDY-OP-01
sdy.mesh @mesh = <["a"=2, "b"=2, "c"=2, "d"=2]>
func.func @f(%x: tensor<8x8x8xf32>) {
  %1 = stablehlo.tanh %x {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"a", "b", "c"}, {}, {"d"}]>]>} : tensor<8x8x8xf32>
  %2 = sdy.all_gather [{"b", "c"}, {}, {"d"}] %1 out_sharding=<@mesh, [{"a"}, {}, {}]> : tensor<8x8x8xf32>
  return
}
// ----- SDY-OP-02
sdy.mesh @mesh = <["a"=2, "b"=2, "c"=2, "d"=2]>
func.func @all_reduce(%arg0: tensor<16x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}, {}], unreduced={"b"}>}) -> tensor<16x8xf32> {
  %0 = sdy.all_reduce {"b"} %arg0 out_sharding=<@mesh, [{"a"}, {}]> : tensor<16x8xf32>
  return %0 : tensor<16x8xf32>
}
// ----- SDY-OP-03
sdy.mesh @mesh = <["a"=2, "b"=2, "c"=2, "d"=2]>
func.func @f(%x: tensor<8x8x8xf32>) {
  %1 = stablehlo.tanh %x {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"a"}, {}, {}]>]>} : tensor<8x8x8xf32>
  %2 = sdy.all_slice [{"b", "c"}, {}, {"d"}] %1 out_sharding=<@mesh, [{"a", "b", "c"}, {}, {"d"}]> : tensor<8x8x8xf32>
  return
}
// ----- SDY-OP-04
sdy.mesh @mesh = <["a"=2, "b"=2, "c"=2, "d"=2]>
func.func @f(%x: tensor<8x8x4x4xf32>) {
  %1 = stablehlo.tanh %x {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"a", "b"}, {"c"}, {}, {}]>]>} : tensor<8x8x4x4xf32>
  %2 = sdy.all_to_all [{"b"}: 0->2, {"c"}: 1->3] %1 out_sharding=<@mesh, [{"a"}, {}, {"b"}, {"c"}]> : tensor<8x8x4x4xf32>
  return
}
// ----- SDY-OP-05
sdy.mesh @mesh = <["a"=2, "b"=2, "c"=4, "d"=2, "e"=2, "f"=2]>
func.func @f(%x: tensor<8x8x8xf32>) {
  %1 = stablehlo.tanh %x {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"a", "c"}, {"f"}, {"d", "e"}]>]>} : tensor<8x8x8xf32>
  %2 = sdy.collective_permute %1 out_sharding=<@mesh, [{"c":(1)2, "b", "f"}, {"a"}, {"e", "d"}]> : tensor<8x8x8xf32>
  return
}
// ----- SDY-OP-07
sdy.mesh @mesh = <["a"=2, "b"=2, "c"=2, "d"=2]>
func.func @data_flow_edge(%arg0: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>) {
  %0:2 = stablehlo.custom_call @two(%arg0) : (tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>)
  %1 = sdy.data_flow_edge %0#0 sharding=<@mesh, [{"a", ?}]> : tensor<8xf32>
  %2 = sdy.data_flow_edge %0#1 : tensor<8xf32>
  return %1, %2 : tensor<8xf32>, tensor<8xf32>
}
// ----- SDY-OP-08
sdy.mesh @mesh = <["a"=2, "b"=2, "c"=2, "d"=2]>
func.func @manual_computation(%arg0: tensor<16x32xf32>) -> tensor<16x32xf32> {
  %0 = sdy.manual_computation(%arg0)
      in_shardings=[<@mesh, [{"a", "b"}, {}]>]
      out_shardings=[<@mesh, [{"a", "b"}, {}]>]
      manual_axes={"a"} (%arg1: tensor<8x32xf32>) {
    %1 = stablehlo.add %arg1, %arg1 : tensor<8x32xf32>
    sdy.return %1 : tensor<8x32xf32>
  } : (tensor<16x32xf32>) -> tensor<16x32xf32>
  return %0 : tensor<16x32xf32>
}
// ----- SDY-OP-09
sdy.mesh @mesh = <["a"=2, "b"=2, "c"=2, "d"=2]>
sdy.mesh @placeholder = <[]>
sdy.mesh @maximal = <[], device_ids=[3]>
// ----- SDY-OP-10
func.func @f(%x: tensor<16x32xf32>) {
  %1 = sdy.named_computation<"foo">(%x) (%arg1: tensor<16x32xf32>) {
  sdy.return %arg1 : tensor<16x32xf32>
} : (tensor<16x32xf32>) -> tensor<16x32xf32>
  return
}
// ----- SDY-OP-10, with shardings
sdy.mesh @mesh = <["a"=2, "b"=2, "c"=2, "d"=2]>
func.func @named(%arg0: tensor<16x32xf32>) -> tensor<16x32xf32> {
  %1 = sdy.named_computation<"foo">(%arg0) in_shardings=[<@mesh, [{"a"}, {}]>] out_shardings=[<@mesh, [{"a"}, {}]>] (%arg1: tensor<16x32xf32>) {
    sdy.return %arg1 : tensor<16x32xf32>
  } : (tensor<16x32xf32>) -> tensor<16x32xf32>
  return %1 : tensor<16x32xf32>
}
// ----- SDY-OP-11
func.func @f(%x: tensor<8x8xf32>) {
  %2 = sdy.propagation_barrier %x allowed_direction=FORWARD : tensor<8x8xf32>
  return
}
// ----- SDY-OP-12
sdy.mesh @mesh = <["a"=2, "b"=2, "c"=2, "d"=2]>
func.func @reduce_scatter(%arg0: tensor<16x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}, {}], unreduced={"b"}>}) -> tensor<16x8xf32> {
  %0 = sdy.reduce_scatter [{}, {"b"}] %arg0 out_sharding=<@mesh, [{"a"}, {"b"}]> : tensor<16x8xf32>
  return %0 : tensor<16x8xf32>
}
// ----- SDY-OP-13
sdy.mesh @mesh = <["a"=2, "b"=2, "c"=2, "d"=2]>
func.func @f(%x: tensor<8x8xf32>) {
  %1 = sdy.reshard %x <@mesh, [{}, {"b"}]> : tensor<8x8xf32>
  return
}
// ----- SDY-OP-14
func.func @f(%x: tensor<16x8xf32>) {
  sdy.manual_computation() in_shardings=[] out_shardings=[] manual_axes={} () {
  sdy.return
} : () -> ()
  return
}
// ----- SDY-OP-15
sdy.mesh @mesh = <["a"=2, "b"=2, "c"=2, "d"=2]>
func.func @f(%x: tensor<8x8xf32>) {
  %0 = sdy.sharding_constraint %x <@mesh, [{"a"}, {?}]> : tensor<8x8xf32>
  return
}
// ----- SDY-OP-16
func.func @f(%x: tensor<8x8xf32>) {
  sdy.sharding_group %x group_id=21 : tensor<8x8xf32>
  return
}
// ----- SDY-ATTR-11
sdy.mesh @m = <[]>
sdy.mesh @n = <[], device_ids=[3]>
sdy.mesh @o = <["a"=2, "b"=3]>
sdy.mesh @p = <["a"=3, "b"=2], device_ids=[0, 2, 4, 1, 3, 5]>
// ----- SDY-ATTR-13, SDY-DATTR-03
func.func @f(%arg0: tensor<8x8xf32>, %arg1: tensor<8x8xf32>) {
  %0 = stablehlo.add %arg0, %arg1 {
    sdy.sharding_rule = #sdy.op_sharding_rule<
        ([i, j],[i, j])->([i, j])
        {i=8, j=8}>
} : tensor<8x8xf32>
  return
}
// ----- SDY-ATTR-13, with a contraction
func.func @f(%arg2: tensor<8x8xf32>, %arg3: tensor<8x16xf32>) {
  %1 = stablehlo.dot_general %arg2, %arg3, contracting_dims = [1] x [0] {
  sdy.sharding_rule = #sdy.op_sharding_rule<
      ([i, k],[k, j])->([i, j])
      {i=8, j=16, k=8}>
}: (tensor<8x8xf32>, tensor<8x16xf32>) -> tensor<8x16xf32>
  return
}
// ----- SDY-DATTR-01, SDY-DATTR-02, SDY-DATTR-04, SDY-ATTR-19
sdy.mesh @mesh = <["a"=2, "b"=2, "c"=2, "d"=2]>
func.func @f(%x: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}]>}) -> (tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{?}]>}) {
  %0 = stablehlo.tanh %x {sdy.propagation_edges = #sdy.propagation_edges<[{step-2 = [{"a" = operand-0 -> [result-0]}]}]>, sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"a", ?}]>]>} : tensor<8xf32>
  return %0 : tensor<8xf32>
}
