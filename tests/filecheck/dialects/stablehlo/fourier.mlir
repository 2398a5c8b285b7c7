// RUN: xshardy-opt %s | filecheck %s
// RUN: xshardy-opt %s --print-op-generic | xshardy-opt | filecheck %s

// CHECK-LABEL: func.func @fft
// CHECK-NEXT:    %{{[^ ,:)]+}} = stablehlo.fft %{{[^ ,:)]+}}, type = FFT, length = [9] : (tensor<3x9xcomplex<f32>>) -> tensor<3x9xcomplex<f32>>
// CHECK-NEXT:    %{{[^ ,:)]+}} = stablehlo.fft %{{[^ ,:)]+}}, type = IFFT, length = [3, 9] : (tensor<3x9xcomplex<f32>>) -> tensor<3x9xcomplex<f32>>
// CHECK-NEXT:    %{{[^ ,:)]+}} = stablehlo.fft %{{[^ ,:)]+}}, type = RFFT, length = [9] : (tensor<3x9xf64>) -> tensor<3x5xcomplex<f64>>
// CHECK-NEXT:    %{{[^ ,:)]+}} = stablehlo.fft %{{[^ ,:)]+}}, type = IRFFT, length = [16] : (tensor<3x?xcomplex<f32>>) -> tensor<3x16xf32>
// CHECK-NEXT:    %{{[^ ,:)]+}} = stablehlo.fft %{{[^ ,:)]+}}, type = FFT, length = [9] : (tensor<3x9xcomplex<f32>>) -> tensor<3x9xcomplex<f32>>
func.func @fft(%a: tensor<3x9xcomplex<f32>>, %b: tensor<3x9xf64>, %c: tensor<3x?xcomplex<f32>>) {
  %0 = stablehlo.fft %a, type = FFT, length = [9] : (tensor<3x9xcomplex<f32>>) -> tensor<3x9xcomplex<f32>>
  %1 = stablehlo.fft %a, type = IFFT, length = [3, 9] : (tensor<3x9xcomplex<f32>>) -> tensor<3x9xcomplex<f32>>
  %2 = stablehlo.fft %b, type = RFFT, length = [9] : (tensor<3x9xf64>) -> tensor<3x5xcomplex<f64>>
  %3 = stablehlo.fft %c, type = IRFFT, length = [16] : (tensor<3x?xcomplex<f32>>) -> tensor<3x16xf32>
  %4 = "stablehlo.fft"(%a) <{fft_length = array<i64: 9>, fft_type = #stablehlo<fft_type FFT>}> : (tensor<3x9xcomplex<f32>>) -> tensor<3x9xcomplex<f32>>
  func.return
}

// A signal without elements: its transform has one element along the dimension, as JAX writes it, or none.
// CHECK-LABEL: func.func @empty
// CHECK-COUNT-2: type = IRFFT, length = [0]
func.func @empty(%a: tensor<4x1xcomplex<f32>>, %b: tensor<4x0xcomplex<f32>>) -> (tensor<4x0xf32>, tensor<4x0xf32>) {
  %0 = stablehlo.fft %a, type = IRFFT, length = [0] : (tensor<4x1xcomplex<f32>>) -> tensor<4x0xf32>
  %1 = stablehlo.fft %b, type = IRFFT, length = [0] : (tensor<4x0xcomplex<f32>>) -> tensor<4x0xf32>
  return %0, %1 : tensor<4x0xf32>, tensor<4x0xf32>
}
