// Softmax over the rows of a matrix. As one kernel (`--fuse-entry`), a block reduces a row twice and keeps it in registers.
func.func @softmax(%x: tensor<4096x1024xf32>) -> tensor<4096x1024xf32> {
  %lowest = stablehlo.constant dense<0xFF800000> : tensor<f32>
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %maximum = stablehlo.reduce(%x init: %lowest) applies stablehlo.maximum across dimensions = [1]
    : (tensor<4096x1024xf32>, tensor<f32>) -> tensor<4096xf32>
  %maxima = stablehlo.broadcast_in_dim %maximum, dims = [0] : (tensor<4096xf32>) -> tensor<4096x1024xf32>
  %centred = stablehlo.subtract %x, %maxima : tensor<4096x1024xf32>
  %powers = stablehlo.exponential %centred : tensor<4096x1024xf32>
  %total = stablehlo.reduce(%powers init: %zero) applies stablehlo.add across dimensions = [1]
    : (tensor<4096x1024xf32>, tensor<f32>) -> tensor<4096xf32>
  %totals = stablehlo.broadcast_in_dim %total, dims = [0] : (tensor<4096xf32>) -> tensor<4096x1024xf32>
  %result = stablehlo.divide %powers, %totals : tensor<4096x1024xf32>
  return %result : tensor<4096x1024xf32>
}
