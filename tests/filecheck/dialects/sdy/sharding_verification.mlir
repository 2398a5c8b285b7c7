// RUN: xshardy-opt %s --split-input-file --verify-diagnostics | filecheck %s

// CHECK: arg 0 - unknown mesh: @nobody
sdy.mesh @mesh = <["a"=2, "b"=4, "c"=4]>
func.func @f(%x: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@nobody, [{}, {}]>}) {
  return
}

// -----

// CHECK: arg 0 - sharding doesn't match tensor rank: 1 != 2
sdy.mesh @mesh = <["a"=2, "b"=4, "c"=4]>
func.func @f(%x: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}]>}) {
  return
}

// -----

// CHECK: sharding doesn't match tensor rank: 1 != 2
sdy.mesh @mesh = <["a"=2, "b"=4, "c"=4]>
func.func @f(%x: tensor<?x?xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}]>}) {
  return
}

// -----

// CHECK: only ranked tensors can have a sharding. type: tensor<*xf32>
sdy.mesh @mesh = <["a"=2, "b"=4, "c"=4]>
func.func @f(%x: tensor<*xf32> {sdy.sharding = #sdy.sharding<@mesh, []>}) {
  return
}

// -----

// CHECK: non-shaped tensors can only have a sharding with rank 0 and no replicated or unreduced axes
sdy.mesh @mesh = <["a"=2, "b"=4, "c"=4]>
func.func @f(%x: !stablehlo.token {sdy.sharding = #sdy.sharding<@mesh, [{}]>}) {
  return
}

// -----

// CHECK: ops can only have a sharding for a tuple of size 1
sdy.mesh @mesh = <["a"=2, "b"=4, "c"=4]>
func.func @f(%x: tuple<tensor<8xf32>, tensor<8xf32>> {sdy.sharding = #sdy.sharding<@mesh, [{}]>}) {
  return
}

// -----

// CHECK: unknown axis name: "q"
sdy.mesh @mesh = <["a"=2, "b"=4, "c"=4]>
func.func @f(%x: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"q"}, {}]>}) {
  return
}

// -----

// CHECK: unknown axis name: "q"
sdy.mesh @mesh = <["a"=2, "b"=4, "c"=4]>
func.func @f(%x: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}], replicated={"q"}>}) {
  return
}

// -----

// CHECK: unknown axis name: "q"
sdy.mesh @mesh = <["a"=2, "b"=4, "c"=4]>
func.func @f(%x: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}], unreduced={"q"}>}) {
  return
}

// -----

// CHECK: unknown axis name: "a"
sdy.mesh @mesh = <["a"=2, "b"=4, "c"=4]>
func.func @f(%x: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<mesh<["x"=2]>, [{"a"}, {}]>}) {
  return
}

// -----

// CHECK: duplicate axis ref: "a"
sdy.mesh @mesh = <["a"=2, "b"=4, "c"=4]>
func.func @f(%x: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a", "b", "a"}, {}]>}) {
  return
}

// -----

// CHECK: duplicate axis ref: "a"
sdy.mesh @mesh = <["a"=2, "b"=4, "c"=4]>
func.func @f(%x: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}, {"a"}]>}) {
  return
}

// -----

// CHECK: duplicate axis ref: "a"
sdy.mesh @mesh = <["a"=2, "b"=4, "c"=4]>
func.func @f(%x: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}, {}], replicated={"a"}>}) {
  return
}

// -----

// CHECK: duplicate axis ref: "a"
sdy.mesh @mesh = <["a"=2, "b"=4, "c"=4]>
func.func @f(%x: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}, {}], unreduced={"a"}>}) {
  return
}

// -----

// CHECK: duplicate axis ref: "b":(1)2
sdy.mesh @mesh = <["a"=2, "b"=4, "c"=4]>
func.func @f(%x: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"b":(1)2}, {"b":(1)2}]>}) {
  return
}

// -----

// CHECK: both sub-axis and full-axis are used for axis name: "b"
sdy.mesh @mesh = <["a"=2, "b"=4, "c"=4]>
func.func @f(%x: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"b":(1)2}, {"b"}]>}) {
  return
}

// -----

// CHECK: overlapping sub-axes: "c":(1)4, "c":(2)2
sdy.mesh @mesh = <["a"=2, "b"=4, "c"=4]>
func.func @f(%x: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<mesh<["c"=8]>, [{"c":(1)4}, {"c":(2)2}]>}) {
  return
}

// -----

// CHECK: two consecutive sub-axes can be merged: "b":(1)2, "b":(2)2
sdy.mesh @mesh = <["a"=2, "b"=4, "c"=4]>
func.func @f(%x: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"b":(1)2, "b":(2)2}, {}]>}) {
  return
}

// -----

// CHECK: two consecutive sub-axes can be merged: "b":(1)2, "b":(2)2
sdy.mesh @mesh = <["a"=2, "b"=4, "c"=4]>
func.func @f(%x: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}], replicated={"b":(1)2, "b":(2)2}>}) {
  return
}

// -----

// CHECK: replicated axes are not ordered w.r.t. mesh
sdy.mesh @mesh = <["a"=2, "b"=4, "c"=4]>
func.func @f(%x: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}], replicated={"b", "a"}>}) {
  return
}

// -----

// CHECK: replicated axes are not ordered w.r.t. mesh
sdy.mesh @mesh = <["a"=2, "b"=4, "c"=4]>
func.func @f(%x: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}], replicated={"b":(2)2, "b":(1)2}>}) {
  return
}

// -----

// CHECK: unreduced axes are not ordered w.r.t. mesh
sdy.mesh @mesh = <["a"=2, "b"=4, "c"=4]>
func.func @f(%x: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}], unreduced={"c", "a"}>}) {
  return
}

// -----

// CHECK: sub-axis pre-size must be at least 1: "b":(0)2
sdy.mesh @mesh = <["a"=2, "b"=4, "c"=4]>
func.func @f(%x: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"b":(0)2}, {}]>}) {
  return
}

// -----

// CHECK: sub-axis sizes must be greater than 1: "b":(2)1
sdy.mesh @mesh = <["a"=2, "b"=4, "c"=4]>
func.func @f(%x: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"b":(2)1}, {}]>}) {
  return
}

// -----

// CHECK: sub-axis next pre-size 6 doesn't divide the size of the full axis 4: "b":(3)2
sdy.mesh @mesh = <["a"=2, "b"=4, "c"=4]>
func.func @f(%x: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"b":(3)2}, {}]>}) {
  return
}

// -----

// CHECK: sub-axis next pre-size 3 doesn't divide the size of the full axis 4: "b":(1)3
sdy.mesh @mesh = <["a"=2, "b"=4, "c"=4]>
func.func @f(%x: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"b":(1)3}, {}]>}) {
  return
}

// -----

// CHECK: sub-axis next pre-size 8 doesn't divide the size of the full axis 4: "b":(2)4
sdy.mesh @mesh = <["a"=2, "b"=4, "c"=4]>
func.func @f(%x: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"b":(2)4}, {}]>}) {
  return
}

// -----

// CHECK: sub-axis size is equal to the full axis size: "b":(1)4
sdy.mesh @mesh = <["a"=2, "b"=4, "c"=4]>
func.func @f(%x: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"b":(1)4}, {}]>}) {
  return
}

// -----

// CHECK: dim 1 is empty and closed but has a priority
sdy.mesh @mesh = <["a"=2, "b"=4, "c"=4]>
func.func @f(%x: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}p0]>}) {
  return
}

// -----

// CHECK: a maximal sharding can only have a sharding with rank 0 and no replicated or unreduced axes.
sdy.mesh @mesh = <["a"=2, "b"=4, "c"=4]>
func.func @f(%x: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<mesh<[], device_ids=[0]>, [{}, {}]>}) {
  return
}

// -----

// CHECK: 'func.func' op arg 0 - should have a sharding attribute of type TensorShardingAttr
sdy.mesh @mesh = <["a"=2, "b"=4, "c"=4]>
func.func @f(%x: tensor<8xf32> {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}]>]>}) {
  return
}

// -----

// CHECK: 'func.func' op result 1 - unknown axis name: "q"
sdy.mesh @mesh = <["a"=2, "b"=4, "c"=4]>
func.func @f(%x: f32, %y: tensor<8xf32>) -> (f32, tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"q"}]>}) {
  return %x, %y : f32, tensor<8xf32>
}

// -----

// CHECK: 'stablehlo.tanh' op should have a sharding attribute of type TensorShardingPerValueAttr
sdy.mesh @mesh = <["a"=2, "b"=4, "c"=4]>
func.func @f(%x: tensor<8xf32>) {
  %0 = stablehlo.tanh %x {sdy.sharding = #sdy.sharding<@mesh, [{}]>} : tensor<8xf32>
  return
}

// -----

// CHECK: 'stablehlo.tanh' op result - unknown axis name: "q"
sdy.mesh @mesh = <["a"=2, "b"=4, "c"=4]>
func.func @f(%x: tensor<8xf32>) {
  %0 = stablehlo.tanh %x {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"q"}]>]>} : tensor<8xf32>
  return
}

// -----

// CHECK: result shardings don't match number of values: 2 shardings vs 1 values
sdy.mesh @mesh = <["a"=2, "b"=4, "c"=4]>
func.func @f(%x: tensor<8xf32>) {
  %0 = stablehlo.tanh %x {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}]>, <@mesh, [{}]>]>} : tensor<8xf32>
  return
}

// -----

// CHECK: arg 1 has attributes, but the function has 1 args
sdy.mesh @mesh = <["a"=2, "b"=4, "c"=4]>
"func.func"() <{sym_name = "f", function_type = (tensor<8xf32>) -> (), arg_attrs = [{}, {sdy.sharding = #sdy.sharding<@mesh, [{}]>}]}> ({
^bb0(%x: tensor<8xf32>):
  "func.return"() : () -> ()
}) : () -> ()
