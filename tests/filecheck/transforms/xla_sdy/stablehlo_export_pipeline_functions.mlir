// RUN: xshardy-opt %s -p xla-sdy-stablehlo-export-pipeline | filecheck %s
// RUN: xshardy-opt %s -p 'xla-sdy-stablehlo-export-pipeline{keep_hlo_sharding_constraints=true}' | filecheck %s --check-prefix KEEP
// RUN: xshardy-opt %s -p 'xla-sdy-stablehlo-export-pipeline{dedup_functions_fully=true}' | filecheck %s --check-prefix FULLY

// Equal copies of a function are one again, unless constraints are kept: then the module is to be propagated in once more.
// CHECK-LABEL: func.func @main
// CHECK-NEXT:    %0 = call @f(%arg0)
// CHECK-NEXT:    %1 = call @f(%0)
// CHECK-NOT:   @f_0
// KEEP-LABEL:  func.func @main
// KEEP-NEXT:     %0 = call @f(%arg0)
// KEEP-NEXT:     %1 = call @f_0(%0)
// KEEP:        func.func private @f_0
func.func @main(%x: tensor<8xf32>) -> tensor<8xf32> {
  %0 = func.call @f(%x) : (tensor<8xf32>) -> tensor<8xf32>
  %1 = func.call @f_0(%0) : (tensor<8xf32>) -> tensor<8xf32>
  return %1 : tensor<8xf32>
}
func.func private @f(%x: tensor<8xf32>) -> tensor<8xf32> {
  %0 = stablehlo.negate %x : tensor<8xf32>
  return %0 : tensor<8xf32>
}
func.func private @f_0(%x: tensor<8xf32>) -> tensor<8xf32> attributes {sdy.original_func_name = "f"} {
  %0 = stablehlo.negate %x : tensor<8xf32>
  return %0 : tensor<8xf32>
}

// Copies that differ in shardings stay, unless asked for.
// CHECK-LABEL: func.func @differ
// CHECK-NEXT:    %0 = call @g(%arg0)
// CHECK-NEXT:    %1 = call @g_0(%0)
// FULLY-LABEL: func.func @differ
// FULLY-NEXT:    %0 = call @g(%arg0)
// FULLY-NEXT:    %1 = call @g(%0)
// FULLY-NOT:   @g_0
sdy.mesh @mesh = <["x"=2]>
func.func @differ(%x: tensor<8xf32>) -> tensor<8xf32> {
  %0 = func.call @g(%x) : (tensor<8xf32>) -> tensor<8xf32>
  %1 = func.call @g_0(%0) : (tensor<8xf32>) -> tensor<8xf32>
  return %1 : tensor<8xf32>
}
func.func private @g(%x: tensor<8xf32>) -> tensor<8xf32> {
  %0 = stablehlo.negate %x : tensor<8xf32>
  return %0 : tensor<8xf32>
}
func.func private @g_0(%x: tensor<8xf32>) -> (tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}) attributes {sdy.original_func_name = "g"} {
  %0 = stablehlo.negate %x {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}]>]>} : tensor<8xf32>
  return %0 : tensor<8xf32>
}
