// RUN: xshardy-opt %s -p 'sdy-add-data-flow-edges,sdy-basic-propagate' --split-input-file | filecheck %s

// C++ Shardy crashes on this.
// An edge on the argument of a loop's region is no edge of the loop: nothing flows into it.
// CHECK-LABEL: @edge_of_no_owner(
// CHECK: sdy.data_flow_edge %{{.*}} sharding=<@mesh, [{?}]> : tensor<8xf32>
sdy.mesh @mesh = <["a"=2]>
func.func @edge_of_no_owner(%x: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}]>}, %c: tensor<i1>) -> tensor<8xf32> {
  %0 = stablehlo.while(%i = %x) : tensor<8xf32>
  cond {
    stablehlo.return %c : tensor<i1>
  } do {
    %1 = sdy.data_flow_edge %i sharding=<@mesh, [{?}]> : tensor<8xf32>
    "test.op"(%1) : (tensor<8xf32>) -> ()
    stablehlo.return %x : tensor<8xf32>
  }
  return %0 : tensor<8xf32>
}
