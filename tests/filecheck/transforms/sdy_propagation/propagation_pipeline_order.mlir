// RUN: xshardy-opt %s -p 'sdy-propagation-pipeline{dedup-functions-fully=true}' | filecheck %s

// Functions come after their first call.
// CHECK:     func.func @main
// CHECK:     func.func private @f
func.func private @f(%x: tensor<8xf32>) -> tensor<8xf32> {
  %0 = stablehlo.negate %x : tensor<8xf32>
  return %0 : tensor<8xf32>
}
func.func @main(%x: tensor<8xf32>) -> tensor<8xf32> {
  %0 = func.call @f(%x) : (tensor<8xf32>) -> tensor<8xf32>
  return %0 : tensor<8xf32>
}
