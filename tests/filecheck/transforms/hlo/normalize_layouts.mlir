// RUN: xshardy-opt %s -p hlo-normalize-layouts | filecheck %s

// CHECK-LABEL: func.func @main(
// CHECK-NEXT:    %[[X:.*]] = hlo.copy %arg0 : tensor<2x3xf32>
// CHECK-NEXT:    %[[T:.*]] = stablehlo.transpose %[[X]], dims = [1, 0] : (tensor<2x3xf32>) -> tensor<3x2xf32>
// CHECK-NEXT:    %[[N:.*]] = stablehlo.negate %[[T]] : tensor<3x2xf32>
// CHECK-NEXT:    return %[[N]] : tensor<3x2xf32>
func.func @main(%x: tensor<2x3xf32> {hlo.layout = array<i64: 0, 1>}) -> tensor<3x2xf32> {
  %t = stablehlo.transpose %x, dims = [1, 0] {hlo.layout = array<i64: 0, 1>} : (tensor<2x3xf32>) -> tensor<3x2xf32>
  %n = stablehlo.negate %t : tensor<3x2xf32>
  return %n : tensor<3x2xf32>
}

// A copy that no result needs is in the default layout; a function that is called has no fixed layouts.
// CHECK-LABEL: func.func private @called(
// CHECK-NEXT:    %[[C:.*]] = hlo.copy %arg0 : tensor<2x3xf32>
// CHECK-NEXT:    %[[N:.*]] = stablehlo.negate %[[C]] : tensor<2x3xf32>
// CHECK-NEXT:    return %[[N]] : tensor<2x3xf32>
func.func private @called(%x: tensor<2x3xf32>) -> tensor<2x3xf32> {
  %c = hlo.copy %x {hlo.layout = array<i64: 0, 1>} : tensor<2x3xf32>
  %n = stablehlo.negate %c {hlo.layout = array<i64: 0, 1>} : tensor<2x3xf32>
  return %n : tensor<2x3xf32>
}

func.func private @declared(tensor<2x3xf32>) -> tensor<2x3xf32>

// A parameter that is returned as it is needs no copy: its layout is that of the result.
// CHECK-LABEL: func.func @returned(
// CHECK-SAME:    {hlo.layout = array<i64: 0, 1>}
// CHECK-NEXT:    return %arg0 : tensor<2x3xf32>
func.func @returned(%x: tensor<2x3xf32> {hlo.layout = array<i64: 0, 1>}) -> tensor<2x3xf32> {
  return %x : tensor<2x3xf32>
}
