// RUN: xshardy-opt %s -p hlo-async-unwrap | filecheck %s

// CHECK-NOT: @slice
func.func private @slice(%x: tensor<64xf32>) -> tensor<32xf32> {
  %0 = stablehlo.slice %x [0:32] {hlo.metadata = "m"} : (tensor<64xf32>) -> tensor<32xf32>
  func.return %0 : tensor<32xf32>
}

// CHECK-LABEL: func.func @in_the_place_of_the_start
// CHECK-NEXT:    %0 = stablehlo.slice %arg0 [0:32] {hlo.metadata = "m"} : (tensor<64xf32>) -> tensor<32xf32>
// CHECK-NEXT:    %1 = stablehlo.negate %arg0 : tensor<64xf32>
// CHECK-NEXT:    return %0, %1 : tensor<32xf32>, tensor<64xf32>
func.func @in_the_place_of_the_start(%x: tensor<64xf32>) -> (tensor<32xf32>, tensor<64xf32>) {
  %0 = hlo.async_start @slice(%x) : !hlo.async_bundle<(tensor<64xf32>) -> tensor<32xf32>, tensor<i32>>
  %1 = stablehlo.negate %x : tensor<64xf32>
  %2 = hlo.async_update %0 : !hlo.async_bundle<(tensor<64xf32>) -> tensor<32xf32>, tensor<i32>>
  %3 = hlo.async_update %2 : !hlo.async_bundle<(tensor<64xf32>) -> tensor<32xf32>, tensor<i32>>
  %4 = hlo.async_done %3 : !hlo.async_bundle<(tensor<64xf32>) -> tensor<32xf32>, tensor<i32>>
  func.return %4, %1 : tensor<32xf32>, tensor<64xf32>
}

func.func private @minus_swapped(%x: tensor<f32>, %y: tensor<f32>) -> tensor<f32> {
  %0 = stablehlo.subtract %y, %x : tensor<f32>
  func.return %0 : tensor<f32>
}

// CHECK-LABEL: func.func @operands_in_another_order
// CHECK-NEXT:    %0 = stablehlo.subtract %arg1, %arg0 : tensor<f32>
// CHECK-NEXT:    return %0
func.func @operands_in_another_order(%x: tensor<f32>, %y: tensor<f32>) -> tensor<f32> {
  %0 = hlo.async_start @minus_swapped(%x, %y) : !hlo.async_bundle<(tensor<f32>, tensor<f32>) -> tensor<f32>>
  %1 = hlo.async_done %0 : !hlo.async_bundle<(tensor<f32>, tensor<f32>) -> tensor<f32>>
  func.return %1 : tensor<f32>
}

// Public, or called elsewhere: these stay.
// CHECK-LABEL: func.func @public
// CHECK-LABEL: func.func private @called
func.func @public(%x: tensor<f32>) -> tensor<f32> {
  %0 = stablehlo.negate %x : tensor<f32>
  func.return %0 : tensor<f32>
}
func.func private @called(%x: tensor<f32>) -> tensor<f32> {
  %0 = hlo.copy %x : tensor<f32>
  func.return %0 : tensor<f32>
}

// CHECK-LABEL: func.func @chain_of_chains
// CHECK-NEXT:    %0 = stablehlo.negate %arg0 : tensor<f32>
// CHECK-NEXT:    %1 = hlo.copy %0 : tensor<f32>
// CHECK-NEXT:    %2 = call @called(%1) : (tensor<f32>) -> tensor<f32>
// CHECK-NEXT:    return %2
func.func @chain_of_chains(%x: tensor<f32>) -> tensor<f32> {
  %0 = hlo.async_start @public(%x) : !hlo.async_bundle<(tensor<f32>) -> tensor<f32>>
  %1 = hlo.async_done %0 : !hlo.async_bundle<(tensor<f32>) -> tensor<f32>>
  %2 = hlo.copy_start @called(%1) : !hlo.async_bundle<(tensor<f32>) -> tensor<f32>, tensor<ui32>>
  %3 = hlo.copy_done %2 : !hlo.async_bundle<(tensor<f32>) -> tensor<f32>, tensor<ui32>>
  %4 = func.call @called(%3) : (tensor<f32>) -> tensor<f32>
  func.return %4 : tensor<f32>
}

func.func private @turned(%x: tensor<2x4xf32>) -> tensor<4x2xf32> {
  %0 = stablehlo.transpose %x, dims = [1, 0] : (tensor<2x4xf32>) -> tensor<4x2xf32>
  func.return %0 : tensor<4x2xf32>
}

// CHECK-LABEL: func.func @layout_of_the_done
// CHECK-NEXT:    %0 = stablehlo.transpose %arg0, dims = [1, 0] {hlo.layout = array<i64: 0, 1>} : (tensor<2x4xf32>) -> tensor<4x2xf32>
func.func @layout_of_the_done(%x: tensor<2x4xf32>) -> tensor<4x2xf32> {
  %0 = hlo.async_start @turned(%x) : !hlo.async_bundle<(tensor<2x4xf32>) -> tensor<4x2xf32>>
  %1 = hlo.async_done %0 {hlo.layout = array<i64: 0, 1>} : !hlo.async_bundle<(tensor<2x4xf32>) -> tensor<4x2xf32>>
  func.return %1 : tensor<4x2xf32>
}
