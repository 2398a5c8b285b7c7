// RUN: xshardy-opt %s | filecheck %s
// RUN: xshardy-opt %s | xshardy-opt | filecheck %s

// CHECK-LABEL: func.func @comparisons
func.func @comparisons(%x: tensor<2xf32>, %n: tensor<2xi4>) {
  // CHECK-NEXT: check.expect_eq %{{.*}}, %{{.*}} : tensor<2xf32>
  check.expect_eq %x, %x : tensor<2xf32>
  // CHECK-NEXT: check.expect_eq_const %{{.*}}, dense<[1, 2]> : tensor<2xi4>
  check.expect_eq_const %n, dense<[1, 2]> : tensor<2xi4>
  // CHECK-NEXT: check.expect_almost_eq %{{.*}}, %{{.*}} : tensor<2xf32>
  check.expect_almost_eq %x, %x : tensor<2xf32>
  // CHECK-NEXT: check.expect_almost_eq %{{.*}}, %{{.*}}, tolerance = 2.500000e-01 : tensor<2xf32>
  check.expect_almost_eq %x, %x, tolerance = 0.25 : tensor<2xf32>
  // CHECK-NEXT: check.expect_almost_eq_const %{{.*}}, dense<5.000000e-01> : tensor<2xf32>
  "check.expect_almost_eq_const"(%x) <{value = dense<0.5> : tensor<2xf32>}> : (tensor<2xf32>) -> ()
  // CHECK-NEXT: check.expect_close %{{.*}}, %{{.*}}, max_ulp_difference = 3 : tensor<2xf32>, tensor<2xf32>
  check.expect_close %x, %x, max_ulp_difference = 3 : tensor<2xf32>, tensor<2xf32>
  // CHECK-NEXT: check.expect_close %{{.*}}, %{{.*}}, max_ulp_difference = 2, min_ulp_difference = 1 : tensor<2xf32>, tensor<2xf32>
  check.expect_close %x, %x, max_ulp_difference = 2, min_ulp_difference = 1 : tensor<2xf32>, tensor<2xf32>
  func.return
}
