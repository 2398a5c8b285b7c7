// RUN: xshardy-opt %s | filecheck %s
// RUN: xdsl-opt %s | xdsl-opt --print-op-generic | xshardy-opt | filecheck %s

// What the documentation of the emitters shows, and xDSL's own dialects cannot read: plain xdsl-opt reads it, too.
// CHECK-LABEL: func.func @kernel
// CHECK-NEXT:    gpu.thread_id x {xla.range = [0 : index, 127 : index]}
// CHECK-NEXT:    gpu.block_id y
// CHECK-NEXT:    llvm.load %arg0 invariant : !llvm.ptr -> vector<4xbf16>
// CHECK-NEXT:    llvm.load %arg0 : !llvm.ptr -> f32
// CHECK-NEXT:    arith.cmpi slt, %arg1, %arg1 : vector<4xi32>
// CHECK-NEXT:    arith.select %{{.*}}, %arg1, %arg1 : vector<4xi1>, vector<4xi32>
// CHECK-NEXT:    arith.extui %{{.*}} : vector<4xi1> to vector<4xi8>
func.func @kernel(%pointer: !llvm.ptr, %v: vector<4xi32>) {
  %0 = gpu.thread_id x {xla.range = [0 : index, 127 : index]}
  %1 = gpu.block_id y
  %2 = llvm.load %pointer invariant : !llvm.ptr -> vector<4xbf16>
  %3 = llvm.load %pointer : !llvm.ptr -> f32
  %4 = arith.cmpi slt, %v, %v : vector<4xi32>
  %5 = arith.select %4, %v, %v : vector<4xi1>, vector<4xi32>
  %6 = arith.extui %4 : vector<4xi1> to vector<4xi8>
  func.return
}
