// RUN: xshardy-opt %s -p xla-sdy-stablehlo-round-trip-export-callback-custom-calls | filecheck %s

// CHECK-LABEL: func.func @callbacks
// CHECK-NEXT:    %0 = stablehlo.custom_call @xla_python_cpu_callback(%arg0) {mhlo.sharding = "{maximal device=0}"} : (tensor<8xf32>) -> tuple<tensor<8xf32>>
// CHECK-NEXT:    %1 = stablehlo.get_tuple_element %0[0] {mhlo.sharding = "{maximal device=0}"} : (tuple<tensor<8xf32>>) -> tensor<8xf32>
// CHECK-NEXT:    %2 = stablehlo.custom_call @xla_ffi_python_gpu_callback(%1) : (tensor<8xf32>) -> tuple<tensor<8xf32>>
// CHECK-NEXT:    %3 = stablehlo.get_tuple_element %2[0] : (tuple<tensor<8xf32>>) -> tensor<8xf32>
// CHECK-NEXT:    %4:2 = stablehlo.custom_call @xla_python_cpu_callback(%3) : (tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>)
// CHECK-NEXT:    stablehlo.custom_call @xla_python_cpu_callback(%3) {has_side_effect = true} : (tensor<8xf32>) -> ()
// CHECK-NEXT:    %5 = stablehlo.custom_call @other(%3) : (tensor<8xf32>) -> tensor<8xf32>
func.func @callbacks(%x: tensor<8xf32>) {
  %0 = stablehlo.custom_call @xla_python_cpu_callback(%x) {mhlo.sharding = "{maximal device=0}"} : (tensor<8xf32>) -> tensor<8xf32>
  %1 = stablehlo.custom_call @xla_ffi_python_gpu_callback(%0) : (tensor<8xf32>) -> tensor<8xf32>
  %2:2 = stablehlo.custom_call @xla_python_cpu_callback(%1) : (tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>)
  stablehlo.custom_call @xla_python_cpu_callback(%1) {has_side_effect = true} : (tensor<8xf32>) -> ()
  %3 = stablehlo.custom_call @other(%1) : (tensor<8xf32>) -> tensor<8xf32>
  return
}
