// RUN: xshardy-opt %s | filecheck %s
// RUN: xshardy-opt %s --print-op-generic | filecheck %s --check-prefix=GENERIC
// RUN: xshardy-opt %s --print-op-generic | xdsl-opt | xshardy-opt | filecheck %s

// CHECK-LABEL: func.func @shuffles
// CHECK-NEXT:    %shuffleResult, %valid = gpu.shuffle xor %arg0, %arg1, %arg1 {a} : f32
// CHECK-NEXT:    %{{.*}}, %{{.*}} = gpu.shuffle up %arg0, %arg1, %arg1 : f32
// CHECK-NEXT:    %{{.*}}, %{{.*}} = gpu.shuffle down %arg0, %arg1, %arg1 : f32
// CHECK-NEXT:    %{{.*}}, %{{.*}} = gpu.shuffle idx %arg0, %arg1, %arg1 : f32
// GENERIC: "gpu.shuffle"(%arg0, %arg1, %arg1) <{mode = #gpu<shuffle_mode xor>}> {a} : (f32, i32, i32) -> (f32, i1)
func.func @shuffles(%x: f32, %n: i32) {
  %0, %1 = gpu.shuffle xor %x, %n, %n {a} : f32
  %2, %3 = gpu.shuffle up %x, %n, %n : f32
  %4, %5 = gpu.shuffle down %x, %n, %n : f32
  %6, %7 = gpu.shuffle idx %x, %n, %n : f32
  func.return
}
