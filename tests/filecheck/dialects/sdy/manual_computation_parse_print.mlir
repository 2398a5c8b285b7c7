// RUN: xshardy-opt %s | filecheck %s
// RUN: xshardy-opt %s | xshardy-opt | filecheck %s
// RUN: xshardy-opt %s --print-op-generic | filecheck %s --check-prefix=GENERIC
// RUN: xshardy-opt %s --print-op-generic | xshardy-opt | filecheck %s

sdy.mesh @mesh = <["a"=2, "b"=2, "c"=4, "d"=2]>

func.func @manual_on_one_axis(%x: tensor<16x32xf32>) -> tensor<16x32xf32> {
  // CHECK: sdy.manual_computation(%{{[^ ,)]+}}) in_shardings=[<@mesh, [{"a", "b"}, {}]>] out_shardings=[<@mesh, [{"a", ?}, {?}]>] manual_axes={"a"} (%{{[^ ,)]+}}: tensor<8x32xf32>) {
  // GENERIC: "sdy.manual_computation"(%{{[^ ,)]+}}) <{in_shardings = #sdy.sharding_per_value<[<@mesh, [{"a", "b"}, {}]>]>, manual_axes = #sdy<manual_axes{"a"}>, out_shardings = #sdy.sharding_per_value<[<@mesh, [{"a", ?}, {?}]>]>}> ({
  %0 = sdy.manual_computation(%x) in_shardings=[<@mesh, [{"a", "b"}, {}]>] out_shardings=[<@mesh, [{"a", ?}, {?}]>] manual_axes={"a"} (%y: tensor<8x32xf32>) {
    %1 = stablehlo.tanh %y : tensor<8x32xf32>
    sdy.return %1 : tensor<8x32xf32>
  } : (tensor<16x32xf32>) -> tensor<16x32xf32>
  return %0 : tensor<16x32xf32>
}
func.func @several_axes_and_values(%x: tensor<16x32xf32>, %z: tensor<8xf32>) -> tensor<16x32xf32> {
  // CHECK: sdy.manual_computation(%{{[^ ,)]+}}, %{{[^ ,)]+}}) in_shardings=[<@mesh, [{"c":(1)2, "a"}, {"b"}]>, <@mesh, [{}], replicated={"a"}>] out_shardings=[<@mesh, [{"a"}, {}]>, <@mesh, [{"b"}]>] manual_axes={"a", "b", "c"} (%{{[^ ,)]+}}: tensor<4x16xf32>, %{{[^ ,)]+}}: tensor<8xf32>) {
  // GENERIC: "sdy.manual_computation"(%{{[^ ,)]+}}, %{{[^ ,)]+}}) <{in_shardings = #sdy.sharding_per_value<[<@mesh, [{"c":(1)2, "a"}, {"b"}]>, <@mesh, [{}], replicated={"a"}>]>, manual_axes = #sdy<manual_axes{"a", "b", "c"}>, out_shardings = #sdy.sharding_per_value<[<@mesh, [{"a"}, {}]>, <@mesh, [{"b"}]>]>}> ({
  %0:2 = sdy.manual_computation(%x, %z) in_shardings=[<@mesh, [{"c":(1)2, "a"}, {"b"}]>, <@mesh, [{}], replicated={"a"}>] out_shardings=[<@mesh, [{"a"}, {}]>, <@mesh, [{"b"}]>] manual_axes={"a", "b", "c"} (%y: tensor<4x16xf32>, %w: tensor<8xf32>) {
    %1 = sdy.constant dense<1.0> : tensor<8x32xf32>
    %2 = sdy.constant dense<1.0> : tensor<4xf32>
    sdy.return %1, %2 : tensor<8x32xf32>, tensor<4xf32>
  } : (tensor<16x32xf32>, tensor<8xf32>) -> (tensor<16x32xf32>, tensor<8xf32>)
  return %0#0 : tensor<16x32xf32>
}
func.func @free_on_all_axes(%x: tensor<?xf32>) {
  // CHECK: sdy.manual_computation(%{{[^ ,)]+}}) in_shardings=[<@mesh, [{"a"}]>] out_shardings=[<@mesh, [{?}]>] manual_axes={} (%{{[^ ,)]+}}: tensor<?xf32>) {
  // GENERIC: "sdy.manual_computation"(%{{[^ ,)]+}}) <{in_shardings = #sdy.sharding_per_value<[<@mesh, [{"a"}]>]>, manual_axes = #sdy<manual_axes{}>, out_shardings = #sdy.sharding_per_value<[<@mesh, [{?}]>]>}> ({
  %0 = sdy.manual_computation(%x) in_shardings=[<@mesh, [{"a"}]>] out_shardings=[<@mesh, [{?}]>] manual_axes={} (%y: tensor<?xf32>) {
    sdy.return %y : tensor<?xf32>
  } {any.thing} : (tensor<?xf32>) -> tensor<?xf32>
  return
}
func.func @without_values() {
  // CHECK: sdy.manual_computation() in_shardings=[] out_shardings=[] manual_axes={} () {
  // GENERIC: "sdy.manual_computation"() <{in_shardings = #sdy.sharding_per_value<[]>, manual_axes = #sdy<manual_axes{}>, out_shardings = #sdy.sharding_per_value<[]>}> ({
  sdy.manual_computation() in_shardings=[] out_shardings=[] manual_axes={} () {
    sdy.return
  } : () -> ()
  return
}
func.func @inputs_only(%x: tensor<16xf32>) {
  // CHECK: sdy.manual_computation(%{{[^ ,)]+}}) in_shardings=[<@mesh, [{"a"}]>] out_shardings=[] manual_axes={"a"} (%{{[^ ,)]+}}: tensor<8xf32>) {
  // GENERIC: "sdy.manual_computation"(%{{[^ ,)]+}}) <{in_shardings = #sdy.sharding_per_value<[<@mesh, [{"a"}]>]>, manual_axes = #sdy<manual_axes{"a"}>, out_shardings = #sdy.sharding_per_value<[]>}> ({
  sdy.manual_computation(%x) in_shardings=[<@mesh, [{"a"}]>] out_shardings=[] manual_axes={"a"} (%y: tensor<8xf32>) {
    sdy.return
  } : (tensor<16xf32>) -> ()
  return
}
func.func @token(%x: !stablehlo.token) {
  // CHECK: sdy.manual_computation(%{{[^ ,)]+}}) in_shardings=[<@mesh, []>] out_shardings=[<@mesh, []>] manual_axes={"a"} (%{{[^ ,)]+}}: !stablehlo.token) {
  // GENERIC: "sdy.manual_computation"(%{{[^ ,)]+}}) <{in_shardings = #sdy.sharding_per_value<[<@mesh, []>]>, manual_axes = #sdy<manual_axes{"a"}>, out_shardings = #sdy.sharding_per_value<[<@mesh, []>]>}> ({
  %0 = sdy.manual_computation(%x) in_shardings=[<@mesh, []>] out_shardings=[<@mesh, []>] manual_axes={"a"} (%y: !stablehlo.token) {
    sdy.return %y : !stablehlo.token
  } : (!stablehlo.token) -> !stablehlo.token
  return
}
func.func @nested(%x: tensor<16xf32>) -> tensor<16xf32> {
  // CHECK: sdy.manual_computation(%{{[^ ,)]+}}) in_shardings=[<@mesh, [{"a"}]>] out_shardings=[<@mesh, [{"a"}]>] manual_axes={"a"} (%{{[^ ,)]+}}: tensor<8xf32>) {
  // GENERIC: "sdy.manual_computation"(%{{[^ ,)]+}}) <{in_shardings = #sdy.sharding_per_value<[<@mesh, [{"a"}]>]>, manual_axes = #sdy<manual_axes{"a"}>, out_shardings = #sdy.sharding_per_value<[<@mesh, [{"a"}]>]>}> ({
  %0 = sdy.manual_computation(%x) in_shardings=[<@mesh, [{"a"}]>] out_shardings=[<@mesh, [{"a"}]>] manual_axes={"a"} (%y: tensor<8xf32>) {
    // CHECK: sdy.manual_computation(%{{[^ ,)]+}}) in_shardings=[<@mesh, [{"b"}]>] out_shardings=[<@mesh, [{"b"}]>] manual_axes={"b"} (%{{[^ ,)]+}}: tensor<4xf32>) {
    // GENERIC: "sdy.manual_computation"(%{{[^ ,)]+}}) <{in_shardings = #sdy.sharding_per_value<[<@mesh, [{"b"}]>]>, manual_axes = #sdy<manual_axes{"b"}>, out_shardings = #sdy.sharding_per_value<[<@mesh, [{"b"}]>]>}> ({
    %1 = sdy.manual_computation(%y) in_shardings=[<@mesh, [{"b"}]>] out_shardings=[<@mesh, [{"b"}]>] manual_axes={"b"} (%z: tensor<4xf32>) {
      sdy.return %z : tensor<4xf32>
    } : (tensor<8xf32>) -> tensor<8xf32>
    sdy.return %1 : tensor<8xf32>
  } : (tensor<16xf32>) -> tensor<16xf32>
  return %0 : tensor<16xf32>
}
func.func @return_left_out(%x: tensor<16xf32>) {
  // CHECK-LABEL: @return_left_out
  // CHECK:      sdy.manual_computation(%{{[^ ,)]+}}) in_shardings=[<@mesh, [{"a"}]>] out_shardings=[] manual_axes={"a"} (%{{[^ ,)]+}}: tensor<8xf32>) {
  // CHECK-NEXT:   stablehlo.tanh
  // CHECK-NEXT:   sdy.return
  // CHECK-NEXT: } : (tensor<16xf32>) -> ()
  sdy.manual_computation(%x) in_shardings=[<@mesh, [{"a"}]>] out_shardings=[] manual_axes={"a"} (%y: tensor<8xf32>) {
    %0 = stablehlo.tanh %y : tensor<8xf32>
  } : (tensor<16xf32>) -> ()
  return
}
