// RUN: xshardy run --check --fuse %s | filecheck %s

// No number of 6 bits shares a byte with another: ten of them take ten bytes.

// CHECK: main {{.*}} tensor<10xf6E2M3FN> {{.*}} agrees
// CHECK: tensor<5x2xf6E3M2FN> {{.*}} agrees

func.func @main() -> (tensor<10xf6E2M3FN>, tensor<5x2xf6E3M2FN>) {
  %0 = stablehlo.constant dense<[0.0, -0.0, 1.0, 0.125, 0.5, 3.25, 7.5, -7.5, 2.0, -0.125]> : tensor<10xf6E2M3FN>
  %1 = stablehlo.constant dense<[[0.0, -0.0], [1.0, 0.125], [0.5, 3.5], [7.0, -7.0], [2.0, -0.125]]> : tensor<5x2xf6E3M2FN>
  return %0, %1 : tensor<10xf6E2M3FN>, tensor<5x2xf6E3M2FN>
}
