// RUN: xshardy-opt %s -p sdy-add-func-data-flow-edges | filecheck %s

// The only function is the main one, whatever its name.
// CHECK-NOT: func_data_flow_edge
func.func @start(%x: tensor<8xf32>) -> tensor<8xf32> {
  return %x : tensor<8xf32>
}
