// RUN: xshardy-opt %s -p 'sdy-add-func-data-flow-edges,sdy-user-priority-propagate' | filecheck %s

// A call without results gives its operands to the arguments of a function as well.
// CHECK-LABEL: func.func private @f(
// CHECK-NEXT:  sdy.func_data_flow_edge %arg0 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"a", ?}]>]>}
sdy.mesh @mesh = <["a"=2]>
func.func @main(%x: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}]>}) {
  func.call @f(%x) : (tensor<8xf32>) -> ()
  func.return
}
func.func private @f(%x: tensor<8xf32>) {
  %0 = stablehlo.negate %x : tensor<8xf32>
  func.return
}
