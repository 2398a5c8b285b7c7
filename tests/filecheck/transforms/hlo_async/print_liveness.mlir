// RUN: xshardy-opt %s -p hlo-async-print-liveness | filecheck %s
// RUN: xshardy-opt %s -p hlo-async-print-liveness | xshardy-opt | filecheck %s --check-prefix=READS-BACK
// RUN: xshardy-opt %s -p 'hlo-async-print-liveness{all-functions=true}' | filecheck %s --check-prefix=ALL

// READS-BACK: func.func private @two
// ALL: // @two: 2 operations, 0 asynchronous, at most 0 in flight at once
func.func private @two(%x: tensor<64xf32>, %y: tensor<8xi32>) -> (tensor<32xf32>, tensor<4xi1>) {
  %0:2 = stablehlo.custom_call @foo(%x, %y) : (tensor<64xf32>, tensor<8xi32>) -> (tensor<32xf32>, tensor<4xi1>)
  func.return %0#0, %0#1 : tensor<32xf32>, tensor<4xi1>
}
func.func private @copy(%x: tensor<64xf32>) -> tensor<64xf32> {
  %0 = hlo.copy %x : tensor<64xf32>
  func.return %0 : tensor<64xf32>
}

// No schedule to report on.
func.func private @elsewhere(tensor<64xf32>)

// Without the option, functions without asynchronous operations are left out.
// CHECK-NOT: // @two
// CHECK:      // @updates: 6 operations, 1 asynchronous, at most 1 in flight at once
// CHECK-NEXT: //   async-start %0 of @two, 2 update(s): in flight from 0 to 4
// CHECK-NEXT: //     operand %arg0 = %0{0,0} stays alive until 4 (hlo.async_done) at least
// CHECK-NEXT: //     operand %arg1 = %0{0,1} stays alive until 4 (hlo.async_done) at least
// CHECK-NEXT: //     output %0{1,0} = %4#0 has its buffer from 0 (hlo.async_start) on
// CHECK-NEXT: //     output %0{1,1} = %4#1 has its buffer from 0 (hlo.async_start) on
// CHECK-NEXT: //     context %0{2} keeps track of the operation
// CHECK-NEXT: //   buffers:
// CHECK-NEXT: //     %arg0: tensor<64xf32>, 256 bytes, alive from entry to 4 (hlo.async_done), also %0{0,0} %1{0,0} %3{0,0}
// CHECK-NEXT: //     %arg1: tensor<8xi32>, 32 bytes, alive from entry to 4 (hlo.async_done), also %0{0,1} %1{0,1} %3{0,1}
// CHECK-NEXT: //     %0{1,0}: tensor<32xf32>, 128 bytes, alive from 0 (hlo.async_start) to 5 (func.return), also %1{1,0} %3{1,0} %4#0
// CHECK-NEXT: //     %0{1,1}: tensor<4xi1>, 4 bytes, alive from 0 (hlo.async_start) to 4 (hlo.async_done), also %1{1,1} %3{1,1} %4#1
// CHECK-NEXT: //     %0{2}: tensor<i32>, 4 bytes, alive from 0 (hlo.async_start) to 4 (hlo.async_done), also %1{2} %3{2}
// CHECK-NEXT: //     %2: tensor<64xf32>, 256 bytes, alive from 2 (stablehlo.negate) to 2 (stablehlo.negate)
func.func @updates(%x: tensor<64xf32>, %y: tensor<8xi32>) -> tensor<32xf32> {
  %0 = hlo.async_start @two(%x, %y) : !hlo.async_bundle<(tensor<64xf32>, tensor<8xi32>) -> (tensor<32xf32>, tensor<4xi1>), tensor<i32>>
  %1 = hlo.async_update %0 : !hlo.async_bundle<(tensor<64xf32>, tensor<8xi32>) -> (tensor<32xf32>, tensor<4xi1>), tensor<i32>>
  %2 = stablehlo.negate %x : tensor<64xf32>
  %3 = hlo.async_update %1 : !hlo.async_bundle<(tensor<64xf32>, tensor<8xi32>) -> (tensor<32xf32>, tensor<4xi1>), tensor<i32>>
  %4:2 = hlo.async_done %3 : !hlo.async_bundle<(tensor<64xf32>, tensor<8xi32>) -> (tensor<32xf32>, tensor<4xi1>), tensor<i32>>
  func.return %4#0 : tensor<32xf32>
}

// A copy-start has the output first; a token and an array of unknown size have no size.
// CHECK:      // @copies: 5 operations, 2 asynchronous, at most 2 in flight at once
// CHECK-NEXT: //   copy-start %0 of @copy, 0 update(s): in flight from 0 to 2
// CHECK-NEXT: //     operand %arg0 = %0{1} stays alive until 2 (hlo.copy_done) at least
// CHECK-NEXT: //     output %0{0} = %2 has its buffer from 0 (hlo.copy_start) on
// CHECK-NEXT: //     context %0{2} keeps track of the operation
// CHECK-NEXT: //   copy-start %1 of @copy
// CHECK:      //     %arg1: !stablehlo.token, alive from entry to 4 (func.return)
// CHECK-NEXT: //     %arg2: tensor<?xf32>, alive from entry to entry
func.func @copies(%x: tensor<64xf32>, %token: !stablehlo.token, %d: tensor<?xf32>) -> (tensor<64xf32>, !stablehlo.token) {
  %0 = hlo.copy_start @copy(%x) : !hlo.async_bundle<(tensor<64xf32>) -> tensor<64xf32>, tensor<ui32>>
  %1 = hlo.copy_start @copy(%x) : !hlo.async_bundle<(tensor<64xf32>) -> tensor<64xf32>, tensor<ui32>>
  %2 = hlo.copy_done %0 : !hlo.async_bundle<(tensor<64xf32>) -> tensor<64xf32>, tensor<ui32>>
  %3 = hlo.copy_done %1 : !hlo.async_bundle<(tensor<64xf32>) -> tensor<64xf32>, tensor<ui32>>
  func.return %3, %token : tensor<64xf32>, !stablehlo.token
}

// Tuples hold the buffers of their elements.
// ALL:      // @tuples
// ALL-NEXT: //   buffers:
// ALL-NEXT: //     %arg0: tensor<2xf32>, 8 bytes, alive from entry to 2 (stablehlo.add), also %0{0} %0{1} %1
func.func @tuples(%x: tensor<2xf32>) -> tensor<2xf32> {
  %0 = stablehlo.tuple %x, %x : tuple<tensor<2xf32>, tensor<2xf32>>
  %1 = stablehlo.get_tuple_element %0[1] : (tuple<tensor<2xf32>, tensor<2xf32>>) -> tensor<2xf32>
  %2 = stablehlo.add %1, %1 : tensor<2xf32>
  func.return %2 : tensor<2xf32>
}

// The results of a barrier are the buffers of its operands.
// ALL:      // @barrier
// ALL-NEXT: //   buffers:
// ALL-NEXT: //     %arg0: tensor<2xf32>, 8 bytes, alive from entry to 1 (stablehlo.add), also %0
func.func @barrier(%x: tensor<2xf32>) -> tensor<2xf32> {
  %0 = stablehlo.optimization_barrier %x : tensor<2xf32>
  %1 = stablehlo.add %0, %0 : tensor<2xf32>
  func.return %1 : tensor<2xf32>
}

// CHECK: // @one_after_another: 5 operations, 2 asynchronous, at most 1 in flight at once
func.func @one_after_another(%x: tensor<64xf32>) -> tensor<64xf32> {
  %0 = hlo.copy_start @copy(%x) : !hlo.async_bundle<(tensor<64xf32>) -> tensor<64xf32>, tensor<ui32>>
  %1 = hlo.copy_done %0 : !hlo.async_bundle<(tensor<64xf32>) -> tensor<64xf32>, tensor<ui32>>
  %2 = hlo.copy_start @copy(%1) : !hlo.async_bundle<(tensor<64xf32>) -> tensor<64xf32>, tensor<ui32>>
  %3 = hlo.copy_done %2 : !hlo.async_bundle<(tensor<64xf32>) -> tensor<64xf32>, tensor<ui32>>
  func.return %3 : tensor<64xf32>
}
