// RUN: xshardy-opt %s -p sdy-insert-func-call-reshards | filecheck %s

sdy.mesh @mesh = <["a"=2, "b"=2]>

// A result that is wanted elsewhere is moved; the call is sharded as its function.
// CHECK-LABEL: func.func @moved
// CHECK-NEXT:    %0 = call @on_a(%arg0) {note = "n", sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"a"}]>]>}
// CHECK-NEXT:    %1 = sdy.reshard %0 <@mesh, [{"b", ?}]> : tensor<8xf32>
// CHECK-NEXT:    %2 = stablehlo.add %1, %1
// CHECK-NEXT:    return %1, %2
func.func @moved(%x: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>) {
  %0 = func.call @on_a(%x) {note = "n", sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"b", ?}]>]>} : (tensor<8xf32>) -> tensor<8xf32>
  %1 = stablehlo.add %0, %0 : tensor<8xf32>
  func.return %0, %1 : tensor<8xf32>, tensor<8xf32>
}

// Whether dimensions are open, and axes replicated, moves nothing.
// CHECK-LABEL: func.func @in_place
// CHECK-NEXT:    %0 = call @on_a(%arg0) {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"a"}]>]>}
// CHECK-NEXT:    %1 = call @open(%0) {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{?}]>]>}
// CHECK-NEXT:    %2 = call @open(%1) {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{?}]>]>}
// CHECK-NEXT:    return %2
func.func @in_place(%x: tensor<8xf32>) -> tensor<8xf32> {
  %0 = func.call @on_a(%x) {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"a", ?}], replicated={"b"}>]>} : (tensor<8xf32>) -> tensor<8xf32>
  %1 = func.call @open(%0) {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}]>]>} : (tensor<8xf32>) -> tensor<8xf32>
  %2 = func.call @open(%1) : (tensor<8xf32>) -> tensor<8xf32>
  func.return %2 : tensor<8xf32>
}

// A call without shardings wants replicated results, and a function without shardings gives them.
// CHECK-LABEL: func.func @without_shardings
// CHECK-NEXT:    %0 = call @on_a(%arg0) {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"a"}]>]>}
// CHECK-NEXT:    %1 = sdy.reshard %0 <@mesh, [{}]> : tensor<8xf32>
// CHECK-NEXT:    %2 = call @plain(%1) {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}]>]>}
// CHECK-NEXT:    %3 = sdy.reshard %2 <@mesh, [{"b"}]> : tensor<8xf32>
// CHECK-NEXT:    %4 = call @plain(%3) : (tensor<8xf32>) -> tensor<8xf32>
// CHECK-NEXT:    return %4
func.func @without_shardings(%x: tensor<8xf32>) -> tensor<8xf32> {
  %0 = func.call @on_a(%x) : (tensor<8xf32>) -> tensor<8xf32>
  %1 = func.call @plain(%0) {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"b"}]>]>} : (tensor<8xf32>) -> tensor<8xf32>
  %2 = func.call @plain(%1) : (tensor<8xf32>) -> tensor<8xf32>
  func.return %2 : tensor<8xf32>
}

// Each result is looked at for itself; a later one is moved first.
// CHECK-LABEL: func.func @several
// CHECK-NEXT:    %0:3 = call @on_both(%arg0) {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"a"}]>, <@mesh, [{"b"}]>, <@mesh, [{?}]>]>}
// CHECK-NEXT:    %1 = sdy.reshard %0#2 <@mesh, [{"a"}]> : tensor<8xf32>
// CHECK-NEXT:    %2 = sdy.reshard %0#0 <@mesh, [{"b"}]> : tensor<8xf32>
// CHECK-NEXT:    return %2, %0#1, %1
func.func @several(%x: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>, tensor<8xf32>) {
  %0:3 = func.call @on_both(%x) {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"b"}]>, <@mesh, [{"b"}]>, <@mesh, [{"a"}]>]>} : (tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>, tensor<8xf32>)
  func.return %0#0, %0#1, %0#2 : tensor<8xf32>, tensor<8xf32>, tensor<8xf32>
}

func.func private @on_a(%x: tensor<8xf32>) -> (tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}]>}) {
  func.return %x : tensor<8xf32>
}
func.func private @open(%x: tensor<8xf32>) -> (tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{?}]>}) {
  func.return %x : tensor<8xf32>
}
func.func private @plain(%x: tensor<8xf32>) -> tensor<8xf32> {
  func.return %x : tensor<8xf32>
}
func.func private @on_both(%x: tensor<8xf32>) -> (tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}]>}, tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"b"}]>}, tensor<8xf32>) {
  func.return %x, %x, %x : tensor<8xf32>, tensor<8xf32>, tensor<8xf32>
}
