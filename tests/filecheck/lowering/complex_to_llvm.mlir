// RUN: xshardy-opt %s --split-input-file -p convert-complex-to-standard,convert-complex-to-llvm | filecheck %s

// CHECK-LABEL: func.func @sum
// CHECK-DAG:     %[[A:.*]] = builtin.unrealized_conversion_cast %arg0 : complex<f32> to !llvm.struct<(f32, f32)>
// CHECK-DAG:     %[[B:.*]] = builtin.unrealized_conversion_cast %arg1 : complex<f32> to !llvm.struct<(f32, f32)>
// CHECK-NEXT:    %[[AR:.*]] = llvm.extractvalue %[[A]][0] : !llvm.struct<(f32, f32)>
// CHECK-NEXT:    %[[AI:.*]] = llvm.extractvalue %[[A]][1] : !llvm.struct<(f32, f32)>
// CHECK-NEXT:    %[[BR:.*]] = llvm.extractvalue %[[B]][0] : !llvm.struct<(f32, f32)>
// CHECK-NEXT:    %[[BI:.*]] = llvm.extractvalue %[[B]][1] : !llvm.struct<(f32, f32)>
// CHECK-NEXT:    %[[R:.*]] = arith.addf %[[AR]], %[[BR]] : f32
// CHECK-NEXT:    %[[I:.*]] = arith.addf %[[AI]], %[[BI]] : f32
// CHECK-NEXT:    %[[P:.*]] = llvm.mlir.poison : !llvm.struct<(f32, f32)>
// CHECK-NEXT:    %[[Q:.*]] = llvm.insertvalue %[[R]], %[[P]][0] : !llvm.struct<(f32, f32)>
// CHECK-NEXT:    llvm.insertvalue %[[I]], %[[Q]][1] : !llvm.struct<(f32, f32)>
func.func @sum(%a: complex<f32>, %b: complex<f32>) -> complex<f32> {
  %0 = complex.add %a, %b : complex<f32>
  func.return %0 : complex<f32>
}

// -----

// CHECK-LABEL: func.func @constant
// CHECK-NEXT:    %0 = llvm.mlir.constant(1.000000e+00 : f64) : f64
// CHECK-NEXT:    %1 = llvm.mlir.constant(-2.000000e+00 : f64) : f64
// CHECK-NEXT:    %2 = llvm.mlir.poison : !llvm.struct<(f64, f64)>
// CHECK-NEXT:    %3 = llvm.insertvalue %0, %2[0] : !llvm.struct<(f64, f64)>
// CHECK-NEXT:    %4 = llvm.insertvalue %1, %3[1] : !llvm.struct<(f64, f64)>
// CHECK-NEXT:    %5 = llvm.extractvalue %4[1] : !llvm.struct<(f64, f64)>
// CHECK-NEXT:    return %5 : f64
func.func @constant() -> f64 {
  %z = complex.constant [1.0 : f64, -2.0 : f64] : complex<f64>
  %0 = complex.im %z : complex<f64>
  func.return %0 : f64
}
