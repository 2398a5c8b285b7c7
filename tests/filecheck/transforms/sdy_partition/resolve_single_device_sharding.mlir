// RUN: xshardy-opt %s -p sdy-resolve-single-device-sharding | filecheck %s
// RUN: xshardy-opt %s -p sdy-resolve-single-device-sharding{replica-count=4} | filecheck %s --check-prefix REPLICA

sdy.mesh @mesh = <["x"=2, "y"=2]>
sdy.mesh @third = <[], device_ids=[3]>

// CHECK-LABEL: @alone(
// CHECK-NEXT: %0 = stablehlo.partition_id : tensor<ui32>
// CHECK-NEXT: %1 = stablehlo.convert %0 : (tensor<ui32>) -> tensor<i64>
// CHECK-NEXT: %c = stablehlo.constant dense<3> : tensor<i64>
// CHECK-NEXT: %2 = stablehlo.compare EQ, %1, %c
// CHECK-NEXT: %3 = "stablehlo.if"(%2) ({
// CHECK-NEXT:   %5 = stablehlo.negate %arg0 : tensor<8xf32>
// CHECK-NEXT:   stablehlo.return %5
// CHECK-NEXT: }, {
// CHECK-NEXT:   %cst = stablehlo.constant dense<0.000000e+00> : tensor<8xf32>
// CHECK-NEXT:   stablehlo.return %cst
// CHECK-NEXT: }) : (tensor<i1>) -> tensor<8xf32>
// CHECK-NEXT: %4 = sdy.all_reduce {"x", "y"} %3 out_sharding=<@mesh, [{}]>
// CHECK-NEXT: return %4
// REPLICA: stablehlo.replica_id
func.func @alone(%t: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}]>}) -> tensor<8xf32> {
  %0 = sdy.reshard %t <@third, []> : tensor<8xf32>
  %1 = stablehlo.negate %0 {sdy.sharding = #sdy.sharding_per_value<[<@third, []>]>} : tensor<8xf32>
  %2 = sdy.reshard %1 <@mesh, [{}]> : tensor<8xf32>
  return %2 : tensor<8xf32>
}

// What is read by others too stays there, results that are on all devices become so again, and tokens are tokens.
// CHECK-LABEL: @several(
// CHECK-NEXT: sdy.reshard %arg0 <@third, []>
// CHECK: %[[ALL:.*]]:3 = "stablehlo.if"
// CHECK-NEXT: stablehlo.custom_call @f(%arg0)
// CHECK: stablehlo.constant dense<false> : tensor<2xi1>
// CHECK-NEXT: stablehlo.constant dense<0> : tensor<i32>
// CHECK-NEXT: stablehlo.create_token
// CHECK: %[[FIRST:.*]] = sdy.all_reduce {"x", "y"} %[[ALL]]#0
// CHECK-NEXT: %[[SECOND:.*]] = sdy.all_reduce {"x", "y"} %[[ALL]]#1
// CHECK-NEXT: sdy.reshard %[[FIRST]] <@mesh, [{"x"}]>
// CHECK-NEXT: return %{{.*}}, %[[SECOND]], %[[ALL]]#2, %0
func.func @several(%t: tensor<8xf32>) -> (tensor<2xi1>, tensor<i32>, !stablehlo.token, tensor<8xf32>) {
  %0 = sdy.reshard %t <@third, []> : tensor<8xf32>
  %1:3 = stablehlo.custom_call @f(%0) {sdy.sharding = #sdy.sharding_per_value<[<@third, []>, <@mesh, []>, <@mesh, []>]>} : (tensor<8xf32>) -> (tensor<2xi1>, tensor<i32>, !stablehlo.token)
  %2 = sdy.reshard %1#0 <@mesh, [{"x"}]> : tensor<2xi1>
  return %2, %1#1, %1#2, %0 : tensor<2xi1>, tensor<i32>, !stablehlo.token, tensor<8xf32>
}

// CHECK-LABEL: @on_all_devices(
// CHECK-NEXT: stablehlo.negate %arg0
// CHECK-NEXT: return
func.func @on_all_devices(%t: tensor<8xf32>) -> tensor<8xf32> {
  %0 = stablehlo.negate %t {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}]>]>} : tensor<8xf32>
  return %0 : tensor<8xf32>
}

// What only the same device reads stays there. Each device makes constants, and executes loops, with whole tensors.
// CHECK-LABEL: @chain(
// CHECK:      %[[A:.*]] = "stablehlo.if"
// CHECK-NEXT:   stablehlo.negate %arg0
// CHECK-NOT:  sdy.all_reduce
// CHECK:      %[[B:.*]] = "stablehlo.if"
// CHECK-NEXT:   stablehlo.add %[[A]], %cst
// CHECK:      %[[R:.*]] = sdy.all_reduce {"x", "y"} %[[B]]
// CHECK-NEXT: stablehlo.optimization_barrier {{.*}}<@mesh, [{}]>{{.*}} %[[R]]
// CHECK-NEXT: return
func.func @chain(%t: tensor<8xf32>) -> tensor<8xf32> {
  %c = stablehlo.constant {sdy.sharding = #sdy.sharding_per_value<[<@third, []>]>} dense<1.0> : tensor<8xf32>
  %0 = stablehlo.negate %t {sdy.sharding = #sdy.sharding_per_value<[<@third, []>]>} : tensor<8xf32>
  %1 = sdy.reshard %0 <@third, []> : tensor<8xf32>
  %2 = stablehlo.add %1, %c {sdy.sharding = #sdy.sharding_per_value<[<@third, []>]>} : tensor<8xf32>
  %3 = stablehlo.optimization_barrier {sdy.sharding = #sdy.sharding_per_value<[<@third, []>]>} %2 : tensor<8xf32>
  return %3 : tensor<8xf32>
}
