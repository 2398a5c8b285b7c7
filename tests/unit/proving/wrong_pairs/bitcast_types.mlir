// The bits of another type of floats.
module {
  sdy.mesh @mesh = <["x"=2]>
  func.func @main(%arg0: tensor<4xbf16> {sdy.sharding = #sdy.sharding<@mesh, [{}]>}) -> (tensor<4xi16> {sdy.sharding = #sdy.sharding<@mesh, [{}]>}) {
    %0 = stablehlo.bitcast_convert %arg0 : (tensor<4xbf16>) -> tensor<4xi16>
    return %0 : tensor<4xi16>
  }
}

// -----

module {
  func.func @main(%arg0: tensor<4xbf16>) -> tensor<4xi16> {
    %0 = stablehlo.convert %arg0 : (tensor<4xbf16>) -> tensor<4xf16>
    %1 = stablehlo.bitcast_convert %0 : (tensor<4xf16>) -> tensor<4xi16>
    return %1 : tensor<4xi16>
  }
}
