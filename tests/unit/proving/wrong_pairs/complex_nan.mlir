// Complex numbers with one part that is no number differ in the other part.
module {
  sdy.mesh @mesh = <["x"=2]>
  func.func @main(%arg0: tensor<f32> {sdy.sharding = #sdy.sharding<@mesh, []>}) -> (tensor<f32> {sdy.sharding = #sdy.sharding<@mesh, []>}) {
    %cst = stablehlo.constant dense<(0x7FC00000,0.000000e+00)> : tensor<complex<f32>>
    %0 = stablehlo.imag %cst : (tensor<complex<f32>>) -> tensor<f32>
    return %0 : tensor<f32>
  }
}

// -----

module {
  func.func @main(%arg0: tensor<f32>) -> tensor<f32> {
    %cst = stablehlo.constant dense<(0x7FC00000,1.000000e+00)> : tensor<complex<f32>>
    %0 = stablehlo.imag %cst : (tensor<complex<f32>>) -> tensor<f32>
    return %0 : tensor<f32>
  }
}
