// RUN: xshardy-opt %s -p 'hlo-async-wrap{opcodes=slice,all-gather,"stablehlo.custom_call"}' | filecheck %s
// RUN: xshardy-opt %s -p 'hlo-async-wrap{opcodes=slice,all-gather,"stablehlo.custom_call"}' --print-op-generic | xshardy-opt | filecheck %s

// CHECK-LABEL: func.func private @async_slice_0(%arg0: tensor<64xf32>) -> tensor<32xf32> {
// CHECK-NEXT:    %0 = stablehlo.slice %arg0 [0:32] : (tensor<64xf32>) -> tensor<32xf32>
// CHECK-NEXT:    return %0 : tensor<32xf32>
// CHECK-LABEL: func.func @any_operation
// CHECK-NEXT:    %0 = hlo.async_start @async_slice_0(%arg0) {hlo.metadata = "m"} : !hlo.async_bundle<(tensor<64xf32>) -> tensor<32xf32>, tensor<ui32>>
// CHECK-NEXT:    %1 = hlo.async_done %0 : !hlo.async_bundle<(tensor<64xf32>) -> tensor<32xf32>, tensor<ui32>>
// CHECK-NEXT:    %2 = stablehlo.negate %1 : tensor<32xf32>
// CHECK-NEXT:    return %2 : tensor<32xf32>
func.func @any_operation(%x: tensor<64xf32>) -> tensor<32xf32> {
  %0 = stablehlo.slice %x [0:32] {hlo.metadata = "m"} : (tensor<64xf32>) -> tensor<32xf32>
  %1 = stablehlo.negate %0 : tensor<32xf32>
  func.return %1 : tensor<32xf32>
}

// The name is taken, so another is used.
func.func private @async_slice()

// CHECK-LABEL: func.func private @async_all_gather
// CHECK-LABEL: func.func @operation_with_a_start_of_its_own
// CHECK-NEXT:    %0 = hlo.all_gather_start @async_all_gather(%arg0) : !hlo.async_bundle<(tensor<4xf32>) -> tensor<8xf32>>
// CHECK-NEXT:    %1 = hlo.all_gather_done %0 : !hlo.async_bundle<(tensor<4xf32>) -> tensor<8xf32>>
// CHECK-NEXT:    return %1
func.func @operation_with_a_start_of_its_own(%x: tensor<4xf32>) -> tensor<8xf32> {
  %0 = "stablehlo.all_gather"(%x) <{all_gather_dim = 0 : i64, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>}> : (tensor<4xf32>) -> tensor<8xf32>
  func.return %0 : tensor<8xf32>
}

// CHECK-LABEL: func.func private @async_custom_call(%arg0: tensor<4xf32>, %arg1: tensor<4xf32>) -> (tensor<4xf32>, tensor<2xi32>)
// CHECK-LABEL: func.func @several_results_and_one_operand_twice
// CHECK-NEXT:    %0 = hlo.async_start @async_custom_call(%arg0, %arg0)
// CHECK-NEXT:    %1:2 = hlo.async_done %0
// CHECK-NEXT:    return %1#1, %1#0
func.func @several_results_and_one_operand_twice(%x: tensor<4xf32>) -> (tensor<2xi32>, tensor<4xf32>) {
  %0:2 = stablehlo.custom_call @foo(%x, %x) : (tensor<4xf32>, tensor<4xf32>) -> (tensor<4xf32>, tensor<2xi32>)
  func.return %0#1, %0#0 : tensor<2xi32>, tensor<4xf32>
}

// CHECK-LABEL: func.func @in_the_body_of_a_loop
// CHECK:         stablehlo.while
// CHECK:           hlo.async_start @async_slice_1
// CHECK-NEXT:      hlo.async_done
func.func @in_the_body_of_a_loop(%x: tensor<8xf32>, %n: tensor<i32>) -> tensor<8xf32> {
  %0:2 = stablehlo.while(%a = %x, %i = %n) : tensor<8xf32>, tensor<i32>
    cond {
      %zero = stablehlo.constant dense<0> : tensor<i32>
      %go = stablehlo.compare GT, %i, %zero : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %go : tensor<i1>
    } do {
      %s = stablehlo.slice %a [0:8] : (tensor<8xf32>) -> tensor<8xf32>
      %j = stablehlo.subtract %i, %i : tensor<i32>
      stablehlo.return %s, %j : tensor<8xf32>, tensor<i32>
    }
  func.return %0#0 : tensor<8xf32>
}

// CHECK-LABEL: func.func private @fused
// CHECK-NEXT:    stablehlo.slice
// CHECK-LABEL: func.func @not_in_fusions
// CHECK-NEXT:    hlo.fusion
func.func private @fused(%x: tensor<8xf32>) -> tensor<4xf32> {
  %0 = stablehlo.slice %x [0:4] : (tensor<8xf32>) -> tensor<4xf32>
  func.return %0 : tensor<4xf32>
}
func.func @not_in_fusions(%x: tensor<8xf32>) -> tensor<4xf32> {
  %0 = hlo.fusion loop @fused(%x) : (tensor<8xf32>) -> tensor<4xf32>
  func.return %0 : tensor<4xf32>
}

// CHECK-LABEL: func.func private @wrapped
// CHECK-NEXT:    stablehlo.slice
// CHECK-LABEL: func.func @not_what_is_asynchronous
// CHECK-NEXT:    hlo.async_start @wrapped
func.func private @wrapped(%x: tensor<8xf32>) -> tensor<4xf32> {
  %0 = stablehlo.slice %x [0:4] : (tensor<8xf32>) -> tensor<4xf32>
  func.return %0 : tensor<4xf32>
}
func.func @not_what_is_asynchronous(%x: tensor<8xf32>) -> tensor<4xf32> {
  %0 = hlo.async_start @wrapped(%x) : !hlo.async_bundle<(tensor<8xf32>) -> tensor<4xf32>>
  %1 = hlo.async_done %0 : !hlo.async_bundle<(tensor<8xf32>) -> tensor<4xf32>>
  func.return %1 : tensor<4xf32>
}
