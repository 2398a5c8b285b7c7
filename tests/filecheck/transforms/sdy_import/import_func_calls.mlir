// RUN: xshardy-opt %s -p sdy-import-func-calls | filecheck %s

sdy.mesh @mesh = <["a"=2, "b"=2]>
sdy.mesh @one = <[], device_ids=[0]>

// The arguments of a callee give the in-shardings, the call the out-shardings; other attributes of the call stay.
// CHECK-LABEL: func.func @main
// CHECK-NEXT:    %0 = sdy.named_computation<"sharded">(%arg0) in_shardings=[<@mesh, [{"a"}]>] out_shardings=[<@mesh, [{"b"}]>] (%arg1: tensor<8xf32>) {
// CHECK-NEXT:      %{{.*}} = sdy.data_flow_edge %arg1 sharding=<@mesh, [{"a"}]> : tensor<8xf32>
// CHECK:         } {execution_thread = "host", keep.me} : (tensor<8xf32>) -> tensor<8xf32>
// CHECK-NEXT:    %1 = sdy.data_flow_edge %0 sharding=<@mesh, [{"b"}]> : tensor<8xf32>
// The function is named as it was before it was copied, and a sharding on one device counts for nothing.
// CHECK-NEXT:    %2 = sdy.named_computation<"root">(%1) (%arg1: tensor<8xf32>) {
// CHECK:           stablehlo.negate
// A call in a callee is replaced first.
// CHECK:         sdy.named_computation<"outer">(
// CHECK-NEXT:      sdy.data_flow_edge
// CHECK-NEXT:      sdy.named_computation<"inner">(
// CHECK-NOT:   call @
// CHECK-NOT:   @sharded
func.func @main(%x: tensor<8xf32>) -> tensor<8xf32> {
  %0 = func.call @sharded(%x) {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"b"}]>]>, keep.me} : (tensor<8xf32>) -> tensor<8xf32>
  %1 = func.call @copy(%0) : (tensor<8xf32>) -> tensor<8xf32>
  %2 = func.call @outer(%1) : (tensor<8xf32>) -> tensor<8xf32>
  return %2 : tensor<8xf32>
}
func.func private @sharded(%x: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}]>}) -> (tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a", "b"}]>}) attributes {execution_thread = "host"} {
  return %x : tensor<8xf32>
}
func.func private @copy(%x: tensor<8xf32> {sdy.sharding = #sdy.sharding<@one, []>}) -> tensor<8xf32> attributes {sdy.original_func_name = "root"} {
  %0 = stablehlo.negate %x : tensor<8xf32>
  return %0 : tensor<8xf32>
}
func.func private @outer(%x: tensor<8xf32>) -> tensor<8xf32> {
  %0 = func.call @inner(%x) : (tensor<8xf32>) -> tensor<8xf32>
  return %0 : tensor<8xf32>
}
func.func private @inner(%x: tensor<8xf32>) -> tensor<8xf32> {
  return %x : tensor<8xf32>
}
// CHECK: func.func private @not_called
func.func private @not_called(%x: tensor<8xf32>) -> tensor<8xf32> {
  return %x : tensor<8xf32>
}
