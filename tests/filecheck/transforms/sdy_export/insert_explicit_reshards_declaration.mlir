// RUN: xshardy-opt %s -p sdy-insert-explicit-reshards | filecheck %s

sdy.mesh @mesh = <["a"=2]>

// A function without a body is called like any other, and has nothing to insert into.
// CHECK-LABEL: func.func @call
// CHECK-NEXT:    %0 = sdy.reshard %arg0 <@mesh, [{"a"}]>
// CHECK-NEXT:    %1 = call @declared(%0)
// CHECK-NEXT:    return %1
func.func @call(%x: tensor<8xf32>) -> tensor<8xf32> {
  %0 = func.call @declared(%x) : (tensor<8xf32>) -> tensor<8xf32>
  func.return %0 : tensor<8xf32>
}
func.func private @declared(tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}]>}) -> tensor<8xf32>
