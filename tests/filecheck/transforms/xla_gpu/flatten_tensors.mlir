// RUN: xshardy-opt %s -p xla-gpu-flatten-tensors,cse | filecheck %s

// The GELU example of the documentation, with the bounds check simplified away: three indices become one. Rows XGPU-34 and XGPU-55.

// CHECK: #[[GELU:.*]] = #xla_gpu.indexing_map<"(th_x, bl_x, vector_index) -> (th_x * 4 + bl_x * 512 + vector_index), domain: th_x in [0, 127], bl_x in [0, 24575], vector_index in [0, 3]">

// CHECK-LABEL: func.func @main(
// CHECK-SAME:    %[[IN:.*]]: tensor<12582912xbf16>, %[[OUT:.*]]: tensor<12582912xbf16>) -> tensor<12582912xbf16> {
// CHECK:         %[[TH:.*]] = gpu.thread_id x {xla.range = [0 : index, 127 : index]}
// CHECK-NEXT:    %[[BL:.*]] = gpu.block_id x {xla.range = [0 : index, 24575 : index]}
// CHECK-NEXT:    %[[LOOP:.*]] = scf.for %[[I:.*]] = %{{.*}} to %{{.*}} step %{{.*}} iter_args(%[[ITER:.*]] = %[[OUT]]) -> (tensor<12582912xbf16>) {
// CHECK-NEXT:      %[[DIM:.*]] = xla_gpu.apply_indexing #[[GELU]](%[[TH]], %[[BL]], %[[I]])
// CHECK-NEXT:      %[[E:.*]] = tensor.extract %[[IN]][%[[DIM]]] : tensor<12582912xbf16>
// CHECK-NEXT:      %[[X:.*]] = math.tanh %[[E]] : bf16
// CHECK-NEXT:      %[[INSERTED:.*]] = tensor.insert %[[X]] into %[[ITER]][%[[DIM]]] : tensor<12582912xbf16>
// CHECK-NEXT:      scf.yield %[[INSERTED]] : tensor<12582912xbf16>
// CHECK-NEXT:    }
// CHECK-NEXT:    return %[[LOOP]] : tensor<12582912xbf16>
#map = #xla_gpu.indexing_map<"(th_x, bl_x)[vector_index] -> (bl_x floordiv 4096),"
  "domain: th_x in [0, 127], bl_x in [0, 24575], vector_index in [0, 3]">
#map1 = #xla_gpu.indexing_map<"(th_x, bl_x)[vector_index] -> ((bl_x floordiv 8) mod 512),"
  "domain: th_x in [0, 127], bl_x in [0, 24575], vector_index in [0, 3]">
#map2 = #xla_gpu.indexing_map<"(th_x, bl_x)[vector_index] -> ((bl_x mod 8) * 512 + th_x * 4 + vector_index),"
  "domain: th_x in [0, 127], bl_x in [0, 24575], vector_index in [0, 3]">
func.func @main(%input: tensor<6x512x4096xbf16>, %output: tensor<6x512x4096xbf16>) -> tensor<6x512x4096xbf16> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %thread_id_x = gpu.thread_id x {xla.range = [0 : index, 127 : index]}
  %block_id_x = gpu.block_id x {xla.range = [0 : index, 24575 : index]}
  %xla_loop = scf.for %vector_index = %c0 to %c4 step %c1 iter_args(%iter = %output) -> (tensor<6x512x4096xbf16>) {
    %dim0 = xla_gpu.apply_indexing #map(%thread_id_x, %block_id_x)[%vector_index]
    %dim1 = xla_gpu.apply_indexing #map1(%thread_id_x, %block_id_x)[%vector_index]
    %dim2 = xla_gpu.apply_indexing #map2(%thread_id_x, %block_id_x)[%vector_index]
    %extracted = tensor.extract %input[%dim0, %dim1, %dim2] : tensor<6x512x4096xbf16>
    %0 = math.tanh %extracted : bf16
    %inserted = tensor.insert %0 into %iter[%dim0, %dim1, %dim2] : tensor<6x512x4096xbf16>
    scf.yield %inserted : tensor<6x512x4096xbf16>
  }
  return %xla_loop : tensor<6x512x4096xbf16>
}

// -----------------------------------------------------------------------------------------------------------------------
// Accesses

// The layout says which dimension is the fastest in memory, and goes with the shape.
// CHECK-LABEL: func.func @layout(
// CHECK-SAME:    %[[T:.*]]: tensor<24xi1>, %[[I:.*]]: index, %[[J:.*]]: index, %[[K:.*]]: index) -> i1 {
// CHECK-NEXT:    %[[AT:.*]] = xla_gpu.apply_indexing #{{.*}}(%[[I]], %[[J]], %[[K]])
// CHECK-NEXT:    %[[E:.*]] = tensor.extract %[[T]][%[[AT]]] : tensor<24xi1>
func.func @layout(%t: tensor<2x3x4xi1, dense<[1, 0, 2]> : tensor<3xi64>>, %i: index, %j: index, %k: index) -> i1 {
  %e = tensor.extract %t[%i, %j, %k] : tensor<2x3x4xi1, dense<[1, 0, 2]> : tensor<3xi64>>
  return %e : i1
}

// Tensors of one or no dimension, and their indices, are left alone.
// CHECK-LABEL: func.func @flat_already(
// CHECK-SAME:    %[[S:.*]]: tensor<f32>, %[[T:.*]]: tensor<4xf32>, %[[I:.*]]: index)
// CHECK-NEXT:    %[[E:.*]] = tensor.extract %[[S]][] : tensor<f32>
// CHECK-NEXT:    %[[R:.*]] = tensor.insert %[[E]] into %[[T]][%[[I]]] : tensor<4xf32>
// CHECK-NEXT:    return %[[R]] : tensor<4xf32>
func.func @flat_already(%s: tensor<f32>, %t: tensor<4xf32>, %i: index) -> tensor<4xf32> {
  %e = tensor.extract %s[] : tensor<f32>
  %r = tensor.insert %e into %t[%i] : tensor<4xf32>
  return %r : tensor<4xf32>
}

// Constants among the indices are in the map, or are the index.
// CHECK-LABEL: func.func @constant_indices(
// CHECK-SAME:    %[[T:.*]]: tensor<20xcomplex<f64>>, %[[I:.*]]: index)
// CHECK-DAG:     %[[C7:.*]] = arith.constant 7 : index
// CHECK-DAG:     %[[AT:.*]] = xla_gpu.apply_indexing #{{.*}}(%[[I]])
// CHECK-DAG:     tensor.extract %[[T]][%[[C7]]] : tensor<20xcomplex<f64>>
// CHECK-DAG:     tensor.extract %[[T]][%[[AT]]] : tensor<20xcomplex<f64>>
func.func @constant_indices(%t: tensor<4x5xcomplex<f64>>, %i: index) -> (complex<f64>, complex<f64>) {
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %a = tensor.extract %t[%c1, %c2] : tensor<4x5xcomplex<f64>>
  %b = tensor.extract %t[%i, %c2] : tensor<4x5xcomplex<f64>>
  return %a, %b : complex<f64>, complex<f64>
}

// CHECK-LABEL: func.func @predicated(
// CHECK-SAME:    %[[T:.*]]: tensor<6xi4>, %[[I:.*]]: index, %[[C:.*]]: i1, %[[V:.*]]: i4)
// CHECK-NEXT:    %[[AT:.*]] = xla_gpu.apply_indexing #{{.*}}(%[[I]], %[[I]])
// CHECK-NEXT:    %[[E:.*]] = xla_gpu.predicated_extract %[[T]][%[[AT]]] if %[[C]] else %[[V]] : tensor<6xi4>
// CHECK-NEXT:    %[[R:.*]] = xla_gpu.predicated_insert %[[E]] into %[[T]][%[[AT]]] if %[[C]] : tensor<6xi4>
func.func @predicated(%t: tensor<2x3xi4>, %i: index, %c: i1, %v: i4) -> tensor<2x3xi4> {
  %e = xla_gpu.predicated_extract %t[%i, %i] if %c else %v : tensor<2x3xi4>
  %r = xla_gpu.predicated_insert %e into %t[%i, %i] if %c : tensor<2x3xi4>
  return %r : tensor<2x3xi4>
}

// A vector lies along the minor dimension, which need not be the last one.
// CHECK-LABEL: func.func @transfers(
// CHECK-SAME:    %[[T:.*]]: tensor<32xf32>, %[[U:.*]]: tensor<32xf32>, %[[I:.*]]: index, %[[J:.*]]: index)
// CHECK:         %[[ROW:.*]] = xla_gpu.apply_indexing #{{.*}}(%[[I]], %[[J]])
// CHECK-NEXT:    %[[V:.*]] = vector.transfer_read %[[T]][%[[ROW]]], %{{.*}} {in_bounds = [true]} : tensor<32xf32>, vector<2xf32>
// CHECK-NEXT:    %[[COLUMN:.*]] = xla_gpu.apply_indexing #{{.*}}(%[[J]], %[[I]])
// CHECK-NEXT:    %[[R:.*]] = vector.transfer_write %[[V]], %[[U]][%[[COLUMN]]] {in_bounds = [true]} : vector<2xf32>, tensor<32xf32>
func.func @transfers(%t: tensor<4x8xf32>, %u: tensor<8x4xf32, dense<[0, 1]> : tensor<2xi64>>, %i: index, %j: index)
    -> tensor<8x4xf32, dense<[0, 1]> : tensor<2xi64>> {
  %pad = arith.constant 0.0 : f32
  %v = vector.transfer_read %t[%i, %j], %pad {in_bounds = [true]} : tensor<4x8xf32>, vector<2xf32>
  %r = vector.transfer_write %v, %u[%j, %i] {in_bounds = [true], permutation_map = affine_map<(d0, d1) -> (d0)>}
    : vector<2xf32>, tensor<8x4xf32, dense<[0, 1]> : tensor<2xi64>>
  return %r : tensor<8x4xf32, dense<[0, 1]> : tensor<2xi64>>
}

// CHECK-LABEL: func.func @vectors(
// CHECK-SAME:    %[[V:.*]]: vector<6xf32>, %[[X:.*]]: f32, %[[I:.*]]: index) -> vector<6xf32> {
// CHECK:         %[[AT:.*]] = xla_gpu.apply_indexing #{{.*}}(%[[I]])
// CHECK-NEXT:    %[[E:.*]] = vector.extract %[[V]][%[[AT]]] : f32 from vector<6xf32>
// CHECK:         vector.insert %[[E]], %[[V]] [%{{.*}}] : f32 into vector<6xf32>
func.func @vectors(%v: vector<2x3xf32>, %x: f32, %i: index) -> vector<2x3xf32> {
  %e = vector.extract %v[%i, 2] : f32 from vector<2x3xf32>
  %r = vector.insert %e, %v[1, 1] : f32 into vector<2x3xf32>
  return %r : vector<2x3xf32>
}

// An empty tensor has accesses that never run.
// CHECK-LABEL: func.func @empty(
// CHECK-SAME:    %{{.*}}: tensor<0xf32>, %{{.*}}: index, %{{.*}}: index) -> f32 {
func.func @empty(%t: tensor<0x4xf32>, %i: index, %j: index) -> f32 {
  %e = tensor.extract %t[%i, %j] : tensor<0x4xf32>
  return %e : f32
}

// -----------------------------------------------------------------------------------------------------------------------
// Values that are passed on

// CHECK-LABEL: func.func private @declared(tensor<6xf32>, index) -> tensor<6xf32>
func.func private @declared(tensor<2x3xf32>, index) -> tensor<2x3xf32>

// CHECK-LABEL: func.func @calls(
// CHECK-SAME:    %[[T:.*]]: tensor<6xf32>, %[[I:.*]]: index) -> tensor<6xf32> {
// CHECK-NEXT:    %[[A:.*]] = call @declared(%[[T]], %[[I]]) : (tensor<6xf32>, index) -> tensor<6xf32>
// CHECK-NEXT:    %[[B:.*]] = xla_gpu.pure_call @declared(%[[A]], %[[I]]) : (tensor<6xf32>, index) -> tensor<6xf32>
// CHECK-NEXT:    return %[[B]] : tensor<6xf32>
func.func @calls(%t: tensor<2x3xf32>, %i: index) -> tensor<2x3xf32> {
  %a = func.call @declared(%t, %i) : (tensor<2x3xf32>, index) -> tensor<2x3xf32>
  %b = xla_gpu.pure_call @declared(%a, %i) : (tensor<2x3xf32>, index) -> tensor<2x3xf32>
  return %b : tensor<2x3xf32>
}

// CHECK-LABEL: func.func @while(
// CHECK-SAME:    %[[T:.*]]: tensor<6xf32>, %[[C:.*]]: i1) -> tensor<6xf32> {
// CHECK-NEXT:    %[[R:.*]] = scf.while (%[[A:.*]] = %[[T]]) : (tensor<6xf32>) -> tensor<6xf32> {
// CHECK-NEXT:      scf.condition(%[[C]]) %[[A]] : tensor<6xf32>
// CHECK-NEXT:    } do {
// CHECK-NEXT:    ^{{.*}}(%[[B:.*]]: tensor<6xf32>):
// CHECK-NEXT:      scf.yield %[[B]] : tensor<6xf32>
func.func @while(%t: tensor<2x3xf32>, %c: i1) -> tensor<2x3xf32> {
  %r = scf.while (%a = %t) : (tensor<2x3xf32>) -> tensor<2x3xf32> {
    scf.condition(%c) %a : tensor<2x3xf32>
  } do {
  ^bb0(%b: tensor<2x3xf32>):
    scf.yield %b : tensor<2x3xf32>
  }
  return %r : tensor<2x3xf32>
}

// Two tensors of a loop and a branch, of which one is passed on as it is.
// CHECK-LABEL: func.func @for_and_if(
// CHECK-SAME:    %[[T:.*]]: tensor<6xf32>, %[[U:.*]]: tensor<6xi8>, %[[C:.*]]: i1, %[[N:.*]]: index)
// CHECK:         scf.for {{.*}} iter_args(%[[A:.*]] = %[[T]], %[[B:.*]] = %[[U]]) -> (tensor<6xf32>, tensor<6xi8>) {
// CHECK-NEXT:      %[[IF:.*]]:2 = scf.if %[[C]] -> (tensor<6xf32>, tensor<6xi8>) {
// CHECK-NEXT:        scf.yield %[[T]], %[[B]] : tensor<6xf32>, tensor<6xi8>
// CHECK-NEXT:      } else {
// CHECK-NEXT:        scf.yield %[[A]], %[[U]] : tensor<6xf32>, tensor<6xi8>
// CHECK-NEXT:      }
// CHECK-NEXT:      scf.yield %[[IF]]#0, %[[IF]]#1 : tensor<6xf32>, tensor<6xi8>
func.func @for_and_if(%t: tensor<2x3xf32>, %u: tensor<3x2xi8>, %c: i1, %n: index) -> (tensor<2x3xf32>, tensor<3x2xi8>) {
  %r:2 = scf.for %i = %n to %n step %n iter_args(%a = %t, %b = %u) -> (tensor<2x3xf32>, tensor<3x2xi8>) {
    %s:2 = scf.if %c -> (tensor<2x3xf32>, tensor<3x2xi8>) {
      scf.yield %t, %b : tensor<2x3xf32>, tensor<3x2xi8>
    } else {
      scf.yield %a, %u : tensor<2x3xf32>, tensor<3x2xi8>
    }
    scf.yield %s#0, %s#1 : tensor<2x3xf32>, tensor<3x2xi8>
  }
  return %r#0, %r#1 : tensor<2x3xf32>, tensor<3x2xi8>
}

// CHECK-LABEL: func.func @shared_memory(
// CHECK:         %[[S:.*]] = xla_gpu.allocate_shared : tensor<1056xf32>
// CHECK-NEXT:    %[[R:.*]] = xla_gpu.sync_threads %[[S]] : tensor<1056xf32>
// CHECK-NEXT:    return %[[R]] : tensor<1056xf32>
func.func @shared_memory() -> tensor<32x1x33xf32> {
  %s = xla_gpu.allocate_shared : tensor<32x1x33xf32>
  %r = xla_gpu.sync_threads %s : tensor<32x1x33xf32>
  return %r : tensor<32x1x33xf32>
}

// CHECK-LABEL: func.func @atomic_rmw(
// CHECK-SAME:    %[[T:.*]]: tensor<8xf32>, %[[X:.*]]: f32, %[[I:.*]]: index, %[[J:.*]]: index) -> tensor<8xf32> {
// CHECK-NEXT:    %[[AT:.*]] = xla_gpu.apply_indexing #{{.*}}(%[[I]], %[[J]])
// CHECK-NEXT:    xla_gpu.atomic_rmw %[[T]][%[[AT]]] : tensor<8xf32> {
// CHECK-NEXT:    ^{{.*}}(%[[CURRENT:.*]]: f32):
// CHECK-NEXT:      arith.addf %[[CURRENT]], %[[X]] : f32
func.func @atomic_rmw(%t: tensor<2x4xf32>, %x: f32, %i: index, %j: index) -> tensor<2x4xf32> {
  %r = xla_gpu.atomic_rmw %t[%i, %j] : tensor<2x4xf32> {
  ^bb0(%current: f32):
    %sum = arith.addf %current, %x : f32
    xla_gpu.yield %sum : f32
  }
  return %r : tensor<2x4xf32>
}

// Elements are listed as they lie in memory.
// CHECK-LABEL: func.func @constants(
// CHECK-DAG:     arith.constant dense<[1, 2, 3, 4, 5, 6]> : tensor<6xi32>
// CHECK-DAG:     arith.constant dense<[10, 40, 20, 50, 30, 60]> : tensor<6xi32>
// CHECK-DAG:     arith.constant dense<5.000000e-01> : vector<4xbf16>
// CHECK-DAG:     arith.constant dense<[(0.000000e+00,1.000000e+00), (2.000000e+00,3.000000e+00)]> : tensor<2xcomplex<f32>>
func.func @constants() -> (tensor<2x3xi32>, tensor<2x3xi32, dense<[0, 1]> : tensor<2xi64>>, vector<2x2xbf16>, tensor<1x2xcomplex<f32>>) {
  %a = arith.constant dense<[[1, 2, 3], [4, 5, 6]]> : tensor<2x3xi32>
  %b = arith.constant dense<[[10, 20, 30], [40, 50, 60]]> : tensor<2x3xi32, dense<[0, 1]> : tensor<2xi64>>
  %c = arith.constant dense<0.5> : vector<2x2xbf16>
  %d = arith.constant dense<[[(0.0, 1.0), (2.0, 3.0)]]> : tensor<1x2xcomplex<f32>>
  return %a, %b, %c, %d : tensor<2x3xi32>, tensor<2x3xi32, dense<[0, 1]> : tensor<2xi64>>, vector<2x2xbf16>, tensor<1x2xcomplex<f32>>
}

// A cast between shapes is none any more; one that changes no bits may stay.
// CHECK-LABEL: func.func @casts(
// CHECK-SAME:    %[[T:.*]]: tensor<6xf32>, %[[X:.*]]: ui64) -> (tensor<6xf32>, i64) {
// CHECK-NEXT:    %[[Y:.*]] = builtin.unrealized_conversion_cast %[[X]] : ui64 to i64
// CHECK-NEXT:    return %[[T]], %[[Y]] : tensor<6xf32>, i64
func.func @casts(%t: tensor<2x3xf32>, %x: ui64) -> (tensor<6xf32>, i64) {
  %u = builtin.unrealized_conversion_cast %t : tensor<2x3xf32> to tensor<6xf32>
  %y = builtin.unrealized_conversion_cast %x : ui64 to i64
  return %u, %y : tensor<6xf32>, i64
}

// -----

// One dimension stays as it is, in loops, too.

// CHECK-LABEL: func.func @one_dimension(
// CHECK-SAME:    %[[V:.*]]: vector<4xf32>, %[[T:.*]]: tensor<6xf32>, %[[I:.*]]: index)
// CHECK-NEXT:    vector.extract %[[V]][2] : f32 from vector<4xf32>
// CHECK-NEXT:    vector.extract %[[V]][%[[I]]] : f32 from vector<4xf32>
// CHECK:         xla_gpu.loop (%[[I]])[%[[S:.*]]] -> (%{{.*}}) in #{{.*}} iter_args(%[[C:.*]] = %[[T]]) -> (tensor<6xf32>) {
// CHECK:           xla_gpu.yield %{{.*}} : tensor<6xf32>
#rows = #xla_gpu.indexing_map<"(d0)[s0] -> (d0, s0), domain: d0 in [0, 1], s0 in [0, 2]">
func.func @one_dimension(%v: vector<4xf32>, %t: tensor<2x3xf32>, %i: index) -> (f32, f32, tensor<2x3xf32>) {
  %0 = vector.extract %v[2] : f32 from vector<4xf32>
  %1 = vector.extract %v[%i] : f32 from vector<4xf32>
  %2 = xla_gpu.loop (%i)[%s] -> (%a, %b) in #rows iter_args(%u = %t) -> (tensor<2x3xf32>) {
    %3 = tensor.insert %0 into %u[%a, %b] : tensor<2x3xf32>
    xla_gpu.yield %3 : tensor<2x3xf32>
  }
  return %0, %1, %2 : f32, f32, tensor<2x3xf32>
}

// An element that stands for all does so in the flat constant too.
// CHECK-LABEL: func.func @one_element_for_all()
// CHECK-NEXT:    %[[C:.*]] = arith.constant dense<1.000000e+00> : tensor<4194304xf32>
// CHECK-NEXT:    return %[[C]] : tensor<4194304xf32>
func.func @one_element_for_all() -> tensor<2048x2048xf32> {
  %c = arith.constant dense<1.0> : tensor<2048x2048xf32>
  return %c : tensor<2048x2048xf32>
}

// A complex number is the struct of its parts: the lowering to LLVM resolves the cast.
// CHECK-LABEL: func.func @struct_of_parts(
// CHECK-NEXT:    %[[S:.*]] = builtin.unrealized_conversion_cast %{{.*}} : complex<f32> to !llvm.struct<(f32, f32)>
// CHECK-NEXT:    return %[[S]] : !llvm.struct<(f32, f32)>
func.func @struct_of_parts(%c: complex<f32>) -> !llvm.struct<(f32, f32)> {
  %0 = builtin.unrealized_conversion_cast %c : complex<f32> to !llvm.struct<(f32, f32)>
  return %0 : !llvm.struct<(f32, f32)>
}
