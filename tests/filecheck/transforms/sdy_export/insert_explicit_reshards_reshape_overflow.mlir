// RUN: xshardy-opt %s -p "sdy-insert-explicit-reshards{enable-full-version=true}" | filecheck %s

sdy.mesh @mesh = <["a"=128, "b"=3]>

// The axis divides the first factor in part: 8 of its 128 parts. Its rest divides no factor, so it is left to the result.
// CHECK-LABEL: func.func @rest_of_an_axis_that_divides_no_factor(
// CHECK-NEXT:    %[[X:.*]] = sdy.reshard %{{.*}} <@mesh, [{"a":(1)8}, {}, {}]> : tensor<24x27x80xf32>
// CHECK-NEXT:    %[[Y:.*]] = stablehlo.reshape %[[X]] {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"a":(1)8}]>]>}
// CHECK-NEXT:    %[[Z:.*]] = sdy.reshard %[[Y]] <@mesh, [{"a"}]> : tensor<51840xf32>
// CHECK-NEXT:    return %[[Z]]
func.func @rest_of_an_axis_that_divides_no_factor(
    %x: tensor<24x27x80xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}, {}]>})
    -> (tensor<51840xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}]>}) {
  %0 = stablehlo.reshape %x {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"a"}]>]>} : (tensor<24x27x80xf32>) -> tensor<51840xf32>
  return %0 : tensor<51840xf32>
}
