// RUN: xshardy-opt %s -p sdy-drop-sharding-and-mesh | filecheck %s

// What is not about shardings stays.
// CHECK-LABEL: func.func @main(%arg0: tensor<8xf32> {test.note = "argument"}) -> (tensor<8xf32> {test.note = "result"}) {
// CHECK-NEXT:    return {note = "end"} %arg0 : tensor<8xf32>
func.func @main(%x: tensor<8xf32> {test.note = "argument"}) -> (tensor<8xf32> {test.note = "result"}) {
  return {note = "end"} %x : tensor<8xf32>
}
