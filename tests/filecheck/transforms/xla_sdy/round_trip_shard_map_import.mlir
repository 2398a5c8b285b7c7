// RUN: xshardy-opt %s -p xla-sdy-round-trip-shard-map-import --split-input-file | filecheck %s

sdy.mesh @mesh = <["a"=2, "b"=4]>

// CHECK-NOT:   manual_computation_body
// CHECK-LABEL: func.func @operands_and_results
// CHECK-NEXT:    %0 = sdy.manual_computation(%arg0) in_shardings=[<@mesh, [{"a"}]>] out_shardings=[<@mesh, [{"a"}], replicated={"b"}>] manual_axes={"a", "b"} (%arg1: tensor<4xf32>) {
// CHECK-NEXT:      %1 = stablehlo.negate %arg1 : tensor<4xf32>
// CHECK-NEXT:      sdy.return %1 : tensor<4xf32>
// CHECK-NEXT:    } : (tensor<8xf32>) -> tensor<8xf32>
// CHECK-NEXT:    return %0 : tensor<8xf32>
func.func @operands_and_results(%x: tensor<8xf32>) -> tensor<8xf32> {
  %0 = stablehlo.custom_call @xla.sdy.GlobalToLocalShape(%x) {mhlo.frontend_attributes = {xla.sdy.in_shardings = "#sdy.sharding_per_value<[<@mesh, [{\22a\22}]>]>", xla.sdy.manual_axes = "#sdy<manual_axes{\22a\22, \22b\22}>"}} : (tensor<8xf32>) -> tensor<4xf32>
  %1 = func.call @xla.sdy.manual_computation_body(%0) : (tensor<4xf32>) -> tensor<4xf32>
  %2 = stablehlo.custom_call @xla.sdy.LocalToGlobalShape(%1) {mhlo.frontend_attributes = {xla.sdy.out_shardings = "#sdy.sharding_per_value<[<@mesh, [{\22a\22}], replicated={\22b\22}>]>", xla.sdy.manual_axes = "#sdy<manual_axes{\22a\22, \22b\22}>"}} : (tensor<4xf32>) -> tensor<8xf32>
  return %2 : tensor<8xf32>
}
func.func private @xla.sdy.manual_computation_body(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = stablehlo.negate %x : tensor<4xf32>
  return %0 : tensor<4xf32>
}

// CHECK-LABEL: func.func @only_results
// CHECK-NEXT:    %0 = sdy.manual_computation() in_shardings=[] out_shardings=[<@mesh, [{"b"}]>] manual_axes={"b"} () {
// CHECK:         } : () -> tensor<8xf32>
func.func @only_results() -> tensor<8xf32> {
  %0 = func.call @prefix.xla.sdy.manual_computation_body_1.suffix() : () -> tensor<2xf32>
  %1 = stablehlo.custom_call @xla.sdy.LocalToGlobalShape(%0) {mhlo.frontend_attributes = {xla.sdy.out_shardings = "#sdy.sharding_per_value<[<@mesh, [{\22b\22}]>]>", xla.sdy.manual_axes = "#sdy<manual_axes{\22b\22}>"}} : (tensor<2xf32>) -> tensor<8xf32>
  return %1 : tensor<8xf32>
}
func.func private @prefix.xla.sdy.manual_computation_body_1.suffix() -> tensor<2xf32> {
  %0 = stablehlo.constant dense<1.0> : tensor<2xf32>
  return %0 : tensor<2xf32>
}

// CHECK-LABEL: func.func @only_operands
// CHECK-NEXT:    sdy.manual_computation(%arg0) in_shardings=[<@mesh, [{"b"}]>] out_shardings=[] manual_axes={"b"} (%arg1: tensor<2xf32>) {
// CHECK-NEXT:      stablehlo.custom_call @print(%arg1)
// CHECK-NEXT:      sdy.return
// CHECK-NEXT:    } : (tensor<8xf32>) -> ()
func.func @only_operands(%x: tensor<8xf32>) {
  %0 = stablehlo.custom_call @xla.sdy.GlobalToLocalShape(%x) {mhlo.frontend_attributes = {xla.sdy.in_shardings = "#sdy.sharding_per_value<[<@mesh, [{\22b\22}]>]>", xla.sdy.manual_axes = "#sdy<manual_axes{\22b\22}>"}} : (tensor<8xf32>) -> tensor<2xf32>
  func.call @xla.sdy.manual_computation_body_2(%0) : (tensor<2xf32>) -> ()
  return
}
func.func private @xla.sdy.manual_computation_body_2(%x: tensor<2xf32>) {
  stablehlo.custom_call @print(%x) {has_side_effect = true} : (tensor<2xf32>) -> ()
  return
}

// XLA replaces arrays without elements by constants: an operand need not come from the custom call, a result is not
// read, and neither is what made it.
// CHECK-LABEL: func.func @without_elements
// CHECK-NEXT:    %{{.*}} = stablehlo.constant dense<>
// CHECK-NEXT:    %[[R:.*]] = sdy.manual_computation(%arg1, %arg0) in_shardings=[<@mesh, [{}]>, <@mesh, [{"a"}]>] out_shardings=[<@mesh, [{"a"}]>] manual_axes={"a"} (%arg2: tensor<0xf32>, %arg3: tensor<4xf32>) {
// CHECK-NEXT:      sdy.return %arg3
// CHECK-NEXT:    } : (tensor<0xf32>, tensor<8xf32>) -> tensor<8xf32>
// CHECK-NEXT:    return %[[R]]
func.func @without_elements(%x: tensor<8xf32>, %empty: tensor<0xf32>) -> tensor<8xf32> {
  %e = stablehlo.constant dense<> : tensor<0xf32>
  %0:2 = stablehlo.custom_call @xla.sdy.GlobalToLocalShape(%empty, %x) {mhlo.frontend_attributes = {xla.sdy.in_shardings = "#sdy.sharding_per_value<[<@mesh, [{}]>, <@mesh, [{\22a\22}]>]>", xla.sdy.manual_axes = "#sdy<manual_axes{\22a\22}>"}} : (tensor<0xf32>, tensor<8xf32>) -> (tensor<0xf32>, tensor<4xf32>)
  %1 = func.call @xla.sdy.manual_computation_body_3(%e, %0#1) : (tensor<0xf32>, tensor<4xf32>) -> tensor<4xf32>
  %2 = stablehlo.custom_call @xla.sdy.LocalToGlobalShape(%1) {mhlo.frontend_attributes = {xla.sdy.out_shardings = "#sdy.sharding_per_value<[<@mesh, [{\22a\22}]>]>", xla.sdy.manual_axes = "#sdy<manual_axes{\22a\22}>"}} : (tensor<4xf32>) -> tensor<8xf32>
  %3 = stablehlo.custom_call @xla.sdy.GlobalToLocalShape(%empty) {mhlo.frontend_attributes = {xla.sdy.in_shardings = "#sdy.sharding_per_value<[<@mesh, [{}]>]>", xla.sdy.manual_axes = "#sdy<manual_axes{\22a\22}>"}} : (tensor<0xf32>) -> tensor<0xf32>
  %4 = func.call @xla.sdy.manual_computation_body_4(%3) : (tensor<0xf32>) -> tensor<0xf32>
  return %2 : tensor<8xf32>
}
func.func private @xla.sdy.manual_computation_body_3(%x: tensor<0xf32>, %y: tensor<4xf32>) -> tensor<4xf32> {
  return %y : tensor<4xf32>
}
func.func private @xla.sdy.manual_computation_body_4(%x: tensor<0xf32>) -> tensor<0xf32> {
  return %x : tensor<0xf32>
}

// Older versions of XLA had the attributes on the call.
// CHECK-LABEL: func.func @attributes_on_the_call
// CHECK-NEXT:    sdy.manual_computation(%arg0) in_shardings=[<@mesh, [{"a"}]>] out_shardings=[<@mesh, [{}]>] manual_axes={"a"}
func.func @attributes_on_the_call(%x: tensor<8xf32>) -> tensor<4xf32> {
  %0 = stablehlo.custom_call @xla.sdy.GlobalToLocalShape(%x) : (tensor<8xf32>) -> tensor<4xf32>
  %1 = func.call @xla.sdy.manual_computation_body_5(%0) {mhlo.frontend_attributes = {xla.sdy.in_shardings = "#sdy.sharding_per_value<[<@mesh, [{\22a\22}]>]>", xla.sdy.out_shardings = "#sdy.sharding_per_value<[<@mesh, [{}]>]>", xla.sdy.manual_axes = "#sdy<manual_axes{\22a\22}>"}} : (tensor<4xf32>) -> tensor<4xf32>
  %2 = stablehlo.custom_call @xla.sdy.LocalToGlobalShape(%1) : (tensor<4xf32>) -> tensor<4xf32>
  return %2 : tensor<4xf32>
}
func.func private @xla.sdy.manual_computation_body_5(%x: tensor<4xf32>) -> tensor<4xf32> {
  return %x : tensor<4xf32>
}

// -----

sdy.mesh @mesh = <["a"=2, "b"=4]>

// A body that is called twice is copied, with the computation inside of it. A function has a version for each context.
// CHECK-LABEL: func.func @called_twice
// CHECK-NEXT:    %0 = sdy.manual_computation(%arg0) in_shardings=[<@mesh, [{"a"}]>] out_shardings=[<@mesh, [{"a"}]>] manual_axes={"a"} (%arg2: tensor<4xf32>) {
// CHECK-NEXT:      %3 = sdy.manual_computation(%arg2) in_shardings=[<@mesh, [{"b"}]>] out_shardings=[<@mesh, [{"b"}]>] manual_axes={"b"} (%arg3: tensor<1xf32>) {
// CHECK-NEXT:        %4 = func.call @f_0(%arg3)
// CHECK-NEXT:        sdy.return %4
// CHECK-NEXT:      }
// CHECK-NEXT:      sdy.return %3
// CHECK-NEXT:    }
// CHECK-NEXT:    %1 = sdy.manual_computation(%0)
// CHECK-NEXT:      %3 = sdy.manual_computation(%arg2)
// CHECK-NEXT:        %4 = func.call @f_0(%arg3)
// CHECK:         %2 = call @f(%arg1)
// CHECK-LABEL: func.func private @f(
// CHECK-SAME:      -> tensor<1xf32> {
// CHECK-NEXT:    call @g(
// CHECK-LABEL: func.func private @g(
// CHECK-SAME:      -> tensor<1xf32> {
// CHECK-LABEL: func.func private @f_0(
// CHECK-SAME:      attributes {sdy.func_manual_axes = #sdy<manual_axes{"a", "b"}>, sdy.original_func_name = "f"}
// CHECK-NEXT:    call @g_1(
// CHECK-LABEL: func.func private @g_1(
// CHECK-SAME:      attributes {sdy.func_manual_axes = #sdy<manual_axes{"a", "b"}>, sdy.original_func_name = "g"}
func.func @called_twice(%x: tensor<8xf32>, %y: tensor<1xf32>) -> (tensor<8xf32>, tensor<1xf32>) {
  %0 = stablehlo.custom_call @xla.sdy.GlobalToLocalShape(%x) {mhlo.frontend_attributes = {xla.sdy.in_shardings = "#sdy.sharding_per_value<[<@mesh, [{\22a\22}]>]>", xla.sdy.manual_axes = "#sdy<manual_axes{\22a\22}>"}} : (tensor<8xf32>) -> tensor<4xf32>
  %1 = func.call @xla.sdy.manual_computation_body(%0) : (tensor<4xf32>) -> tensor<4xf32>
  %2 = stablehlo.custom_call @xla.sdy.LocalToGlobalShape(%1) {mhlo.frontend_attributes = {xla.sdy.out_shardings = "#sdy.sharding_per_value<[<@mesh, [{\22a\22}]>]>", xla.sdy.manual_axes = "#sdy<manual_axes{\22a\22}>"}} : (tensor<4xf32>) -> tensor<8xf32>
  %3 = stablehlo.custom_call @xla.sdy.GlobalToLocalShape(%2) {mhlo.frontend_attributes = {xla.sdy.in_shardings = "#sdy.sharding_per_value<[<@mesh, [{\22a\22}]>]>", xla.sdy.manual_axes = "#sdy<manual_axes{\22a\22}>"}} : (tensor<8xf32>) -> tensor<4xf32>
  %4 = func.call @xla.sdy.manual_computation_body(%3) : (tensor<4xf32>) -> tensor<4xf32>
  %5 = stablehlo.custom_call @xla.sdy.LocalToGlobalShape(%4) {mhlo.frontend_attributes = {xla.sdy.out_shardings = "#sdy.sharding_per_value<[<@mesh, [{\22a\22}]>]>", xla.sdy.manual_axes = "#sdy<manual_axes{\22a\22}>"}} : (tensor<4xf32>) -> tensor<8xf32>
  %6 = func.call @f(%y) : (tensor<1xf32>) -> tensor<1xf32>
  return %5, %6 : tensor<8xf32>, tensor<1xf32>
}
func.func private @xla.sdy.manual_computation_body(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = stablehlo.custom_call @xla.sdy.GlobalToLocalShape(%x) {mhlo.frontend_attributes = {xla.sdy.in_shardings = "#sdy.sharding_per_value<[<@mesh, [{\22b\22}]>]>", xla.sdy.manual_axes = "#sdy<manual_axes{\22b\22}>"}} : (tensor<4xf32>) -> tensor<1xf32>
  %1 = func.call @xla.sdy.manual_computation_body_0(%0) : (tensor<1xf32>) -> tensor<1xf32>
  %2 = stablehlo.custom_call @xla.sdy.LocalToGlobalShape(%1) {mhlo.frontend_attributes = {xla.sdy.out_shardings = "#sdy.sharding_per_value<[<@mesh, [{\22b\22}]>]>", xla.sdy.manual_axes = "#sdy<manual_axes{\22b\22}>"}} : (tensor<1xf32>) -> tensor<4xf32>
  return %2 : tensor<4xf32>
}
func.func private @xla.sdy.manual_computation_body_0(%x: tensor<1xf32>) -> tensor<1xf32> {
  %0 = func.call @f(%x) : (tensor<1xf32>) -> tensor<1xf32>
  return %0 : tensor<1xf32>
}
func.func private @f(%x: tensor<1xf32>) -> tensor<1xf32> {
  %0 = func.call @g(%x) : (tensor<1xf32>) -> tensor<1xf32>
  return %0 : tensor<1xf32>
}
func.func private @g(%x: tensor<1xf32>) -> tensor<1xf32> {
  %0 = stablehlo.negate %x : tensor<1xf32>
  return %0 : tensor<1xf32>
}

// -----

// A function that is only called in one context stays one; the context around is written on the caller.
sdy.mesh @mesh = <["a"=2, "b"=4]>
// CHECK-LABEL: func.func @one_context
// CHECK:         func.call @f(
// CHECK:         func.call @f(
// CHECK-LABEL: func.func private @f(
// CHECK-SAME:      attributes {sdy.func_manual_axes = #sdy<manual_axes{"a", "b"}>}
func.func @one_context(%x: tensor<8xf32>) -> tensor<8xf32> attributes {sdy.func_manual_axes = #sdy<manual_axes{"a"}>} {
  %0 = stablehlo.custom_call @xla.sdy.GlobalToLocalShape(%x) {mhlo.frontend_attributes = {xla.sdy.in_shardings = "#sdy.sharding_per_value<[<@mesh, [{\22b\22}]>]>", xla.sdy.manual_axes = "#sdy<manual_axes{\22b\22}>"}} : (tensor<8xf32>) -> tensor<2xf32>
  %1 = func.call @xla.sdy.manual_computation_body(%0) : (tensor<2xf32>) -> tensor<2xf32>
  %2 = stablehlo.custom_call @xla.sdy.LocalToGlobalShape(%1) {mhlo.frontend_attributes = {xla.sdy.out_shardings = "#sdy.sharding_per_value<[<@mesh, [{\22b\22}]>]>", xla.sdy.manual_axes = "#sdy<manual_axes{\22b\22}>"}} : (tensor<2xf32>) -> tensor<8xf32>
  return %2 : tensor<8xf32>
}
func.func private @xla.sdy.manual_computation_body(%x: tensor<2xf32>) -> tensor<2xf32> {
  %0 = func.call @f(%x) : (tensor<2xf32>) -> tensor<2xf32>
  %1 = func.call @f(%0) : (tensor<2xf32>) -> tensor<2xf32>
  return %1 : tensor<2xf32>
}
func.func private @f(%x: tensor<2xf32>) -> tensor<2xf32> {
  return %x : tensor<2xf32>
}

// -----

// The part of a value that two calls read stays until both are imported.
sdy.mesh @mesh = <["a"=2, "b"=4]>
// CHECK-LABEL: func.func @two_calls_read_one_part
// CHECK-NEXT:    %0 = sdy.manual_computation(%arg0) in_shardings=[<@mesh, [{"a"}]>] {{.*}} {
// CHECK-NEXT:      %2 = stablehlo.abs %arg1
// CHECK:         %1 = sdy.manual_computation(%arg0) in_shardings=[<@mesh, [{"a"}]>] {{.*}} {
// CHECK-NEXT:      %2 = stablehlo.negate %arg1
// CHECK:         return %0, %1
func.func @two_calls_read_one_part(%x: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>) {
  %0 = stablehlo.custom_call @xla.sdy.GlobalToLocalShape(%x) {mhlo.frontend_attributes = {xla.sdy.in_shardings = "#sdy.sharding_per_value<[<@mesh, [{\22a\22}]>]>", xla.sdy.manual_axes = "#sdy<manual_axes{\22a\22}>"}} : (tensor<8xf32>) -> tensor<4xf32>
  %1 = func.call @xla.sdy.manual_computation_body(%0) : (tensor<4xf32>) -> tensor<4xf32>
  %2 = stablehlo.custom_call @xla.sdy.LocalToGlobalShape(%1) {mhlo.frontend_attributes = {xla.sdy.out_shardings = "#sdy.sharding_per_value<[<@mesh, [{\22a\22}]>]>", xla.sdy.manual_axes = "#sdy<manual_axes{\22a\22}>"}} : (tensor<4xf32>) -> tensor<8xf32>
  %3 = func.call @xla.sdy.manual_computation_body_0(%0) : (tensor<4xf32>) -> tensor<4xf32>
  %4 = stablehlo.custom_call @xla.sdy.LocalToGlobalShape(%3) {mhlo.frontend_attributes = {xla.sdy.out_shardings = "#sdy.sharding_per_value<[<@mesh, [{\22a\22}]>]>", xla.sdy.manual_axes = "#sdy<manual_axes{\22a\22}>"}} : (tensor<4xf32>) -> tensor<8xf32>
  return %2, %4 : tensor<8xf32>, tensor<8xf32>
}
func.func private @xla.sdy.manual_computation_body(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = stablehlo.abs %x : tensor<4xf32>
  return %0 : tensor<4xf32>
}
func.func private @xla.sdy.manual_computation_body_0(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = stablehlo.negate %x : tensor<4xf32>
  return %0 : tensor<4xf32>
}
