// RUN: xshardy-opt %s -p xla-sdy-export-named-computations | filecheck %s
// RUN: xshardy-opt %s -p 'xla-sdy-export-named-computations{dedup_functions_fully=true}' | filecheck %s --check-prefix FULLY

sdy.mesh @mesh = <["a"=2, "b"=2]>

// A computation without shardings of its operands or results has a function without them.
// CHECK-LABEL: func.func @in_or_out(%arg0: tensor<8xf32>) -> tensor<8xf32> {
// CHECK-NEXT:    %0 = call @no_out(%arg0) : (tensor<8xf32>) -> tensor<8xf32>
// CHECK-NEXT:    %1 = call @no_in(%0) {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"a"}]>]>} : (tensor<8xf32>) -> tensor<8xf32>
// CHECK-NEXT:    return %1 : tensor<8xf32>
func.func @in_or_out(%x: tensor<8xf32>) -> tensor<8xf32> {
  %0 = sdy.named_computation<"no_out">(%x) in_shardings=[<@mesh, [{"a"}]>] (%arg1: tensor<8xf32>) {
    %2 = stablehlo.negate %arg1 : tensor<8xf32>
    sdy.return %2 : tensor<8xf32>
  } : (tensor<8xf32>) -> tensor<8xf32>
  %1 = sdy.named_computation<"no_in">(%0) out_shardings=[<@mesh, [{"a"}]>] (%arg1: tensor<8xf32>) {
    %2 = stablehlo.negate %arg1 : tensor<8xf32>
    sdy.return %2 : tensor<8xf32>
  } : (tensor<8xf32>) -> tensor<8xf32>
  return %1 : tensor<8xf32>
}

// Computations that differ in what they compute do not share a function.
// CHECK-LABEL: func.func @other_bodies(%arg0: tensor<8xf32>) -> tensor<8xf32> {
// CHECK-NEXT:    %0 = call @g(%arg0) : (tensor<8xf32>) -> tensor<8xf32>
// CHECK-NEXT:    %1 = call @g_0(%0) : (tensor<8xf32>) -> tensor<8xf32>
// CHECK-NEXT:    %2 = call @g(%1) : (tensor<8xf32>) -> tensor<8xf32>
// CHECK-NEXT:    return %2 : tensor<8xf32>
func.func @other_bodies(%x: tensor<8xf32>) -> tensor<8xf32> {
  %0 = sdy.named_computation<"g">(%x) (%arg1: tensor<8xf32>) {
    %2 = stablehlo.negate %arg1 : tensor<8xf32>
    sdy.return %2 : tensor<8xf32>
  } : (tensor<8xf32>) -> tensor<8xf32>
  %1 = sdy.named_computation<"g">(%0) (%arg1: tensor<8xf32>) {
    %2 = stablehlo.abs %arg1 : tensor<8xf32>
    sdy.return %2 : tensor<8xf32>
  } : (tensor<8xf32>) -> tensor<8xf32>
  %3 = sdy.named_computation<"g">(%1) (%arg1: tensor<8xf32>) {
    %2 = stablehlo.negate %arg1 : tensor<8xf32>
    sdy.return %2 : tensor<8xf32>
  } : (tensor<8xf32>) -> tensor<8xf32>
  return %3 : tensor<8xf32>
}

// Shared by one computation with shardings of its results and one without, a function has those of the first.
// FULLY-LABEL: func.func @shared(%arg0: tensor<8xf32>) -> tensor<8xf32> {
// FULLY-NEXT:    %0 = call @s(%arg0) : (tensor<8xf32>) -> tensor<8xf32>
// FULLY-NEXT:    %1 = call @s(%0) : (tensor<8xf32>) -> tensor<8xf32>
// FULLY-NEXT:    return %1 : tensor<8xf32>
func.func @shared(%x: tensor<8xf32>) -> tensor<8xf32> {
  %0 = sdy.named_computation<"s">(%x) in_shardings=[<@mesh, [{"a"}]>] (%arg1: tensor<8xf32>) {
    %2 = stablehlo.negate %arg1 : tensor<8xf32>
    sdy.return %2 : tensor<8xf32>
  } : (tensor<8xf32>) -> tensor<8xf32>
  %1 = sdy.named_computation<"s">(%0) out_shardings=[<@mesh, [{"a"}]>] (%arg1: tensor<8xf32>) {
    %2 = stablehlo.negate %arg1 : tensor<8xf32>
    sdy.return %2 : tensor<8xf32>
  } : (tensor<8xf32>) -> tensor<8xf32>
  return %1 : tensor<8xf32>
}

// CHECK-LABEL: func.func private @no_out(%arg0: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}]>}) -> tensor<8xf32> {
// CHECK-NEXT:    %0 = stablehlo.negate %arg0 : tensor<8xf32>
// CHECK-NEXT:{{ +}}return %0 : tensor<8xf32>

// CHECK-LABEL: func.func private @no_in(%arg0: tensor<8xf32>) -> (tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}]>}) {
// CHECK-NEXT:    %0 = stablehlo.negate %arg0 : tensor<8xf32>
// CHECK-NEXT:    return %0 : tensor<8xf32>

// CHECK-LABEL: func.func private @g(%arg0: tensor<8xf32>) -> tensor<8xf32> {
// CHECK-NEXT:    %0 = stablehlo.negate %arg0 : tensor<8xf32>
// CHECK-NEXT:    return %0 : tensor<8xf32>

// CHECK-LABEL: func.func private @g_0(%arg0: tensor<8xf32>) -> tensor<8xf32> {
// CHECK-NEXT:    %0 = stablehlo.abs %arg0 : tensor<8xf32>
// CHECK-NEXT:    return %0 : tensor<8xf32>
