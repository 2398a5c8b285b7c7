// RUN: xshardy-opt %s -p xla-sdy-export-named-computations --split-input-file | filecheck %s
// RUN: xshardy-opt %s -p 'xla-sdy-export-named-computations{dedup_functions_fully=true}' --split-input-file | filecheck %s --check-prefix FULLY

sdy.mesh @mesh = <["a"=2, "b"=2]>

// Equal bodies and shardings share a function; another body of the same name never does.
// CHECK-LABEL: func.func @main
// CHECK-NEXT:    %0 = call @f(%arg0) {note = "n", sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"a"}]>]>}
// CHECK-NEXT:    %1 = call @f_0(%0) {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"b"}]>]>}
// CHECK-NEXT:    %2 = call @f_0(%1)
// CHECK-NEXT:    %3 = call @f_1(%2)
// CHECK-NEXT:    return %3
// CHECK:       func.func private @f(%arg0: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}]>}) -> (tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}]>}) {
// CHECK-NEXT:    stablehlo.negate %arg0 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"a"}]>]>}
// CHECK:       func.func private @f_0(
// CHECK:       func.func private @f_1(%arg0: tensor<8xf32>) -> tensor<8xf32> {
// CHECK-NEXT:    stablehlo.sine
// CHECK-NOT:   func.func
// FULLY-LABEL: func.func @main
// FULLY-NEXT:    %0 = call @f(%arg0) {note = "n", sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"b"}]>]>}
// FULLY-NEXT:    %1 = mhlo.copy %0 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"a"}]>]>}
// FULLY-NEXT:    %2 = call @f(%1)
// FULLY-NEXT:    %3 = call @f(%2)
// FULLY-NEXT:    %4 = call @f_0(%3)
// FULLY:       func.func private @f({{.*}}[{"b"}]
func.func @main(%x: tensor<8xf32>) -> tensor<8xf32> {
  %0 = sdy.named_computation<"f">(%x) in_shardings=[<@mesh, [{"a"}]>] out_shardings=[<@mesh, [{"a"}]>] (%y: tensor<8xf32>) {
    %4 = stablehlo.negate %y {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"a"}]>]>} : tensor<8xf32>
    sdy.return %4 : tensor<8xf32>
  } {note = "n"} : (tensor<8xf32>) -> tensor<8xf32>
  %1 = sdy.named_computation<"f">(%0) in_shardings=[<@mesh, [{"b"}]>] out_shardings=[<@mesh, [{"b"}]>] (%y: tensor<8xf32>) {
    %4 = stablehlo.negate %y {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"b"}]>]>} : tensor<8xf32>
    sdy.return %4 : tensor<8xf32>
  } : (tensor<8xf32>) -> tensor<8xf32>
  %2 = sdy.named_computation<"f">(%1) in_shardings=[<@mesh, [{"b"}]>] out_shardings=[<@mesh, [{"b"}]>] (%y: tensor<8xf32>) {
    %4 = stablehlo.negate %y : tensor<8xf32>
    sdy.return %4 : tensor<8xf32>
  } : (tensor<8xf32>) -> tensor<8xf32>
  %3 = sdy.named_computation<"f">(%2) (%y: tensor<8xf32>) {
    %4 = stablehlo.sine %y : tensor<8xf32>
    sdy.return %4 : tensor<8xf32>
  } : (tensor<8xf32>) -> tensor<8xf32>
  return %3 : tensor<8xf32>
}

// -----

sdy.mesh @mesh = <["a"=2, "b"=2]>

// Inner computations come first. What is manual around a computation is written on the values of its function.
// CHECK-LABEL: func.func @nested
// CHECK-NEXT:    %0 = call @outer(%arg0) {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"b"}]>]>, xla.sdy.manual_axes = #sdy<manual_axes{"a"}>}
// CHECK:       func.func private @inner(%arg0: tensor<8xf32>) -> tensor<8xf32> attributes {execution_thread = "host"} {
// CHECK:       func.func private @outer(%arg0: tensor<8xf32>) -> (tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"b"}]>, xla.sdy.manual_axes = #sdy<manual_axes{"a"}>}) {
// CHECK-NEXT:    call @inner(%arg0)
func.func @nested(%x: tensor<8xf32>) -> tensor<8xf32> {
  %0 = sdy.named_computation<"outer">(%x) out_shardings=[<@mesh, [{"b"}]>] (%y: tensor<8xf32>) {
    %1 = sdy.named_computation<"inner">(%y) (%z: tensor<8xf32>) {
      sdy.return %z : tensor<8xf32>
    } {execution_thread = "host"} : (tensor<8xf32>) -> tensor<8xf32>
    sdy.return %1 : tensor<8xf32>
  } {xla.sdy.manual_axes = #sdy<manual_axes{"a"}>} : (tensor<8xf32>) -> tensor<8xf32>
  return %0 : tensor<8xf32>
}
