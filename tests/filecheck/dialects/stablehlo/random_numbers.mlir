// RUN: xshardy-opt %s | filecheck %s
// RUN: xshardy-opt %s --print-op-generic | xshardy-opt | filecheck %s

// CHECK-LABEL: func.func @rng
// CHECK-NEXT:    %{{[^ ,:)]+}} = stablehlo.constant dense<[4, 5]> : tensor<2xi64>
// CHECK-NEXT:    %{{[^ ,:)]+}} = stablehlo.rng %{{[^ ,:)]+}}, %{{[^ ,:)]+}}, %{{[^ ,:)]+}}, distribution = NORMAL : (tensor<f32>, tensor<f32>, tensor<2xi64>) -> tensor<4x5xf32>
// CHECK-NEXT:    %{{[^ ,:)]+}} = stablehlo.rng %{{[^ ,:)]+}}, %{{[^ ,:)]+}}, %{{[^ ,:)]+}}, distribution = UNIFORM : (tensor<i8>, tensor<i8>, tensor<2xi64>) -> tensor<?x?xi8>
func.func @rng(%a: tensor<f32>, %i: tensor<i8>, %s: tensor<2xi64>) {
  %shape = stablehlo.constant dense<[4, 5]> : tensor<2xi64>
  %0 = stablehlo.rng %a, %a, %shape, distribution = NORMAL : (tensor<f32>, tensor<f32>, tensor<2xi64>) -> tensor<4x5xf32>
  %1 = stablehlo.rng %i, %i, %s, distribution = UNIFORM : (tensor<i8>, tensor<i8>, tensor<2xi64>) -> tensor<?x?xi8>
  func.return
}

// CHECK-LABEL: func.func @rng_bit_generator
// CHECK-NEXT:    %{{[^ ,:)]+}}, %{{[^ ,:)]+}} = stablehlo.rng_bit_generator %{{[^ ,:)]+}}, algorithm = PHILOX : (tensor<2xui64>) -> (tensor<2xui64>, tensor<4x5xui32>)
// CHECK-NEXT:    %{{[^ ,:)]+}}, %{{[^ ,:)]+}} = stablehlo.rng_bit_generator %{{[^ ,:)]+}}, algorithm = DEFAULT {mhlo.x = 1 : i32} : (tensor<2xui64>) -> (tensor<2xui64>, tensor<f64>)
// CHECK-NEXT:    %{{[^ ,:)]+}}, %{{[^ ,:)]+}} = stablehlo.rng_bit_generator %{{[^ ,:)]+}}, algorithm = THREE_FRY : (tensor<2xui64>) -> (tensor<2xui64>, tensor<3xi8>)
func.func @rng_bit_generator(%s: tensor<2xui64>) {
  %0, %1 = stablehlo.rng_bit_generator %s, algorithm = PHILOX : (tensor<2xui64>) -> (tensor<2xui64>, tensor<4x5xui32>)
  %2:2 = stablehlo.rng_bit_generator %s, algorithm = DEFAULT {mhlo.x = 1 : i32} : (tensor<2xui64>) -> (tensor<2xui64>, tensor<f64>)
  %3:2 = "stablehlo.rng_bit_generator"(%s) <{rng_algorithm = #stablehlo<rng_algorithm THREE_FRY>}> : (tensor<2xui64>) -> (tensor<2xui64>, tensor<3xi8>)
  func.return
}
