// RUN: xshardy-opt %s --mlir-print-debuginfo | filecheck %s
// RUN: xshardy-opt %s --mlir-print-debuginfo | xshardy-opt --mlir-print-debuginfo | filecheck %s
// RUN: xshardy-opt %s --print-debuginfo --print-op-generic | xshardy-opt --mlir-print-debuginfo | filecheck %s
// RUN: xshardy-opt %s | filecheck %s --check-prefix=WITHOUT
// RUN: xshardy-opt %s --xdsl-syntax --print-debuginfo | filecheck %s --check-prefix=XDSL

// Locations of arguments are written in full, and what is in them is defined in front of the module. All others are
// aliases behind it. Aliases are numbered by depth.

// CHECK:      #loc = loc(unknown)
// CHECK-NEXT: #loc2 = loc("p['emb']")
// CHECK-NEXT: #loc6 = loc("x"(#loc2))
// CHECK-NEXT: module {
// CHECK-NEXT:   func.func @forms(%arg0: tensor<f32> loc("p['emb']"), %arg1: tensor<f32> {a.b} loc("x"(#loc2)), %arg2: tensor<f32> loc(unknown)) -> tensor<f32> {
// CHECK-NEXT:     %0 = stablehlo.add %arg0, %arg1 : tensor<f32> loc(#loc7)
// CHECK-NEXT:     %1 = stablehlo.add %arg0, %arg1 : tensor<f32> loc(#loc3)
// CHECK-NEXT:     %2 = stablehlo.add %arg0, %arg1 : tensor<f32> loc(#loc4)
// CHECK-NEXT:     %3 = stablehlo.add %arg0, %arg1 : tensor<f32> loc(#loc8)
// CHECK-NEXT:     %4 = stablehlo.add %arg0, %arg1 : tensor<f32> loc(#loc9)
// CHECK-NEXT:     %5 = stablehlo.add %arg0, %arg1 : tensor<f32> loc(#loc10)
// CHECK-NEXT:     %6 = stablehlo.add %arg0, %arg1 : tensor<f32> loc(#loc)
// CHECK-NEXT:     %7 = stablehlo.add %arg0, %arg1 : tensor<f32> loc(#loc2)
// CHECK-NEXT:     %8 = stablehlo.add %arg0, %arg1 : tensor<f32> loc(#loc5)
// CHECK-NEXT:     return %0 : tensor<f32> loc(#loc)
// CHECK-NEXT:   } loc(#loc1)
// CHECK-NEXT: } loc(#loc)
// CHECK-NEXT: #loc1 = loc("model.py":1:0)
// CHECK-NEXT: #loc3 = loc("model.py":2:26 to :29)
// CHECK-NEXT: #loc4 = loc("model.py":2:26 to 3:4)
// CHECK-NEXT: #loc5 = loc("a\\\22\C3\A4\0A")
// CHECK-NEXT: #loc7 = loc("jit(f)/add"(#loc3))
// CHECK-NEXT: #loc8 = loc(callsite(#loc3 at #loc1))
// CHECK-NEXT: #loc9 = loc(fused[#loc3, #loc1])
// CHECK-NEXT: #loc10 = loc(fused<{kind = "a"}>[#loc3])

// WITHOUT:     module {
// WITHOUT-NOT: loc

// XDSL: loc("jit(f)/add"("model.py":2:26 to :29))

#early = loc("p['emb']")
func.func @forms(%arg0: tensor<f32> loc("p['emb']"), %arg1: tensor<f32> {a.b} loc("x"(#early)), %arg2: tensor<f32>) -> tensor<f32> {
  %0 = stablehlo.add %arg0, %arg1 : tensor<f32> loc(#loc9)
  %1 = stablehlo.add %arg0, %arg1 : tensor<f32> loc(#loc2)
  %2 = stablehlo.add %arg0, %arg1 : tensor<f32> loc("model.py":2:26 to 3:4)
  %3 = stablehlo.add %arg0, %arg1 : tensor<f32> loc(callsite("model.py":2:26 to :29 at "model.py":1))
  %4 = stablehlo.add %arg0, %arg1 : tensor<f32> loc(fused["model.py":2:26 to :29, unknown, fused["model.py":1:0], "model.py":2:26 to 2:29])
  %5 = stablehlo.add %arg0, %arg1 : tensor<f32> loc(fused<{kind = "a"}>["model.py":2:26 to :29])
  %6 = stablehlo.add %arg0, %arg1 : tensor<f32> loc(fused[unknown])
  %7 = stablehlo.add %arg0, %arg1 : tensor<f32> loc("p['emb']"(unknown))
  %8 = stablehlo.add %arg0, %arg1 : tensor<f32> loc(fused["a\\\22\C3\A4\n"])
  func.return %0 : tensor<f32>
} loc("model.py":1)
#loc2 = loc("model.py":2:26 to :29)
#loc9 = loc("jit(f)/add"(#loc2))
