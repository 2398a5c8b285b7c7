// RUN: xshardy-opt %s -p xla-sdy-import-func-calls | filecheck %s

sdy.mesh @mesh = <["a"=2, "b"=4]>

// The shardings of a call go before those of the results of its callee.
// CHECK-LABEL: func.func @calls
// CHECK-NEXT:    %0 = sdy.named_computation<"f">(%arg0) in_shardings=[<@mesh, [{"a"}]>] out_shardings=[<@mesh, [{?}]>] (%arg1: tensor<8xf32>) {
// CHECK-NEXT:      %3 = stablehlo.negate %arg1
// CHECK-NEXT:      sdy.return %3
// CHECK-NEXT:    } {note = "n"} : (tensor<8xf32>) -> tensor<8xf32>
// CHECK-NEXT:    %1 = sdy.named_computation<"f">(%0) in_shardings=[<@mesh, [{"a"}]>] out_shardings=[<@mesh, [{"b"}]>]
// CHECK:         %2 = sdy.named_computation<"g">(%1) (%arg1: tensor<8xf32>) {
// CHECK-NEXT:      sdy.return %arg1
// CHECK:       return %2
// CHECK-NOT:   func.func
func.func @calls(%x: tensor<8xf32>) -> tensor<8xf32> {
  %0 = func.call @f(%x) {note = "n", sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{?}]>]>} : (tensor<8xf32>) -> tensor<8xf32>
  %1 = func.call @f(%0) : (tensor<8xf32>) -> tensor<8xf32>
  %2 = func.call @g(%1) : (tensor<8xf32>) -> tensor<8xf32>
  return %2 : tensor<8xf32>
}
func.func private @f(%x: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}]>}) -> (tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"b"}]>}) {
  %0 = stablehlo.negate %x : tensor<8xf32>
  return %0 : tensor<8xf32>
}
func.func private @g(%x: tensor<8xf32>) -> tensor<8xf32> {
  return %x : tensor<8xf32>
}
