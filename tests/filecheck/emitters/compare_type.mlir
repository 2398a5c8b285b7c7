// RUN: not xshardy emit --fuse-entry %s 2>&1 | filecheck %s

// CHECK: stablehlo.compare cannot be emitted: compare_type UNSIGNED does not fit elements of type i32: use SIGNED

func.func @main(%x: tensor<8xi32>, %y: tensor<8xi32>) -> tensor<8xi1> {
  %0 = stablehlo.compare LT, %x, %y, UNSIGNED : (tensor<8xi32>, tensor<8xi32>) -> tensor<8xi1>
  return %0 : tensor<8xi1>
}
