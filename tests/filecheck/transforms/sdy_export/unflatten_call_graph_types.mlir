// RUN: xshardy-opt %s -p sdy-unflatten-call-graph | filecheck %s

// Copies of a function share one only if their types are equal.

// CHECK-LABEL: func.func @main
// CHECK-NEXT: call @f(%arg0)
// CHECK-NEXT: call @f_0(%arg1)
// CHECK-NEXT: call @f(%arg0)
func.func @main(%x: tensor<4xf32>, %y: tensor<8xf32>) {
  %0 = func.call @f(%x) : (tensor<4xf32>) -> tensor<4xf32>
  %1 = func.call @f_0(%y) : (tensor<8xf32>) -> tensor<8xf32>
  %2 = func.call @f_1(%x) : (tensor<4xf32>) -> tensor<4xf32>
  func.return
}

func.func private @f(%x: tensor<4xf32>) -> tensor<4xf32> attributes {sdy.original_func_name = "f"} {
  func.return %x : tensor<4xf32>
}

func.func private @f_0(%x: tensor<8xf32>) -> tensor<8xf32> attributes {sdy.original_func_name = "f"} {
  func.return %x : tensor<8xf32>
}

func.func private @f_1(%x: tensor<4xf32>) -> tensor<4xf32> attributes {sdy.original_func_name = "f"} {
  func.return %x : tensor<4xf32>
}
