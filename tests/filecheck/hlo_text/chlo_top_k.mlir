// RUN: xshardy-opt %s -t hlo | filecheck %s

// CHECK: compare({{.*}}), direction=GT, type=TOTALORDER
// CHECK: sort({{.*}}), dimensions={1}, is_stable=true
// CHECK: slice({{.*}}), slice={[0:2], [0:3]}
func.func @main(%x: tensor<2x7xf32>) -> (tensor<2x3xf32>, tensor<2x3xi32>) {
  %0, %1 = chlo.top_k(%x, k = 3) : tensor<2x7xf32> -> (tensor<2x3xf32>, tensor<2x3xi32>)
  return %0, %1 : tensor<2x3xf32>, tensor<2x3xi32>
}
