// RUN: xshardy-opt %s -p xla-sdy-round-trip-shard-map-export --split-input-file | filecheck %s

sdy.mesh @mesh = <["a"=2, "b"=4]>

// The name of the function is taken: inner computations get their names first.
// CHECK-LABEL: func.func private @xla.sdy.manual_computation_body()
func.func private @xla.sdy.manual_computation_body()

// CHECK-LABEL: func.func @nested
// CHECK-NEXT:    %[[L:.*]] = stablehlo.custom_call @xla.sdy.GlobalToLocalShape(%arg0) {has_side_effect = true, mhlo.frontend_attributes = {xla.sdy.in_shardings = "#sdy.sharding_per_value<[<@mesh, [{\22a\22}]>]>", xla.sdy.manual_axes = "#sdy<manual_axes{\22a\22}>"}} : (tensor<8xf32>) -> tensor<4xf32>
// CHECK-NEXT:    %[[R:.*]]:2 = call @xla.sdy.manual_computation_body_1(%[[L]]) {mhlo.frontend_attributes = {inlineable = "false", kept = "x"}} : (tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>)
// CHECK-NEXT:    %[[G:.*]]:2 = stablehlo.custom_call @xla.sdy.LocalToGlobalShape(%[[R]]#0, %[[R]]#1) {has_side_effect = true, mhlo.frontend_attributes = {xla.sdy.manual_axes = "#sdy<manual_axes{\22a\22}>", xla.sdy.out_shardings = "#sdy.sharding_per_value<[<@mesh, [{\22a\22}]>, <@mesh, [{}], replicated={\22a\22}>]>"}} : (tensor<4xf32>, tensor<4xf32>) -> (tensor<8xf32>, tensor<4xf32>)
// CHECK-NEXT:    return %[[G]]#0, %[[G]]#1
// CHECK:       func.func @xla.sdy.manual_computation_body_0(%arg0: tensor<1xf32>) -> tensor<1xf32> {
// CHECK-NEXT:    %0 = stablehlo.negate %arg0
// CHECK-NEXT:    return %0
// CHECK:       func.func @xla.sdy.manual_computation_body_1(%arg0: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
// CHECK-NEXT:    %0 = stablehlo.custom_call @xla.sdy.GlobalToLocalShape(%arg0)
// CHECK-NEXT:    %1 = call @xla.sdy.manual_computation_body_0(%0)
// CHECK-NEXT:    %2 = stablehlo.custom_call @xla.sdy.LocalToGlobalShape(%1)
// CHECK-NEXT:    return %2, %arg0
func.func @nested(%x: tensor<8xf32>) -> (tensor<8xf32>, tensor<4xf32>) {
  %0:2 = sdy.manual_computation(%x) in_shardings=[<@mesh, [{"a"}]>] out_shardings=[<@mesh, [{"a"}]>, <@mesh, [{}], replicated={"a"}>] manual_axes={"a"} (%y: tensor<4xf32>) {
    %1 = sdy.manual_computation(%y) in_shardings=[<@mesh, [{"b"}]>] out_shardings=[<@mesh, [{"b"}]>] manual_axes={"b"} (%z: tensor<1xf32>) {
      %2 = stablehlo.negate %z : tensor<1xf32>
      sdy.return %2 : tensor<1xf32>
    } : (tensor<4xf32>) -> tensor<4xf32>
    sdy.return %1, %y : tensor<4xf32>, tensor<4xf32>
  } {mhlo.frontend_attributes = {kept = "x"}} : (tensor<8xf32>) -> (tensor<8xf32>, tensor<4xf32>)
  return %0#0, %0#1 : tensor<8xf32>, tensor<4xf32>
}

// -----

sdy.mesh @mesh = <["a"=2, "b"=4]>

// CHECK-LABEL: func.func @no_operands
// CHECK-NEXT:    %0 = call @xla.sdy.manual_computation_body() {{.*}} : () -> tensor<4xf32>
// CHECK-NEXT:    %1 = stablehlo.custom_call @xla.sdy.LocalToGlobalShape(%0)
func.func @no_operands() -> tensor<8xf32> {
  %0 = sdy.manual_computation() in_shardings=[] out_shardings=[<@mesh, [{"a"}]>] manual_axes={"a"} () {
    %1 = stablehlo.constant dense<1.0> : tensor<4xf32>
    sdy.return %1 : tensor<4xf32>
  } : () -> tensor<8xf32>
  return %0 : tensor<8xf32>
}

// CHECK-LABEL: func.func @no_results
// CHECK-NEXT:    %0 = stablehlo.custom_call @xla.sdy.GlobalToLocalShape(%arg0)
// CHECK-NEXT:    call @xla.sdy.manual_computation_body_0(%0) {{.*}} : (tensor<4xf32>) -> ()
// CHECK-NEXT:    return
func.func @no_results(%x: tensor<8xf32>) {
  sdy.manual_computation(%x) in_shardings=[<@mesh, [{"a"}]>] out_shardings=[] manual_axes={"a"} (%y: tensor<4xf32>) {
    sdy.return
  } : (tensor<8xf32>) -> ()
  return
}
