// RUN: xshardy-opt %s --mlir-print-debuginfo | filecheck %s

// Locations inside others that are defined later, here and there, in any order.
// CHECK:      %0 = stablehlo.tanh %arg0 : tensor<f32> loc(#[[CALL:.*]])
// CHECK-NEXT: %1 = stablehlo.tanh %0 : tensor<f32> loc(#[[NAME:.*]])
// CHECK-NEXT: return %1 : tensor<f32> loc(#[[FUSED:.*]])
// CHECK-DAG:  #[[A:.*]] = loc("a.py":3:4)
// CHECK-DAG:  #[[B:.*]] = loc("b.py":7:8)
// CHECK-DAG:  #[[CALL]] = loc(callsite(#[[A]] at #[[B]]))
// CHECK-DAG:  #[[NAME]] = loc("x"(#[[B]]))
// CHECK-DAG:  #[[FUSED]] = loc(fused[#[[CALL]], #[[NAME]]])
func.func @f(%x: tensor<f32>) -> tensor<f32> {
  %0 = stablehlo.tanh %x : tensor<f32> loc(#loc5)
  %1 = stablehlo.tanh %0 : tensor<f32> loc("x"(#loc9))
  func.return %1 : tensor<f32> loc(#loc1)
}
#loc1 = loc(fused[#loc5, #loc2])
#loc2 = loc("x"(#loc9))
#loc3 = loc("a.py":3:4)
#loc5 = loc(callsite(#loc3 at #loc9))
#loc9 = loc("b.py":7:8)
