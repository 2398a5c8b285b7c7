// RUN: xshardy-opt %s --split-input-file -p convert-vector-to-llvm | filecheck %s

// CHECK-LABEL: func.func @elements
// CHECK-NEXT:    %0 = builtin.unrealized_conversion_cast %arg1 : index to i64
// CHECK-NEXT:    %1 = llvm.mlir.constant(1 : i64) : i64
// CHECK-NEXT:    %2 = llvm.extractelement %arg0[%1 : i64] : vector<4xbf16>
// CHECK-NEXT:    %3 = llvm.insertelement %2, %arg0[%0 : i64] : vector<4xbf16>
func.func @elements(%v: vector<4xbf16>, %i: index) -> vector<4xbf16> {
  %0 = vector.extract %v[1] : bf16 from vector<4xbf16>
  %1 = vector.insert %0, %v[%i] : bf16 into vector<4xbf16>
  func.return %1 : vector<4xbf16>
}

// -----

// CHECK-LABEL: func.func @broadcast
// CHECK-NEXT:    %0 = llvm.mlir.poison : vector<4xf32>
// CHECK-NEXT:    %1 = llvm.mlir.constant(0 : i64) : i64
// CHECK-NEXT:    %2 = llvm.insertelement %arg0, %0[%1 : i64] : vector<4xf32>
// CHECK-NEXT:    %3 = llvm.shufflevector %2, %0 [0, 0, 0, 0] : vector<4xf32>
func.func @broadcast(%x: f32) -> vector<4xf32> {
  %0 = vector.broadcast %x : f32 to vector<4xf32>
  func.return %0 : vector<4xf32>
}

// -----

// A sum of floats starts at -0.0, which leaves every float as it is.
// CHECK-LABEL: func.func @reductions
// CHECK-NEXT:    %0 = llvm.mlir.constant(-0.000000e+00 : f32) : f32
// CHECK-NEXT:    %1 = "llvm.intr.vector.reduce.fadd"(%0, %arg0) <{fastmathFlags = #llvm.fastmath<none>}> : (f32, vector<4xf32>) -> f32
// CHECK-NEXT:    %2 = "llvm.intr.vector.reduce.fadd"(%1, %arg0) <{fastmathFlags = #llvm.fastmath<none>}> : (f32, vector<4xf32>) -> f32
// CHECK-NEXT:    %3 = llvm.intr.vector.reduce.umax(%arg1) : (vector<4xi32>) -> i32
// CHECK-NEXT:    %4 = llvm.intr.vector.reduce.add(%arg1) : (vector<4xi32>) -> i32
// CHECK-NEXT:    %5 = llvm.add %3, %4 : i32
func.func @reductions(%v: vector<4xf32>, %w: vector<4xi32>) -> (f32, i32) {
  %0 = vector.reduction <add>, %v : vector<4xf32> into f32
  %1 = vector.reduction <add>, %v, %0 : vector<4xf32> into f32
  %2 = vector.reduction <maxui>, %w : vector<4xi32> into i32
  %3 = vector.reduction <add>, %w, %2 : vector<4xi32> into i32
  func.return %1, %3 : f32, i32
}

// -----

// CHECK-LABEL: func.func @shuffled
// CHECK-NEXT:    %0 = llvm.shufflevector %arg0, %arg1 [3, 0, 1] : vector<2xf32>
// CHECK-NEXT:    return %0 : vector<3xf32>
func.func @shuffled(%a: vector<2xf32>, %b: vector<2xf32>) -> vector<3xf32> {
  %0 = vector.shuffle %a, %b [3, 0, 1] : vector<2xf32>, vector<2xf32>
  func.return %0 : vector<3xf32>
}

// -----

// CHECK-LABEL: func.func @broadcast_of_one_element
// CHECK-NEXT:    %0 = llvm.mlir.constant(0 : i64) : i64
// CHECK-NEXT:    %1 = llvm.extractelement %arg0[%0 : i64] : vector<1xf32>
// CHECK-NEXT:    %2 = llvm.mlir.poison : vector<4xf32>
// CHECK-NEXT:    %3 = llvm.mlir.constant(0 : i64) : i64
// CHECK-NEXT:    %4 = llvm.insertelement %1, %2[%3 : i64] : vector<4xf32>
// CHECK-NEXT:    %5 = llvm.shufflevector %4, %2 [0, 0, 0, 0] : vector<4xf32>
// CHECK-NEXT:    return %5 : vector<4xf32>
func.func @broadcast_of_one_element(%x: vector<1xf32>) -> vector<4xf32> {
  %0 = vector.broadcast %x : vector<1xf32> to vector<4xf32>
  func.return %0 : vector<4xf32>
}

// -----

// CHECK-LABEL: func.func @broadcast_to_the_same_type
// CHECK-NEXT:    return %arg0 : vector<4xf32>
func.func @broadcast_to_the_same_type(%x: vector<4xf32>) -> vector<4xf32> {
  %0 = vector.broadcast %x : vector<4xf32> to vector<4xf32>
  func.return %0 : vector<4xf32>
}
