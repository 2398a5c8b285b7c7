// RUN: xshardy-opt %s -p chlo-legalize-to-stablehlo --split-input-file --verify-diagnostics | filecheck %s

// CHECK: error: 'chlo.erf' op cannot be written in operations of StableHLO: its shape is known only at run time
func.func @dynamic(%x: tensor<?xf32>) {
  %0 = chlo.erf %x : tensor<?xf32> -> tensor<?xf32>
  return
}

// -----

// CHECK: error: 'chlo._asin_acos_kernel' op cannot be written in operations of StableHLO
func.func @kernel(%x: tensor<2xcomplex<f32>>) {
  %0 = chlo._asin_acos_kernel %x : tensor<2xcomplex<f32>> -> tensor<2xcomplex<f32>>
  return
}
