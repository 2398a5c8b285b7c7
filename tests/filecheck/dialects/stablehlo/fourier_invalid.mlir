// RUN: xshardy-opt %s --split-input-file --verify-diagnostics | filecheck %s

// CHECK: rank must be between 1 and 3, but got 4.
func.func @too_many(%a: tensor<2x2x2x2xcomplex<f32>>) {
  %0 = stablehlo.fft %a, type = FFT, length = [2, 2, 2, 2] : (tensor<2x2x2x2xcomplex<f32>>) -> tensor<2x2x2x2xcomplex<f32>>
  func.return
}

// -----

// CHECK: FFT/IFFT/IRFFT take a complex tensor as input, but is given 'tensor<2xf32>'.
func.func @fft_of_reals(%a: tensor<2xf32>) {
  %0 = stablehlo.fft %a, type = FFT, length = [2] : (tensor<2xf32>) -> tensor<2xf32>
  func.return
}

// -----

// CHECK: RFFT requires f32 or f64 input type, but is given
func.func @rfft_of_complex(%a: tensor<2xcomplex<f32>>) {
  %0 = stablehlo.fft %a, type = RFFT, length = [2] : (tensor<2xcomplex<f32>>) -> tensor<2xcomplex<f32>>
  func.return
}

// -----

// CHECK: operand rank must not be less than fft rank of 2 for operand of type 'tensor<2xcomplex<f32>>'.
func.func @rank(%a: tensor<2xcomplex<f32>>) {
  %0 = stablehlo.fft %a, type = FFT, length = [2, 2] : (tensor<2xcomplex<f32>>) -> tensor<2xcomplex<f32>>
  func.return
}

// -----

// CHECK: RFFT requires innermost dimensions to be compatible with fft_length. Got: 3, 10 but wanted 9.
func.func @rfft_length(%a: tensor<3x10xf32>) {
  %0 = stablehlo.fft %a, type = RFFT, length = [9] : (tensor<3x10xf32>) -> tensor<3x5xcomplex<f32>>
  func.return
}

// -----

// CHECK: IRFFT requires non-final dimensions to be compatible with fft_length. Got: 3, 9 but wanted 9, 16, and 3 != 9.
func.func @irfft_lengths(%a: tensor<3x9xcomplex<f32>>) {
  %0 = stablehlo.fft %a, type = IRFFT, length = [9, 16] : (tensor<3x9xcomplex<f32>>) -> tensor<3x16xf32>
  func.return
}

// -----

// CHECK: IRFFT requires innermost dimension to be compatible with fft_length[-1]/2+1. Got: 9 but fft_length is 9.
func.func @irfft_length(%a: tensor<3x9xcomplex<f32>>) {
  %0 = stablehlo.fft %a, type = IRFFT, length = [9] : (tensor<3x9xcomplex<f32>>) -> tensor<3x9xf32>
  func.return
}

// -----

// CHECK: inferred type(s) 'tensor<3x5xcomplex<f32>>' are incompatible with return type(s) of operation 'tensor<3x9xcomplex<f32>>'
func.func @result(%a: tensor<3x9xf32>) {
  %0 = stablehlo.fft %a, type = RFFT, length = [9] : (tensor<3x9xf32>) -> tensor<3x9xcomplex<f32>>
  func.return
}
