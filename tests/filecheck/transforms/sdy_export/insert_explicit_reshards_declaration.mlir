// RUN: xshardy-opt %s -p "sdy-insert-explicit-reshards{enable-full-version=true}" | filecheck %s

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

// Every return gives what the function gives.
// CHECK-LABEL: func.func @several_returns
// CHECK-NEXT:    cf.cond_br %arg0, ^bb1, ^bb2
// CHECK-NEXT:  ^bb1:
// CHECK-NEXT:    return %arg1
// CHECK-NEXT:  ^bb2:
// CHECK-NEXT:    %0 = sdy.reshard %arg2 <@mesh, [{"a"}]>
// CHECK-NEXT:    return %0
func.func @several_returns(%c: i1, %x: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}]>}, %y: tensor<8xf32>) -> (tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}]>}) {
  cf.cond_br %c, ^bb1, ^bb2
^bb1:
  func.return %x : tensor<8xf32>
^bb2:
  func.return %y : tensor<8xf32>
}
