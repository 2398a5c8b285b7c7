// RUN: xshardy-opt %s --split-input-file --verify-diagnostics | filecheck %s

// CHECK: returns (tensor<4xf32>) from @another_type, whose results are (tensor<5xf32>)
func.func @another_type(%x: tensor<4xf32>) -> tensor<5xf32> {
  stablehlo.return %x : tensor<4xf32>
}

// -----

// CHECK: returns () from @nothing, whose results are (tensor<4xf32>)
func.func @nothing(%x: tensor<4xf32>) -> tensor<4xf32> {
  stablehlo.return
}
