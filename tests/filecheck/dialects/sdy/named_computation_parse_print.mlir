// RUN: xshardy-opt %s | filecheck %s
// RUN: xshardy-opt %s | xshardy-opt | filecheck %s
// RUN: xshardy-opt %s --print-op-generic | filecheck %s --check-prefix=GENERIC
// RUN: xshardy-opt %s --print-op-generic | xshardy-opt | filecheck %s

sdy.mesh @mesh = <["a"=2, "b"=2, "c"=4, "d"=2]>

func.func @without_shardings(%x: tensor<16x32xf32>) -> tensor<16x32xf32> {
  // CHECK: sdy.named_computation<"foo">(%{{[^ ,)]+}}) (%{{[^ ,)]+}}: tensor<16x32xf32>) {
  // GENERIC: "sdy.named_computation"(%{{[^ ,)]+}}) <{name = "foo"}> ({
  %0 = sdy.named_computation<"foo">(%x) (%y: tensor<16x32xf32>) {
    sdy.return %y : tensor<16x32xf32>
  } : (tensor<16x32xf32>) -> tensor<16x32xf32>
  return %0 : tensor<16x32xf32>
}
func.func @with_shardings(%x: tensor<16xf32>, %z: tensor<8xf32>) -> (tensor<8xf32>, tensor<16xf32>) {
  // CHECK: sdy.named_computation<"foo">(%{{[^ ,)]+}}, %{{[^ ,)]+}}) in_shardings=[<@mesh, [{"a"}]>, <@mesh, [{?}]>] out_shardings=[<@mesh, [{}]>, <@mesh, [{"b", ?}]>] (%{{[^ ,)]+}}: tensor<16xf32>, %{{[^ ,)]+}}: tensor<8xf32>) {
  // GENERIC: "sdy.named_computation"(%{{[^ ,)]+}}, %{{[^ ,)]+}}) <{in_shardings = #sdy.sharding_per_value<[<@mesh, [{"a"}]>, <@mesh, [{?}]>]>, name = "foo", out_shardings = #sdy.sharding_per_value<[<@mesh, [{}]>, <@mesh, [{"b", ?}]>]>}> ({
  %0:2 = sdy.named_computation<"foo">(%x, %z) in_shardings=[<@mesh, [{"a"}]>, <@mesh, [{?}]>] out_shardings=[<@mesh, [{}]>, <@mesh, [{"b", ?}]>] (%y: tensor<16xf32>, %w: tensor<8xf32>) {
    sdy.return %w, %y : tensor<8xf32>, tensor<16xf32>
  } : (tensor<16xf32>, tensor<8xf32>) -> (tensor<8xf32>, tensor<16xf32>)
  return %0#0, %0#1 : tensor<8xf32>, tensor<16xf32>
}
func.func @with_only_one_of_them(%x: tensor<16xf32>) {
  // CHECK: sdy.named_computation<"in">(%{{[^ ,)]+}}) in_shardings=[<@mesh, [{"a"}]>] (%{{[^ ,)]+}}: tensor<16xf32>) {
  // GENERIC: "sdy.named_computation"(%{{[^ ,)]+}}) <{in_shardings = #sdy.sharding_per_value<[<@mesh, [{"a"}]>]>, name = "in"}> ({
  %0 = sdy.named_computation<"in">(%x) in_shardings=[<@mesh, [{"a"}]>] (%y: tensor<16xf32>) {
    sdy.return %y : tensor<16xf32>
  } : (tensor<16xf32>) -> tensor<16xf32>
  // CHECK: sdy.named_computation<"out">(%{{[^ ,)]+}}) out_shardings=[<@mesh, [{"a"}]>] (%{{[^ ,)]+}}: tensor<16xf32>) {
  // GENERIC: "sdy.named_computation"(%{{[^ ,)]+}}) <{name = "out", out_shardings = #sdy.sharding_per_value<[<@mesh, [{"a"}]>]>}> ({
  %1 = sdy.named_computation<"out">(%x) out_shardings=[<@mesh, [{"a"}]>] (%y: tensor<16xf32>) {
    sdy.return %y : tensor<16xf32>
  } : (tensor<16xf32>) -> tensor<16xf32>
  return
}
func.func @without_values() {
  // CHECK: sdy.named_computation<"nothing">() () {
  // GENERIC: "sdy.named_computation"() <{name = "nothing"}> ({
  sdy.named_computation<"nothing">() () {
    sdy.return
  } : () -> ()
  return
}
func.func @nested(%x: tensor<16xf32>) -> tensor<16xf32> {
  // CHECK: sdy.named_computation<"outer">(%{{[^ ,)]+}}) (%{{[^ ,)]+}}: tensor<16xf32>) {
  // GENERIC: "sdy.named_computation"(%{{[^ ,)]+}}) <{name = "outer"}> ({
  %0 = sdy.named_computation<"outer">(%x) (%y: tensor<16xf32>) {
    // CHECK: sdy.named_computation<"inner">(%{{[^ ,)]+}}) (%{{[^ ,)]+}}: tensor<16xf32>) {
    // GENERIC: "sdy.named_computation"(%{{[^ ,)]+}}) <{name = "inner"}> ({
    %1 = sdy.named_computation<"inner">(%y) (%z: tensor<16xf32>) {
      sdy.return %z : tensor<16xf32>
    } : (tensor<16xf32>) -> tensor<16xf32>
    sdy.return %1 : tensor<16xf32>
  } : (tensor<16xf32>) -> tensor<16xf32>
  return %0 : tensor<16xf32>
}
func.func @data_flow_edge_of_a_result(%x: tensor<16xf32>) -> tensor<16xf32> {
  // CHECK: sdy.named_computation<"foo">(%{{[^ ,)]+}}) (%{{[^ ,)]+}}: tensor<16xf32>) {
  // GENERIC: "sdy.named_computation"(%{{[^ ,)]+}}) <{name = "foo"}> ({
  %0 = sdy.named_computation<"foo">(%x) (%y: tensor<16xf32>) {
    sdy.return %y : tensor<16xf32>
  } : (tensor<16xf32>) -> tensor<16xf32>
  // CHECK: sdy.data_flow_edge %{{[^ ,)]+}} : tensor<16xf32>
  // GENERIC: "sdy.data_flow_edge"(%{{[^ ,)]+}}) : (tensor<16xf32>) -> tensor<16xf32>
  %1 = sdy.data_flow_edge %0 : tensor<16xf32>
  return %1 : tensor<16xf32>
}
func.func @return_left_out(%x: tensor<16xf32>) {
  // CHECK-LABEL: @return_left_out
  // CHECK:      sdy.named_computation<"foo">(%{{[^ ,)]+}}) (%{{[^ ,)]+}}: tensor<16xf32>) {
  // CHECK-NEXT:   stablehlo.tanh
  // CHECK-NEXT:   sdy.return
  // CHECK-NEXT: } : (tensor<16xf32>) -> ()
  sdy.named_computation<"foo">(%x) (%y: tensor<16xf32>) {
    %0 = stablehlo.tanh %y : tensor<16xf32>
  } : (tensor<16xf32>) -> ()
  // CHECK-NEXT: sdy.named_computation<"empty">() () {
  // CHECK-NEXT:   sdy.return
  // CHECK-NEXT: } : () -> ()
  sdy.named_computation<"empty">() () {
  } : () -> ()
  return
}
