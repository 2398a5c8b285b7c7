// RUN: xshardy-opt %s -p 'hlo-async-wrap{kinds=copies}' | filecheck %s --check-prefix=COPIES
// RUN: xshardy-opt %s -p 'hlo-async-wrap{kinds=collectives,transfers,calls}' | filecheck %s --check-prefix=OTHERS
// RUN: xshardy-opt %s -p 'hlo-async-wrap{opcodes=slice,negate min-bytes=400}' | filecheck %s --check-prefix=LARGE
// RUN: xshardy-opt %s -p 'hlo-async-wrap{opcodes=if,reduce}' | filecheck %s --check-prefix=REGIONS

// COPIES-LABEL: func.func @main
// COPIES-NEXT:    hlo.async_start @async_slice
// COPIES-NEXT:    hlo.async_done
// COPIES-NEXT:    stablehlo.negate
// COPIES-NEXT:    hlo.copy_start @async_copy
// COPIES-NEXT:    hlo.copy_done

// OTHERS-LABEL: func.func @main
// OTHERS-NEXT:    stablehlo.slice
// OTHERS-NEXT:    stablehlo.negate
// OTHERS-NEXT:    hlo.copy

// 64 and 32 floats are 384 bytes, twice 64 are 512.
// LARGE-LABEL:  func.func @main
// LARGE-NEXT:     stablehlo.slice
// LARGE-NEXT:     hlo.async_start @async_negate
func.func @main(%x: tensor<64xf32>) -> (tensor<32xf32>, tensor<64xf32>) {
  %0 = stablehlo.slice %x [0:32] : (tensor<64xf32>) -> tensor<32xf32>
  %1 = stablehlo.negate %x : tensor<64xf32>
  %2 = hlo.copy %1 : tensor<64xf32>
  func.return %0, %2 : tensor<32xf32>, tensor<64xf32>
}

// A region that reads a value from outside cannot move; the reduction has none.
// REGIONS-LABEL: func.func private @async_reduce
// REGIONS-LABEL: func.func @regions
// REGIONS:         "stablehlo.if"
// REGIONS:         hlo.async_start @async_reduce
func.func @regions(%x: tensor<64xf32>, %p: tensor<i1>, %zero: tensor<f32>) -> (tensor<64xf32>, tensor<f32>) {
  %0 = "stablehlo.if"(%p) ({
    stablehlo.return %x : tensor<64xf32>
  }, {
    %1 = stablehlo.negate %x : tensor<64xf32>
    stablehlo.return %1 : tensor<64xf32>
  }) : (tensor<i1>) -> tensor<64xf32>
  %2 = stablehlo.reduce(%0 init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<64xf32>, tensor<f32>) -> tensor<f32>
  func.return %0, %2 : tensor<64xf32>, tensor<f32>
}
