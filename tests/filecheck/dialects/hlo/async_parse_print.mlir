// RUN: xshardy-opt %s | filecheck %s
// RUN: xshardy-opt %s --print-op-generic | xshardy-opt | filecheck %s

func.func private @slice(%x: tensor<64xf32>) -> tensor<32xf32> {
  %0 = stablehlo.slice %x [0:32] : (tensor<64xf32>) -> tensor<32xf32>
  func.return %0 : tensor<32xf32>
}

// CHECK-LABEL: func.func @start_updates_done
// CHECK-NEXT:    %0 = hlo.async_start @slice(%arg0) : !hlo.async_bundle<(tensor<64xf32>) -> tensor<32xf32>, tensor<i32>>
// CHECK-NEXT:    %1 = hlo.async_update %0 : !hlo.async_bundle<(tensor<64xf32>) -> tensor<32xf32>, tensor<i32>>
// CHECK-NEXT:    %2 = hlo.async_update %1 : !hlo.async_bundle<(tensor<64xf32>) -> tensor<32xf32>, tensor<i32>>
// CHECK-NEXT:    %3 = hlo.async_done %2 : !hlo.async_bundle<(tensor<64xf32>) -> tensor<32xf32>, tensor<i32>>
// CHECK-NEXT:    return %3 : tensor<32xf32>
func.func @start_updates_done(%x: tensor<64xf32>) -> tensor<32xf32> {
  %0 = hlo.async_start @slice(%x) : !hlo.async_bundle<(tensor<64xf32>) -> tensor<32xf32>, tensor<i32>>
  %1 = hlo.async_update %0 : !hlo.async_bundle<(tensor<64xf32>) -> tensor<32xf32>, tensor<i32>>
  %2 = hlo.async_update %1 : !hlo.async_bundle<(tensor<64xf32>) -> tensor<32xf32>, tensor<i32>>
  %3 = hlo.async_done %2 : !hlo.async_bundle<(tensor<64xf32>) -> tensor<32xf32>, tensor<i32>>
  func.return %3 : tensor<32xf32>
}

func.func private @add(%x: tensor<4xf32>, %y: tensor<4xf32>) -> tensor<4xf32> {
  %0 = stablehlo.add %x, %y : tensor<4xf32>
  func.return %0 : tensor<4xf32>
}

// CHECK-LABEL: func.func @operands_of_updates
// CHECK-NEXT:    %0 = hlo.async_start @add() : !hlo.async_bundle<() -> tensor<4xf32>>
// CHECK-NEXT:    %1 = hlo.async_update %0(%arg0) : !hlo.async_bundle<(tensor<4xf32>) -> tensor<4xf32>>
// CHECK-NEXT:    %2 = hlo.async_update %1(%arg1) : !hlo.async_bundle<(tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>>
func.func @operands_of_updates(%x: tensor<4xf32>, %y: tensor<4xf32>) -> tensor<4xf32> {
  %0 = hlo.async_start @add() : !hlo.async_bundle<() -> tensor<4xf32>>
  %1 = hlo.async_update %0(%x) : !hlo.async_bundle<(tensor<4xf32>) -> tensor<4xf32>>
  %2 = hlo.async_update %1(%y) : !hlo.async_bundle<(tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>>
  %3 = hlo.async_done %2 : !hlo.async_bundle<(tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>>
  func.return %3 : tensor<4xf32>
}

// CHECK-LABEL: func.func @contexts
// CHECK:         hlo.async_start @slice(%arg0) : !hlo.async_bundle<(tensor<64xf32>) -> tensor<32xf32>>
// CHECK:         hlo.async_start @slice(%arg0) {hlo.metadata = "x"} : !hlo.async_bundle<(tensor<64xf32>) -> tensor<32xf32>, tensor<ui32>, tensor<2xi8>>
// CHECK:         hlo.async_done %{{.*}} {hlo.metadata = "y"} : !hlo.async_bundle
func.func @contexts(%x: tensor<64xf32>) {
  %0 = hlo.async_start @slice(%x) : !hlo.async_bundle<(tensor<64xf32>) -> tensor<32xf32>>
  %1 = hlo.async_done %0 : !hlo.async_bundle<(tensor<64xf32>) -> tensor<32xf32>>
  %2 = hlo.async_start @slice(%x) {hlo.metadata = "x"} : !hlo.async_bundle<(tensor<64xf32>) -> tensor<32xf32>, tensor<ui32>, tensor<2xi8>>
  %3 = hlo.async_done %2 {hlo.metadata = "y"} : !hlo.async_bundle<(tensor<64xf32>) -> tensor<32xf32>, tensor<ui32>, tensor<2xi8>>
  func.return
}

func.func private @two(%x: tensor<64xf32>, %y: tensor<64xf32>) -> (tensor<32xf32>, tensor<32xf32>) {
  %0:2 = stablehlo.custom_call @foo(%x, %y) : (tensor<64xf32>, tensor<64xf32>) -> (tensor<32xf32>, tensor<32xf32>)
  func.return %0#0, %0#1 : tensor<32xf32>, tensor<32xf32>
}

// CHECK-LABEL: func.func @several_operands_and_outputs
// CHECK-NEXT:    %0 = hlo.async_start @two(%arg0, %arg1) : !hlo.async_bundle<(tensor<64xf32>, tensor<64xf32>) -> (tensor<32xf32>, tensor<32xf32>), tensor<i32>>
// CHECK-NEXT:    %1:2 = hlo.async_done %0 : !hlo.async_bundle<(tensor<64xf32>, tensor<64xf32>) -> (tensor<32xf32>, tensor<32xf32>), tensor<i32>>
func.func @several_operands_and_outputs(%x: tensor<64xf32>, %y: tensor<64xf32>) -> (tensor<32xf32>, tensor<32xf32>) {
  %0 = hlo.async_start @two(%x, %y) : !hlo.async_bundle<(tensor<64xf32>, tensor<64xf32>) -> (tensor<32xf32>, tensor<32xf32>), tensor<i32>>
  %1:2 = hlo.async_done %0 : !hlo.async_bundle<(tensor<64xf32>, tensor<64xf32>) -> (tensor<32xf32>, tensor<32xf32>), tensor<i32>>
  func.return %1#0, %1#1 : tensor<32xf32>, tensor<32xf32>
}

func.func private @no_operands() -> tensor<4xf32> {
  %0 = stablehlo.iota dim = 0 : tensor<4xf32>
  func.return %0 : tensor<4xf32>
}

// CHECK-LABEL: func.func @no_operand
// CHECK-NEXT:    %0 = hlo.async_start @no_operands() : !hlo.async_bundle<() -> tensor<4xf32>, tensor<ui32>>
func.func @no_operand() -> tensor<4xf32> {
  %0 = hlo.async_start @no_operands() : !hlo.async_bundle<() -> tensor<4xf32>, tensor<ui32>>
  %1 = hlo.async_done %0 : !hlo.async_bundle<() -> tensor<4xf32>, tensor<ui32>>
  func.return %1 : tensor<4xf32>
}

func.func private @on_host(%x: tensor<64xf32>) -> tensor<64xf32> attributes {hlo.execution_thread = "host"} {
  %0 = func.call @body(%x) : (tensor<64xf32>) -> tensor<64xf32>
  func.return %0 : tensor<64xf32>
}
func.func private @body(%x: tensor<64xf32>) -> tensor<64xf32> attributes {hlo.execution_thread = "host"} {
  func.return %x : tensor<64xf32>
}

// CHECK-LABEL: func.func @thread
// CHECK-NEXT:    %0 = hlo.async_start @on_host(%arg0) thread "host" : !hlo.async_bundle<(tensor<64xf32>) -> tensor<64xf32>, tensor<ui32>>
func.func @thread(%x: tensor<64xf32>) -> tensor<64xf32> {
  %0 = hlo.async_start @on_host(%x) thread "host" : !hlo.async_bundle<(tensor<64xf32>) -> tensor<64xf32>, tensor<ui32>>
  %1 = hlo.async_done %0 : !hlo.async_bundle<(tensor<64xf32>) -> tensor<64xf32>, tensor<ui32>>
  func.return %1 : tensor<64xf32>
}

func.func private @minus_swapped(%x: tensor<f32>, %y: tensor<f32>) -> tensor<f32> {
  %0 = stablehlo.subtract %y, %x : tensor<f32>
  func.return %0 : tensor<f32>
}

// CHECK-LABEL: func.func @operands_in_another_order
// CHECK-NEXT:    hlo.async_start @minus_swapped(%arg0, %arg0)
func.func @operands_in_another_order(%x: tensor<f32>) -> tensor<f32> {
  %0 = hlo.async_start @minus_swapped(%x, %x) : !hlo.async_bundle<(tensor<f32>, tensor<f32>) -> tensor<f32>>
  %1 = hlo.async_done %0 : !hlo.async_bundle<(tensor<f32>, tensor<f32>) -> tensor<f32>>
  func.return %1 : tensor<f32>
}
