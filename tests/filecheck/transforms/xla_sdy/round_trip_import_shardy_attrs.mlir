// RUN: xshardy-opt %s -p xla-sdy-round-trip-import-shardy-attrs --split-input-file | filecheck %s

// Meshes stand in front of all else; other frontend attributes of the module stay.
// CHECK:       module attributes {mhlo.frontend_attributes = {other = "kept"}} {
// CHECK-NEXT:    sdy.mesh @mesh = <["a"=2, "b"=4]>
// CHECK-NEXT:    sdy.mesh @single = <[], device_ids=[0]>
module attributes {mhlo.frontend_attributes = {xla.sdy.meshes = "{mesh = #sdy.mesh<[\22a\22=2, \22b\22=4]>, single = #sdy.mesh<[], device_ids=[0]>}", other = "kept"}} {
  // HLO shardings go, the sharding in the frontend attributes comes; its text may have the backslashes of HLO text.
  // CHECK-LABEL: func.func @arguments
  // CHECK-SAME:      (%arg0: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}, {"b", ?}]>},
  // CHECK-SAME:       %arg1: tensor<8x8xf32> {mhlo.frontend_attributes = {other = "kept"}, sdy.sharding = #sdy.sharding<@mesh, [{?}, {?}]>},
  // CHECK-SAME:       %arg2: tensor<8x8xf32>)
  // CHECK-SAME:      -> tensor<8x8xf32>
  func.func @arguments(
      %x: tensor<8x8xf32> {mhlo.frontend_attributes = {xla.sdy.sharding = "#sdy.sharding<@mesh, [{\22a\22}, {\22b\22, ?}]>"}, mhlo.sharding = "{devices=[2,4]<=[8]}"},
      %y: tensor<8x8xf32> {mhlo.frontend_attributes = {other = "kept", xla.sdy.sharding = "#sdy.sharding<@mesh, [{?}, {?}]>"}},
      %z: tensor<8x8xf32> {mhlo.sharding = "{replicated}"}) -> (tensor<8x8xf32> {mhlo.sharding = "{replicated}"}) {
    return %x : tensor<8x8xf32>
  }

  // CHECK-LABEL: func.func @operations
  // CHECK-NEXT:    %0 = stablehlo.custom_call @Sharding(%arg0) {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"a"}, {}]>]>}
  // CHECK-NEXT:    %1 = stablehlo.custom_call @xla_ffi_python_gpu_callback(%0) {sdy.sharding = #sdy.sharding_per_value<[<@single, []>]>}
  // A sharding rule is read from any operation, a sharding only from those that have one in HLO.
  // CHECK-NEXT:    %2 = stablehlo.custom_call @f(%1) {sdy.sharding_rule = #sdy.op_sharding_rule<([i, j])->([i, j]) {i=8, j=8}, custom>}
  // CHECK-NEXT:    %3 = stablehlo.add %2, %2 {mhlo.frontend_attributes = {other = "kept"}} : tensor<8x8xf32>
  // CHECK-NEXT:    %4 = stablehlo.after_all {sdy.sharding = #sdy.sharding_per_value<[<@single, []>]>} : !stablehlo.token
  // The HLO shardings of an infeed are all that it has.
  // CHECK-NEXT:    "stablehlo.infeed"(%4) {{.*}}mhlo.sharding = "{{{}}{maximal device=0}, {maximal device=0}}"
  func.func @operations(%x: tensor<8x8xf32>) -> tensor<8x8xf32> {
    %0 = stablehlo.custom_call @Sharding(%x) {mhlo.frontend_attributes = {xla.sdy.sharding = "#sdy.sharding_per_value<[<@mesh, [{\\\22a\\\22}, {}]>]>"}, mhlo.sharding = "{devices=[2,1,4]<=[8] last_tile_dim_replicate}"} : (tensor<8x8xf32>) -> tensor<8x8xf32>
    %1 = stablehlo.custom_call @xla_ffi_python_gpu_callback(%0) {mhlo.frontend_attributes = {xla.sdy.sharding = "#sdy.sharding_per_value<[<@single, []>]>"}} : (tensor<8x8xf32>) -> tensor<8x8xf32>
    %2 = stablehlo.custom_call @f(%1) {mhlo.frontend_attributes = {xla.sdy.sharding = "#sdy.sharding_per_value<[<@mesh, [{\22a\22}, {}]>]>", xla.sdy.sharding_rule = "#sdy.op_sharding_rule<([i, j])->([i, j]) {i=8, j=8}, custom>"}} : (tensor<8x8xf32>) -> tensor<8x8xf32>
    %3 = stablehlo.add %2, %2 {mhlo.frontend_attributes = {other = "kept", xla.sdy.sharding = "#sdy.sharding_per_value<[<@mesh, [{\22a\22}]>]>"}, mhlo.sharding = "{replicated}"} : tensor<8x8xf32>
    %4 = stablehlo.after_all {mhlo.frontend_attributes = {xla.sdy.sharding = "#sdy.sharding_per_value<[<@single, []>]>"}} : !stablehlo.token
    %5:2 = "stablehlo.infeed"(%4) {mhlo.sharding = "{{maximal device=0}, {maximal device=0}}"} : (!stablehlo.token) -> (tensor<8x8xf32>, !stablehlo.token)
    return %3 : tensor<8x8xf32>
  }

  // CHECK-LABEL: func.func @result
  // CHECK-SAME:      -> (tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}]>}, tensor<8xf32>)
  // CHECK-NEXT:    return %arg0, %arg0
  func.func @result(%x: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>) {
    %0 = stablehlo.custom_call @xla.sdy.FuncResultSharding(%x) {has_side_effect = true, mhlo.frontend_attributes = {xla.sdy.sharding = "#sdy.sharding_per_value<[<@mesh, [{\22a\22}]>]>"}} : (tensor<8xf32>) -> tensor<8xf32>
    return %0, %x : tensor<8xf32>, tensor<8xf32>
  }

  // What was the result of an inlined function is constrained, and may be sharded further.
  // CHECK-LABEL: func.func @result_that_is_read
  // CHECK-SAME:      -> (tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}p1]>}, tensor<8xf32>)
  // CHECK-NEXT:    %0 = sdy.sharding_constraint %arg0 <@mesh, [{"a", ?}p1]> : tensor<8xf32>
  // CHECK-NEXT:    %1 = stablehlo.negate %0
  // CHECK-NEXT:    return %0, %1
  func.func @result_that_is_read(%x: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>) {
    %0 = stablehlo.custom_call @xla.sdy.FuncResultSharding(%x) {mhlo.frontend_attributes = {xla.sdy.sharding = "#sdy.sharding_per_value<[<@mesh, [{\22a\22}p1]>]>"}} : (tensor<8xf32>) -> tensor<8xf32>
    %1 = stablehlo.negate %0 : tensor<8xf32>
    return %0, %1 : tensor<8xf32>, tensor<8xf32>
  }

  // CHECK-LABEL: func.func @second_result_that_is_read
  // CHECK-SAME:      -> (tensor<8xf32>, tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}]>}) {
  func.func @second_result_that_is_read(%x: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>) {
    %0 = stablehlo.custom_call @xla.sdy.FuncResultSharding(%x) {mhlo.frontend_attributes = {xla.sdy.sharding = "#sdy.sharding_per_value<[<@mesh, [{\22a\22}]>]>"}} : (tensor<8xf32>) -> tensor<8xf32>
    %1 = stablehlo.negate %0 : tensor<8xf32>
    return %1, %0 : tensor<8xf32>, tensor<8xf32>
  }

  // XLA returns a constant instead of an array without elements.
  // CHECK-LABEL: func.func @result_without_elements
  // CHECK-SAME:      -> (tensor<0xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}]>})
  // CHECK-NEXT:    %[[EMPTY:.*]] = stablehlo.constant
  // CHECK-NEXT:    return %[[EMPTY]]
  func.func @result_without_elements() -> tensor<0xf32> {
    %0 = stablehlo.constant dense<> : tensor<0xf32>
    %1 = stablehlo.custom_call @xla.sdy.FuncResultSharding(%0) {mhlo.frontend_attributes = {xla.sdy.sharding = "#sdy.sharding_per_value<[<@mesh, [{\22a\22}]>]>"}} : (tensor<0xf32>) -> tensor<0xf32>
    return %0 : tensor<0xf32>
  }

  // XLA splits wide integers in halves, and puts the call between the halves and what makes one value of them.
  // CHECK-LABEL: func.func @result_in_halves
  // CHECK-SAME:      -> (tensor<8xui64> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}]>}, tensor<8xui64> {sdy.sharding = #sdy.sharding<@mesh, [{"b"}]>})
  // CHECK-NEXT:    %0 = stablehlo.custom_call @X64Combine(%arg0, %arg1) {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"a"}]>]>}
  // CHECK-NEXT:    %1 = stablehlo.tuple %arg0, %arg1
  // CHECK-NEXT:    %2 = stablehlo.get_tuple_element %1[0]
  // CHECK-NEXT:    %3 = stablehlo.get_tuple_element %1[1]
  // CHECK-NEXT:    %4 = stablehlo.custom_call @X64Combine(%2, %3) {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"b"}]>]>}
  // CHECK-NEXT:    return %0, %4
  func.func @result_in_halves(%low: tensor<8xui32>, %high: tensor<8xui32>) -> (tensor<8xui64>, tensor<8xui64>) {
    %0:2 = stablehlo.custom_call @xla.sdy.FuncResultSharding(%low, %high) {mhlo.frontend_attributes = {xla.sdy.sharding = "#sdy.sharding_per_value<[<@mesh, [{\22a\22}]>]>"}} : (tensor<8xui32>, tensor<8xui32>) -> (tensor<8xui32>, tensor<8xui32>)
    %1 = stablehlo.custom_call @X64Combine(%0#0, %0#1) : (tensor<8xui32>, tensor<8xui32>) -> tensor<8xui64>
    %2:2 = stablehlo.custom_call @xla.sdy.FuncResultSharding(%low, %high) {mhlo.frontend_attributes = {xla.sdy.sharding = "#sdy.sharding_per_value<[<@mesh, [{\22b\22}]>]>"}} : (tensor<8xui32>, tensor<8xui32>) -> (tensor<8xui32>, tensor<8xui32>)
    %3 = stablehlo.tuple %2#0, %2#1 : tuple<tensor<8xui32>, tensor<8xui32>>
    %4 = stablehlo.get_tuple_element %3[0] : (tuple<tensor<8xui32>, tensor<8xui32>>) -> tensor<8xui32>
    %5 = stablehlo.get_tuple_element %3[1] : (tuple<tensor<8xui32>, tensor<8xui32>>) -> tensor<8xui32>
    %6 = stablehlo.custom_call @X64Combine(%4, %5) : (tensor<8xui32>, tensor<8xui32>) -> tensor<8xui64>
    return %1, %6 : tensor<8xui64>, tensor<8xui64>
  }

  // What else reads the value of the halves sees the sharding on what makes it.
  // CHECK-LABEL: func.func @result_in_halves_that_is_read
  // CHECK-SAME:      -> (tensor<8xui64> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}]>}, tensor<8xui64>)
  // CHECK-NEXT:    %0 = stablehlo.custom_call @X64Combine(%arg0, %arg1) {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"a"}]>]>}
  // CHECK-NEXT:    %1 = stablehlo.not %0
  // CHECK-NEXT:    return %0, %1
  func.func @result_in_halves_that_is_read(%low: tensor<8xui32>, %high: tensor<8xui32>) -> (tensor<8xui64>, tensor<8xui64>) {
    %0:2 = stablehlo.custom_call @xla.sdy.FuncResultSharding(%low, %high) {mhlo.frontend_attributes = {xla.sdy.sharding = "#sdy.sharding_per_value<[<@mesh, [{\22a\22}]>]>"}} : (tensor<8xui32>, tensor<8xui32>) -> (tensor<8xui32>, tensor<8xui32>)
    %1 = stablehlo.custom_call @X64Combine(%0#0, %0#1) : (tensor<8xui32>, tensor<8xui32>) -> tensor<8xui64>
    %2 = stablehlo.not %1 : tensor<8xui64>
    return %1, %2 : tensor<8xui64>, tensor<8xui64>
  }

  // CHECK: func.func private @without_body(tensor<8xf32>) -> tensor<8xf32>
  func.func private @without_body(tensor<8xf32>) -> (tensor<8xf32> {mhlo.sharding = "{replicated}"})
}

// -----

// The shardings of a main function whose arguments, and results, are one tuple in HLO.
// CHECK:       module {
// CHECK-NEXT:    sdy.mesh @mesh = <["a"=2]>
// CHECK-NEXT:    func.func @main(
// CHECK-SAME:        %arg0: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}]>}, %arg1: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{?}]>})
// CHECK-SAME:        -> (tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}]>})
module attributes {mhlo.frontend_attributes = {xla.sdy.tuple_args_shardings = "#sdy.sharding_per_value<[<@mesh, [{\22a\22}]>, <@mesh, [{?}]>]>", xla.sdy.tuple_results_shardings = "#sdy.sharding_per_value<[<@mesh, [{}]>]>"}} {
  sdy.mesh @mesh = <["a"=2]>
  func.func @main(%x: tensor<8xf32>, %y: tensor<8xf32>) -> tensor<8xf32> {
    return %x : tensor<8xf32>
  }
}

// -----

// The arguments of a function on a core for sparse work do not take the sharding of their constraint from inside, unless
// the function would have to slice them.
sdy.mesh @mesh = <["a"=2]>
// CHECK-LABEL: func.func @caller
func.func @caller(%x: tensor<8xf32>, %y: tensor<8xf32> {mhlo.frontend_attributes = {xla.sdy.sharding = "#sdy.sharding<@mesh, [{\22a\22}]>"}}) -> tensor<8xf32> {
  %0 = func.call @offloaded(%x, %y, %y) {mhlo.frontend_attributes = {_xla_compute_type = "sparseoffload"}} : (tensor<8xf32>, tensor<8xf32>, tensor<8xf32>) -> tensor<8xf32>
  %1 = func.call @at_home(%y) : (tensor<8xf32>) -> tensor<8xf32>
  return %0 : tensor<8xf32>
}
// CHECK-LABEL: func.func private @offloaded
// CHECK-NEXT:    %0 = sdy.propagation_barrier %arg1 allowed_direction=FORWARD
// CHECK-NEXT:    %1 = stablehlo.custom_call @Sharding(%arg0)
// CHECK-NEXT:    %2 = stablehlo.custom_call @Sharding(%0)
// CHECK-NEXT:    stablehlo.add %0, %arg2
func.func private @offloaded(%x: tensor<8xf32>, %y: tensor<8xf32>, %z: tensor<8xf32>) -> tensor<8xf32> {
  %0 = stablehlo.custom_call @Sharding(%x) {mhlo.frontend_attributes = {xla.sdy.sharding = "#sdy.sharding_per_value<[<@mesh, [{\22a\22}]>]>"}} : (tensor<8xf32>) -> tensor<8xf32>
  %1 = stablehlo.custom_call @Sharding(%y) {mhlo.frontend_attributes = {xla.sdy.sharding = "#sdy.sharding_per_value<[<@mesh, [{\22a\22}]>]>"}} : (tensor<8xf32>) -> tensor<8xf32>
  %2 = stablehlo.add %y, %z : tensor<8xf32>
  return %2 : tensor<8xf32>
}
// CHECK-LABEL: func.func private @at_home
// CHECK-NEXT:    stablehlo.custom_call @Sharding(%arg0)
func.func private @at_home(%x: tensor<8xf32>) -> tensor<8xf32> {
  %0 = stablehlo.custom_call @Sharding(%x) {mhlo.frontend_attributes = {xla.sdy.sharding = "#sdy.sharding_per_value<[<@mesh, [{\22a\22}]>]>"}} : (tensor<8xf32>) -> tensor<8xf32>
  return %0 : tensor<8xf32>
}

// -----

// A module without such attributes stays as it is.
// CHECK-LABEL: func.func @without_attributes(%arg0: tensor<8xf32> {mhlo.frontend_attributes = {}}) -> tensor<8xf32> {
// CHECK-NEXT:    return %arg0 : tensor<8xf32>
func.func @without_attributes(%x: tensor<8xf32> {mhlo.frontend_attributes = {}}) -> tensor<8xf32> {
  return %x : tensor<8xf32>
}
