// RUN: xshardy-opt %s --split-input-file -p convert-arith-to-llvm,convert-math-to-libdevice,convert-gpu-to-nvvm,convert-vector-to-llvm | filecheck %s

// Rows of the tables `arith.MaxUIOp: UMaxOp`, `arith.OrIOp: llvm.OrOp`, `arith.SubiOp: llvm.SubOp`; flags of comparisons;
// constants, of which those of an index and of a float that LLVM lacks change their type.
// CHECK-LABEL: func.func @arith
// CHECK-NEXT:    llvm.intr.umax(%arg0, %arg1) : (i32, i32) -> i32
// CHECK-NEXT:    llvm.or %arg0, %arg1 : i32
// CHECK-NEXT:    llvm.sub %arg0, %arg1 : i32
// CHECK-NEXT:    llvm.fcmp "olt" %arg2, %arg3 {fastmathFlags = #llvm.fastmath<nnan>} : f32
// CHECK-NEXT:    llvm.mlir.constant(1 : i64) : i64
// CHECK-NEXT:    llvm.mlir.constant(-1 : i32) : i32
// CHECK-NEXT:    llvm.mlir.constant(1.500000e+00 : f32) : f32
// CHECK-NEXT:    llvm.mlir.constant(56 : i8) : i8
// CHECK-NEXT:    llvm.mlir.constant(dense<[1, 2]> : vector<2xi32>) : vector<2xi32>
// CHECK-NEXT:    llvm.mlir.constant(dense<[1, 2]> : vector<2xi64>) : vector<2xi64>
// CHECK-NEXT:    llvm.mlir.constant(dense<56> : vector<2xi8>) : vector<2xi8>
func.func @arith(%a: i32, %b: i32, %x: f32, %y: f32) {
  %0 = arith.maxui %a, %b : i32
  %1 = arith.ori %a, %b : i32
  %2 = arith.subi %a, %b : i32
  %3 = arith.cmpf olt, %x, %y fastmath<nnan> : f32
  %4 = arith.constant 1 : index
  %5 = arith.constant -1 : i32
  %6 = arith.constant 1.5 : f32
  %7 = arith.constant 1.0 : f8E4M3FN
  %8 = arith.constant dense<[1, 2]> : vector<2xi32>
  %9 = arith.constant dense<[1, 2]> : vector<2xindex>
  %10 = arith.constant dense<1.0> : vector<2xf8E4M3FN>
  func.return
}

// -----

// Rows `math.Exp2Op: "__nv_exp2"`, `math.RsqrtOp: "__nv_rsqrt"`, `math.FloorOp: llvm.FFloorOp`, `IsNormalOp: NORMAL`.
// CHECK-DAG:   llvm.func @__nv_rsqrtf(f32) -> f32
// CHECK-DAG:   llvm.func @__nv_exp2f(f32) -> f32
// CHECK-LABEL: func.func @math
// CHECK-NEXT:    llvm.call @__nv_exp2f(%arg0) : (f32) -> f32
// CHECK-NEXT:    llvm.call @__nv_rsqrtf(%arg0) : (f32) -> f32
// CHECK-NEXT:    llvm.intr.floor(%arg0) : (f32) -> f32
// CHECK-NEXT:    "llvm.intr.is.fpclass"(%arg0) <{bit = 264 : i32}> : (f32) -> i1
func.func @math(%x: f32) {
  %0 = math.exp2 %x : f32
  %1 = math.rsqrt %x : f32
  %2 = math.floor %x : f32
  %3 = math.isnormal %x : f32
  func.return
}

// -----

// Rows `nvvm.GridDimZOp`, `nvvm.ThreadIdZOp`, `ShuffleMode.Idx: nvvm.ShuffleKind.IDX`. Registers have 32 bits.
// CHECK-LABEL: func.func @gpu_32_bits
// CHECK-NEXT:    nvvm.read.ptx.sreg.nctaid.z : i32
// CHECK-NEXT:    nvvm.read.ptx.sreg.tid.z : i32
// CHECK:         nvvm.shfl.sync idx %{{.*}}, %arg0, %arg1, %{{.*}} {return_value_and_is_valid} : f32 -> !llvm.struct<(f32, i1)>
module attributes {dlti.dl_spec = #dlti.dl_spec<index = 32 : i32>} {
  func.func @gpu_32_bits(%x: f32, %a: i32) {
    %0 = gpu.grid_dim z
    %1 = gpu.thread_id z
    %w = arith.constant 32 : i32
    %2, %3 = gpu.shuffle idx %x, %a, %w : f32
    func.return
  }
}

// -----

// CHECK-LABEL: func.func @gpu_64_bits
// CHECK-NEXT:    %[[R:.*]] = nvvm.read.ptx.sreg.tid.z : i32
// CHECK-NEXT:    llvm.zext %[[R]] : i32 to i64
func.func @gpu_64_bits() {
  %0 = gpu.thread_id z
  func.return
}

// -----

// CHECK-LABEL: func.func @gpu_16_bits
// CHECK-NEXT:    %[[R:.*]] = nvvm.read.ptx.sreg.tid.z : i32
// CHECK-NEXT:    llvm.trunc %[[R]] : i32 to i16
module attributes {dlti.dl_spec = #dlti.dl_spec<index = 16 : i32>} {
  func.func @gpu_16_bits() {
    %0 = gpu.thread_id z
    func.return
  }
}

// -----

// A vector of no dimension is one of one element, at position 0. Floats and integers have reductions of their own.
// CHECK-LABEL: func.func @vector
// CHECK:         %[[ZERO:.*]] = llvm.mlir.constant(0 : i64) : i64
// CHECK-NEXT:    llvm.extractelement %{{.*}}[%[[ZERO]] : i64] : vector<1xf32>
// CHECK-NEXT:    llvm.intr.vector.reduce.fminimum(%arg1) : (vector<4xf32>) -> f32
// CHECK-NEXT:    llvm.intr.vector.reduce.xor(%arg2) : (vector<4xi32>) -> i32
// CHECK-NEXT:    return %arg1 : vector<4xf32>
func.func @vector(%v: vector<f32>, %w: vector<4xf32>, %i: vector<4xi32>) -> vector<4xf32> {
  %0 = vector.extract %v[] : f32 from vector<f32>
  %1 = vector.reduction <minimumf>, %w : vector<4xf32> into f32
  %2 = vector.reduction <xor>, %i : vector<4xi32> into i32
  %3 = vector.shape_cast %w : vector<4xf32> to vector<4xf32>
  func.return %3 : vector<4xf32>
}
