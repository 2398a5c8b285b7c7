// RUN: xshardy-opt %s -p xla-sdy-stablehlo-round-trip-export-callback-custom-calls | filecheck %s

// All callbacks into Python, with one result that is no tuple.
// CHECK-LABEL: func.func @callbacks(%arg0: tensor<8xf32>) {
// CHECK-NEXT:    %0 = stablehlo.custom_call @xla_python_cpu_callback(%arg0) : (tensor<8xf32>) -> tuple<tensor<8xf32>>
// CHECK-NEXT:    %1 = stablehlo.get_tuple_element %0[0] : (tuple<tensor<8xf32>>) -> tensor<8xf32>
// CHECK-NEXT:    %2 = stablehlo.custom_call @xla_python_gpu_callback(%arg0) : (tensor<8xf32>) -> tuple<tensor<8xf32>>
// CHECK-NEXT:    %3 = stablehlo.get_tuple_element %2[0] : (tuple<tensor<8xf32>>) -> tensor<8xf32>
// CHECK-NEXT:    %4 = stablehlo.custom_call @xla_ffi_python_cpu_callback(%arg0) : (tensor<8xf32>) -> tuple<tensor<8xf32>>
// CHECK-NEXT:    %5 = stablehlo.get_tuple_element %4[0] : (tuple<tensor<8xf32>>) -> tensor<8xf32>
// CHECK-NEXT:    %6 = stablehlo.custom_call @xla_ffi_python_gpu_callback(%arg0) : (tensor<8xf32>) -> tuple<tensor<8xf32>>
// CHECK-NEXT:    %7 = stablehlo.get_tuple_element %6[0] : (tuple<tensor<8xf32>>) -> tensor<8xf32>
// CHECK-NEXT:    %8 = stablehlo.custom_call @xla_python_cpu_callback(%arg0) : (tensor<8xf32>) -> tuple<tensor<8xf32>>
// CHECK-NEXT:    %9:2 = stablehlo.custom_call @xla_python_gpu_callback(%arg0) : (tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>)
// CHECK-NEXT:    %10 = stablehlo.custom_call @other(%arg0) : (tensor<8xf32>) -> tensor<8xf32>
// CHECK-NEXT:    stablehlo.custom_call @xla_python_gpu_callback(%arg0) {has_side_effect = true} : (tensor<8xf32>) -> ()
// CHECK-NEXT:    return
func.func @callbacks(%x: tensor<8xf32>) {
  %0 = stablehlo.custom_call @xla_python_cpu_callback(%x) : (tensor<8xf32>) -> tensor<8xf32>
  %1 = stablehlo.custom_call @xla_python_gpu_callback(%x) : (tensor<8xf32>) -> tensor<8xf32>
  %2 = stablehlo.custom_call @xla_ffi_python_cpu_callback(%x) : (tensor<8xf32>) -> tensor<8xf32>
  %3 = stablehlo.custom_call @xla_ffi_python_gpu_callback(%x) : (tensor<8xf32>) -> tensor<8xf32>
  %4 = stablehlo.custom_call @xla_python_cpu_callback(%x) : (tensor<8xf32>) -> tuple<tensor<8xf32>>
  %5:2 = stablehlo.custom_call @xla_python_gpu_callback(%x) : (tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>)
  %6 = stablehlo.custom_call @other(%x) : (tensor<8xf32>) -> tensor<8xf32>
  stablehlo.custom_call @xla_python_gpu_callback(%x) {has_side_effect = true} : (tensor<8xf32>) -> ()
  return
}
