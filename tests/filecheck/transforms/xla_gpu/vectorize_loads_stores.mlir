// RUN: xshardy-opt %s --allow-unregistered-dialect -p 'xla-gpu-vectorize-loads-stores{gpu_device_info="cuda_compute_capability {major: 9}"},cse' | filecheck %s
// RUN: xshardy-opt %s --allow-unregistered-dialect -p 'xla-gpu-vectorize-loads-stores{gpu_device_info="cuda_compute_capability {major: 8 minor: 6}"}' | filecheck %s --check-prefix=AMPERE

// The GELU example of the documentation: both accesses become vectors of 4 around the loop. Rows XGPU-35 and XGPU-56.

// CHECK: #[[GELU:.*]] = #xla_gpu.indexing_map<"(th_x, bl_x, vector_index) -> (th_x * 4 + bl_x * 512 + vector_index), domain: th_x in [0, 127], bl_x in [0, 24575], vector_index in [0, 3]">

// CHECK-LABEL: func.func @main(
// CHECK-SAME:    %[[IN:.*]]: tensor<12582912xbf16>, %[[OUT:.*]]: tensor<12582912xbf16>)
// CHECK-DAG:     %[[C0:.*]] = arith.constant 0 : index
// CHECK-DAG:     %[[C1:.*]] = arith.constant 1 : index
// CHECK-DAG:     %[[C4:.*]] = arith.constant 4 : index
// CHECK-DAG:     %[[PAD:.*]] = arith.constant 0.000000e+00 : bf16
// CHECK-DAG:     %[[ZEROS:.*]] = arith.constant dense<0.000000e+00> : vector<4xbf16>
// CHECK-DAG:     %[[TH:.*]] = gpu.thread_id x {xla.range = [0 : index, 127 : index]}
// CHECK:         %[[BL:.*]] = gpu.block_id x {xla.range = [0 : index, 24575 : index]}
// CHECK-NEXT:    %[[BASE:.*]] = xla_gpu.apply_indexing #[[GELU]](%[[TH]], %[[BL]], %[[C0]])
// CHECK-NEXT:    %[[READ:.*]] = vector.transfer_read %[[IN]][%[[BASE]]], %[[PAD]] {in_bounds = [true]} : tensor<12582912xbf16>, vector<4xbf16>
// CHECK-NEXT:    %[[LOOP:.*]]:2 = scf.for %[[I:.*]] = %[[C0]] to %[[C4]] step %[[C1]] iter_args(%[[ITER:.*]] = %[[OUT]], %[[VECTOR:.*]] = %[[ZEROS]]) -> (tensor<12582912xbf16>, vector<4xbf16>) {
// CHECK-NEXT:      %[[E:.*]] = vector.extract %[[READ]][%[[I]]] : bf16 from vector<4xbf16>
// CHECK-NEXT:      %[[V1:.*]] = arith.mulf %[[E]], %[[E]] : bf16
// CHECK-NEXT:      %[[V2:.*]] = arith.mulf %[[V1]], %[[E]] : bf16
// CHECK-NEXT:      %[[V3:.*]] = arith.mulf %[[V2]], %{{.*}} : bf16
// CHECK-NEXT:      %[[V4:.*]] = arith.addf %[[E]], %[[V3]] : bf16
// CHECK-NEXT:      %[[V5:.*]] = arith.mulf %[[V4]], %{{.*}} : bf16
// CHECK-NEXT:      %[[V6:.*]] = math.tanh %[[V5]] : bf16
// CHECK-NEXT:      %[[V7:.*]] = arith.addf %[[V6]], %{{.*}} : bf16
// CHECK-NEXT:      %[[V8:.*]] = arith.mulf %[[V7]], %{{.*}} : bf16
// CHECK-NEXT:      %[[V9:.*]] = arith.mulf %[[E]], %[[V8]] : bf16
// CHECK-NEXT:      %[[NEXT:.*]] = vector.insert %[[V9]], %[[VECTOR]] [%[[I]]] : bf16 into vector<4xbf16>
// CHECK-NEXT:      scf.yield %[[ITER]], %[[NEXT]] : tensor<12582912xbf16>, vector<4xbf16>
// CHECK-NEXT:    }
// CHECK-NEXT:    %[[WRITTEN:.*]] = vector.transfer_write %[[LOOP]]#1, %[[OUT]][%[[BASE]]] {in_bounds = [true]} : vector<4xbf16>, tensor<12582912xbf16>
// CHECK-NEXT:    return %[[WRITTEN]] : tensor<12582912xbf16>
#map = #xla_gpu.indexing_map<"(th_x, bl_x, vector_index) -> (th_x * 4 + bl_x * 512 + vector_index),"
  "domain: th_x in [0, 127], bl_x in [0, 24575], vector_index in [0, 3]">
func.func @main(%input: tensor<12582912xbf16>, %output: tensor<12582912xbf16>) -> tensor<12582912xbf16> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %cst = arith.constant 5.000000e-01 : bf16
  %cst_0 = arith.constant 1.000000e+00 : bf16
  %cst_1 = arith.constant 7.968750e-01 : bf16
  %cst_2 = arith.constant 4.467770e-02 : bf16
  %thread_id_x = gpu.thread_id x {xla.range = [0 : index, 127 : index]}
  %block_id_x = gpu.block_id x {xla.range = [0 : index, 24575 : index]}
  %xla_loop = scf.for %vector_index = %c0 to %c4 step %c1 iter_args(%iter = %output) -> (tensor<12582912xbf16>) {
    %dim = xla_gpu.apply_indexing #map(%thread_id_x, %block_id_x, %vector_index)
    %extracted = tensor.extract %input[%dim] : tensor<12582912xbf16>
    %2 = arith.mulf %extracted, %extracted : bf16
    %3 = arith.mulf %2, %extracted : bf16
    %4 = arith.mulf %3, %cst_2 : bf16
    %5 = arith.addf %extracted, %4 : bf16
    %6 = arith.mulf %5, %cst_1 : bf16
    %7 = math.tanh %6 : bf16
    %8 = arith.addf %7, %cst_0 : bf16
    %9 = arith.mulf %8, %cst : bf16
    %10 = arith.mulf %extracted, %9 : bf16
    %inserted = tensor.insert %10 into %iter[%dim] : tensor<12582912xbf16>
    scf.yield %inserted : tensor<12582912xbf16>
  }
  return %xla_loop : tensor<12582912xbf16>
}

// -----------------------------------------------------------------------------------------------------------------------
// Which loops and elements

// CHECK-LABEL: func.func @thirty_two_bytes(
// CHECK:         vector.transfer_read %{{.*}}, %{{.*}} {in_bounds = [true]} : tensor<32xi8>, vector<32xi8>
func.func @thirty_two_bytes(%t: tensor<32xi8>, %init: i8) -> i8 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c32 = arith.constant 32 : index
  %r = scf.for %i = %c0 to %c32 step %c1 iter_args(%x = %init) -> (i8) {
    %e = tensor.extract %t[%i] : tensor<32xi8>
    %y = arith.andi %x, %e : i8
    scf.yield %y : i8
  }
  return %r : i8
}

// CHECK-LABEL: func.func @booleans(
// CHECK:         vector.transfer_read %{{.*}}, %{{.*}} {in_bounds = [true]} : tensor<8xi1>, vector<8xi1>
// CHECK-NEXT:    scf.for
func.func @booleans(%t: tensor<8xi1>, %init: i1) -> i1 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %r = scf.for %i = %c0 to %c8 step %c1 iter_args(%x = %init) -> (i1) {
    %e = tensor.extract %t[%i] : tensor<8xi1>
    %y = arith.andi %x, %e : i1
    scf.yield %y : i1
  }
  return %r : i1
}

// CHECK-LABEL: func.func @half_bytes(
// CHECK:         vector.transfer_read %{{.*}}, %{{.*}} {in_bounds = [true]} : tensor<8xi4>, vector<4xi4>
func.func @half_bytes(%t: tensor<8xi4>, %init: i4) -> i4 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %r = scf.for %i = %c0 to %c4 step %c1 iter_args(%x = %init) -> (i4) {
    %e = tensor.extract %t[%i] : tensor<8xi4>
    %y = arith.addi %x, %e : i4
    scf.yield %y : i4
  }
  return %r : i4
}

// 4 x 64 bits are the most that is read at once.
// CHECK-LABEL: func.func @four_doubles(
// CHECK:         vector<4xf64>
func.func @four_doubles(%t: tensor<8xf64>, %init: f64) -> f64 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %r = scf.for %i = %c0 to %c4 step %c1 iter_args(%x = %init) -> (f64) {
    %e = tensor.extract %t[%i] : tensor<8xf64>
    %y = arith.addf %x, %e : f64
    scf.yield %y : f64
  }
  return %r : f64
}

// CHECK-LABEL: func.func @eight_doubles(
// CHECK-NOT:     transfer_read
func.func @eight_doubles(%t: tensor<8xf64>, %init: f64) -> f64 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %r = scf.for %i = %c0 to %c8 step %c1 iter_args(%x = %init) -> (f64) {
    %e = tensor.extract %t[%i] : tensor<8xf64>
    %y = arith.addf %x, %e : f64
    scf.yield %y : f64
  }
  return %r : f64
}

// CHECK-LABEL: func.func @complex_numbers(
// CHECK-NOT:     transfer_read
func.func @complex_numbers(%t: tensor<8xcomplex<f32>>, %init: complex<f32>) -> complex<f32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %r = scf.for %i = %c0 to %c2 step %c1 iter_args(%x = %init) -> (complex<f32>) {
    %e = tensor.extract %t[%i] : tensor<8xcomplex<f32>>
    %y = complex.add %x, %e : complex<f32>
    scf.yield %y : complex<f32>
  }
  return %r : complex<f32>
}

// Three elements are no vector, and neither is one; nor are four that start at 4, or every second one.
// CHECK-LABEL: func.func @trip_counts(
// CHECK-NOT:     transfer_read
func.func @trip_counts(%t: tensor<12xf32>, %init: f32, %n: index) -> f32 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  %c4 = arith.constant 4 : index
  %c8 = arith.constant 8 : index
  %three = scf.for %i = %c0 to %c3 step %c1 iter_args(%x = %init) -> (f32) {
    %e = tensor.extract %t[%i] : tensor<12xf32>
    %y = arith.addf %x, %e : f32
    scf.yield %y : f32
  }
  %one = scf.for %i = %c0 to %c1 step %c1 iter_args(%x = %three) -> (f32) {
    %e = tensor.extract %t[%i] : tensor<12xf32>
    %y = arith.addf %x, %e : f32
    scf.yield %y : f32
  }
  %none = scf.for %i = %c0 to %c0 step %c1 iter_args(%x = %one) -> (f32) {
    %e = tensor.extract %t[%i] : tensor<12xf32>
    %y = arith.addf %x, %e : f32
    scf.yield %y : f32
  }
  %later = scf.for %i = %c4 to %c8 step %c1 iter_args(%x = %none) -> (f32) {
    %e = tensor.extract %t[%i] : tensor<12xf32>
    %y = arith.addf %x, %e : f32
    scf.yield %y : f32
  }
  %sparse = scf.for %i = %c0 to %c4 step %c2 iter_args(%x = %later) -> (f32) {
    %e = tensor.extract %t[%i] : tensor<12xf32>
    %y = arith.addf %x, %e : f32
    scf.yield %y : f32
  }
  %unknown = scf.for %i = %c0 to %n step %c1 iter_args(%x = %sparse) -> (f32) {
    %e = tensor.extract %t[%i] : tensor<12xf32>
    %y = arith.addf %x, %e : f32
    scf.yield %y : f32
  }
  return %unknown : f32
}

// The vectors of a tensor of 6 do not end with it.
// CHECK-LABEL: func.func @tensor_size(
// CHECK-NOT:     transfer_read
func.func @tensor_size(%t: tensor<6xf32>, %init: f32) -> f32 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %r = scf.for %i = %c0 to %c4 step %c1 iter_args(%x = %init) -> (f32) {
    %e = tensor.extract %t[%i] : tensor<6xf32>
    %y = arith.addf %x, %e : f32
    scf.yield %y : f32
  }
  return %r : f32
}

// -----------------------------------------------------------------------------------------------------------------------
// Which indices

// What is added to the induction variable must be a multiple of the length: here of 4, and not of 2.
// CHECK-LABEL: func.func @aligned_offset(
// CHECK-SAME:    %[[T:.*]]: tensor<64xf32>, %[[INIT:.*]]: f32, %[[N:.*]]: index)
// CHECK:         %[[BASE:.*]] = xla_gpu.apply_indexing #{{.*}}(%[[N]])[%{{.*}}]
// CHECK-NEXT:    %[[V:.*]] = vector.transfer_read %[[T]][%[[BASE]]]
// CHECK-NEXT:    scf.for %[[I:[^ ]+]] =
// CHECK-NEXT:      vector.extract %[[V]][%[[I]]]
func.func @aligned_offset(%t: tensor<64xf32>, %init: f32, %n: index) -> f32 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %r = scf.for %i = %c0 to %c4 step %c1 iter_args(%x = %init) -> (f32) {
    %at = xla_gpu.apply_indexing #xla_gpu.indexing_map<"(n)[i] -> ((n floordiv 3) * 8 + (n * 4) mod 12 + i + 4), domain: n in [0, 9], i in [0, 3]">(%n)[%i]
    %e = tensor.extract %t[%at] : tensor<64xf32>
    %y = arith.addf %x, %e : f32
    scf.yield %y : f32
  }
  return %r : f32
}

// CHECK-LABEL: func.func @misaligned_offset(
// CHECK-NOT:     transfer_read
func.func @misaligned_offset(%t: tensor<64xf32>, %init: f32, %n: index) -> f32 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %r = scf.for %i = %c0 to %c4 step %c1 iter_args(%x = %init) -> (f32) {
    %at = xla_gpu.apply_indexing #xla_gpu.indexing_map<"(n)[i] -> (n * 2 + i), domain: n in [0, 9], i in [0, 3]">(%n)[%i]
    %e = tensor.extract %t[%at] : tensor<64xf32>
    %y = arith.addf %x, %e : f32
    scf.yield %y : f32
  }
  return %r : f32
}

// A stride of 2, of 0, and one that is hidden in a division.
// CHECK-LABEL: func.func @strides(
// CHECK-NOT:     transfer_read
func.func @strides(%t: tensor<64xf32>, %init: f32, %n: index) -> (f32, f32, f32) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %r:3 = scf.for %i = %c0 to %c4 step %c1 iter_args(%x = %init, %y = %init, %z = %init) -> (f32, f32, f32) {
    %two = xla_gpu.apply_indexing #xla_gpu.indexing_map<"(n, i) -> (n * 4 + i * 2), domain: n in [0, 9], i in [0, 3]">(%n, %i)
    %zero = xla_gpu.apply_indexing #xla_gpu.indexing_map<"(n, i) -> (n * 4), domain: n in [0, 9], i in [0, 3]">(%n, %i)
    %hidden = xla_gpu.apply_indexing #xla_gpu.indexing_map<"(n, i) -> ((n * 8 + i * 2) floordiv 2), domain: n in [0, 9], i in [0, 3]">(%n, %i)
    %a = tensor.extract %t[%two] : tensor<64xf32>
    %b = tensor.extract %t[%zero] : tensor<64xf32>
    %c = tensor.extract %t[%hidden] : tensor<64xf32>
    %xa = arith.addf %x, %a : f32
    %yb = arith.addf %y, %b : f32
    %zc = arith.addf %z, %c : f32
    scf.yield %xa, %yb, %zc : f32, f32, f32
  }
  return %r#0, %r#1, %r#2 : f32, f32, f32
}

// -----------------------------------------------------------------------------------------------------------------------
// Reads and writes that depend on each other

// A tensor that is carried may have been written in the loop.
// CHECK-LABEL: func.func @read_what_is_carried(
// CHECK-NOT:     transfer_read
func.func @read_what_is_carried(%t: tensor<8xf32>) -> tensor<8xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %r = scf.for %i = %c0 to %c4 step %c1 iter_args(%u = %t) -> (tensor<8xf32>) {
    %e = tensor.extract %u[%i] : tensor<8xf32>
    %x = math.absf %e : f32
    %v = tensor.insert %x into %u[%i] : tensor<8xf32>
    scf.yield %v : tensor<8xf32>
  }
  return %r : tensor<8xf32>
}

// A read that only happens sometimes is not made to happen always.
// CHECK-LABEL: func.func @conditional_read(
// CHECK-NOT:     transfer_read
func.func @conditional_read(%t: tensor<8xf32>, %init: f32, %c: i1) -> f32 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %r = scf.for %i = %c0 to %c4 step %c1 iter_args(%x = %init) -> (f32) {
    %y = scf.if %c -> (f32) {
      %e = tensor.extract %t[%i] : tensor<8xf32>
      scf.yield %e : f32
    } else {
      scf.yield %x : f32
    }
    scf.yield %y : f32
  }
  return %r : f32
}

// Each of several tensors is written on its own.
// CHECK-LABEL: func.func @two_writes(
// CHECK-SAME:    %[[T:.*]]: tensor<8xf32>, %[[U:.*]]: tensor<8xi8>, %[[X:.*]]: f32, %[[Y:.*]]: i8)
// CHECK:         %[[LOOP:.*]]:4 = scf.for %[[I:[^ ]+]] = {{.*}} iter_args(%[[A:.*]] = %[[T]], %[[B:.*]] = %[[U]], %[[V:.*]] = %{{.*}}, %[[W:.*]] = %{{.*}}) -> (tensor<8xf32>, tensor<8xi8>, vector<4xi8>, vector<4xf32>) {
// CHECK-DAG:       %[[V_NEXT:.*]] = vector.insert %[[Y]], %[[V]] [%[[I]]] : i8 into vector<4xi8>
// CHECK-DAG:       %[[W_NEXT:.*]] = vector.insert %[[X]], %[[W]] [%[[I]]] : f32 into vector<4xf32>
// CHECK:           scf.yield %[[A]], %[[B]], %[[V_NEXT]], %[[W_NEXT]]
// CHECK-DAG:     %[[R:.*]] = vector.transfer_write %[[LOOP]]#3, %[[T]][%{{.*}}] {in_bounds = [true]} : vector<4xf32>, tensor<8xf32>
// CHECK-DAG:     %[[S:.*]] = vector.transfer_write %[[LOOP]]#2, %[[U]][%{{.*}}] {in_bounds = [true]} : vector<4xi8>, tensor<8xi8>
// CHECK:         return %[[R]], %[[S]]
func.func @two_writes(%t: tensor<8xf32>, %u: tensor<8xi8>, %x: f32, %y: i8) -> (tensor<8xf32>, tensor<8xi8>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %r:2 = scf.for %i = %c0 to %c4 step %c1 iter_args(%a = %t, %b = %u) -> (tensor<8xf32>, tensor<8xi8>) {
    %c = tensor.insert %x into %a[%i] : tensor<8xf32>
    %d = tensor.insert %y into %b[%i] : tensor<8xi8>
    scf.yield %c, %d : tensor<8xf32>, tensor<8xi8>
  }
  return %r#0, %r#1 : tensor<8xf32>, tensor<8xi8>
}

// What is written to one tensor is the other one in the next iteration.
// CHECK-LABEL: func.func @swapped_writes(
// CHECK-NOT:     transfer_write
func.func @swapped_writes(%t: tensor<8xf32>, %u: tensor<8xf32>, %x: f32) -> (tensor<8xf32>, tensor<8xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %r:2 = scf.for %i = %c0 to %c4 step %c1 iter_args(%a = %t, %b = %u) -> (tensor<8xf32>, tensor<8xf32>) {
    %c = tensor.insert %x into %a[%i] : tensor<8xf32>
    %d = tensor.insert %x into %b[%i] : tensor<8xf32>
    scf.yield %d, %c : tensor<8xf32>, tensor<8xf32>
  }
  return %r#0, %r#1 : tensor<8xf32>, tensor<8xf32>
}

// CHECK-LABEL: func.func @attributes_of_the_loop(
// CHECK:         scf.for
// CHECK:         } {test.mine = 1 : i32}
// CHECK-NEXT:    vector.transfer_write
func.func @attributes_of_the_loop(%t: tensor<8xf32>, %x: f32) -> tensor<8xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %r = scf.for %i = %c0 to %c4 step %c1 iter_args(%a = %t) -> (tensor<8xf32>) {
    %b = tensor.insert %x into %a[%i] : tensor<8xf32>
    scf.yield %b : tensor<8xf32>
  } {test.mine = 1 : i32}
  return %r : tensor<8xf32>
}

// CHECK-LABEL: func.func @write_that_is_seen(
// CHECK-NOT:     transfer_write
func.func @write_that_is_seen(%t: tensor<8xf32>, %x: f32) -> tensor<8xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %r = scf.for %i = %c0 to %c4 step %c1 iter_args(%a = %t) -> (tensor<8xf32>) {
    %b = tensor.insert %x into %a[%i] : tensor<8xf32>
    "test.see"(%b) : (tensor<8xf32>) -> ()
    scf.yield %b : tensor<8xf32>
  }
  return %r : tensor<8xf32>
}

// -----------------------------------------------------------------------------------------------------------------------
// Copies

// A vector that is taken apart and put together again is itself.
// CHECK-LABEL: func.func @copy(
// CHECK-SAME:    %[[T:.*]]: tensor<16xf32>, %[[U:.*]]: tensor<16xf32>)
// CHECK:         %[[V:.*]] = vector.transfer_read %[[T]]
// CHECK:         vector.transfer_write %[[V]], %[[U]]
func.func @copy(%t: tensor<16xf32>, %u: tensor<16xf32>) -> tensor<16xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %r = scf.for %i = %c0 to %c4 step %c1 iter_args(%a = %u) -> (tensor<16xf32>) {
    %e = tensor.extract %t[%i] : tensor<16xf32>
    %b = tensor.insert %e into %a[%i] : tensor<16xf32>
    scf.yield %b : tensor<16xf32>
  }
  return %r : tensor<16xf32>
}

// CHECK-LABEL: func.func @copy_of_a_whole_tensor(
// CHECK:         %[[LOOP:.*]]:2 = scf.for
// CHECK:         vector.transfer_write %[[LOOP]]#1
func.func @copy_of_a_whole_tensor(%t: tensor<4xf32>, %u: tensor<4xf32>) -> tensor<4xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %r = scf.for %i = %c0 to %c4 step %c1 iter_args(%a = %u) -> (tensor<4xf32>) {
    %e = tensor.extract %t[%i] : tensor<4xf32>
    %b = tensor.insert %e into %a[%i] : tensor<4xf32>
    scf.yield %b : tensor<4xf32>
  }
  return %r : tensor<4xf32>
}

// Two of four elements are written in reverse.
// CHECK-LABEL: func.func @not_a_copy(
// CHECK-SAME:    %[[V:.*]]: vector<4xf32>, %[[W:.*]]: vector<4xf32>)
// CHECK:         %[[R:.*]] = scf.for
// CHECK:         return %[[R]]
func.func @not_a_copy(%v: vector<4xf32>, %w: vector<4xf32>) -> vector<4xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %r = scf.for %i = %c0 to %c4 step %c1 iter_args(%a = %w) -> (vector<4xf32>) {
    %j = xla_gpu.apply_indexing #xla_gpu.indexing_map<"(i) -> (3 - i), domain: i in [0, 3]">(%i)
    %e = vector.extract %v[%j] : f32 from vector<4xf32>
    %b = vector.insert %e, %a[%i] : f32 into vector<4xf32>
    scf.yield %b : vector<4xf32>
  }
  return %r : vector<4xf32>
}

// -----------------------------------------------------------------------------------------------------------------------
// Atomic additions, as vectors since Hopper

// CHECK-LABEL: func.func @atomic_add(
// CHECK-SAME:    %[[T:.*]]: tensor<8xf32>, %[[X:.*]]: f32)
// CHECK:         %[[LOOP:.*]]:2 = scf.for %[[I:[^ ]+]] = {{.*}} iter_args(%[[A:.*]] = %[[T]], %[[V:.*]] = %{{.*}}) -> (tensor<8xf32>, vector<4xf32>) {
// CHECK-NEXT:      %[[NEXT:.*]] = vector.insert %[[X]], %[[V]] [%[[I]]] : f32 into vector<4xf32>
// CHECK-NEXT:      scf.yield %[[A]], %[[NEXT]]
// CHECK-NEXT:    }
// CHECK-NEXT:    %[[R:.*]] = xla_gpu.atomic_rmw %[[T]][%{{.*}}] : tensor<8xf32> {
// CHECK-NEXT:    ^{{.*}}(%[[CURRENT:.*]]: vector<4xf32>):
// CHECK-NEXT:      %[[SUM:.*]] = arith.addf %[[CURRENT]], %[[LOOP]]#1 : vector<4xf32>
// CHECK-NEXT:      xla_gpu.yield %[[SUM]] : vector<4xf32>
// CHECK-NEXT:    }
// CHECK-NEXT:    return %[[R]] : tensor<8xf32>

// AMPERE-LABEL: func.func @atomic_add(
// AMPERE:         scf.for
// AMPERE:           xla_gpu.atomic_rmw {{.*}} : tensor<8xf32> {
// AMPERE-NEXT:      ^{{.*}}(%{{.*}}: f32):
func.func @atomic_add(%t: tensor<8xf32>, %x: f32) -> tensor<8xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %r = scf.for %i = %c0 to %c4 step %c1 iter_args(%a = %t) -> (tensor<8xf32>) {
    %b = xla_gpu.atomic_rmw %a[%i] : tensor<8xf32> {
    ^bb0(%current: f32):
      %sum = arith.addf %x, %current : f32
      xla_gpu.yield %sum : f32
    }
    scf.yield %b : tensor<8xf32>
  }
  return %r : tensor<8xf32>
}

// Pairs of f16 are added on every GPU, those of bf16 since Hopper. Eight f32 are two vectors.
// CHECK-LABEL:  func.func @atomic_add_halves(
// CHECK:          xla_gpu.atomic_rmw {{.*}} : tensor<8xf16> {
// CHECK-NEXT:     ^{{.*}}(%{{.*}}: vector<8xf16>):
// CHECK:          xla_gpu.atomic_rmw {{.*}} : tensor<8xbf16> {
// CHECK-NEXT:     ^{{.*}}(%{{.*}}: vector<2xbf16>):
// CHECK:          xla_gpu.atomic_rmw {{.*}} : tensor<8xf32> {
// CHECK-NEXT:     ^{{.*}}(%{{.*}}: vector<8xf32>):
// AMPERE-LABEL: func.func @atomic_add_halves(
// AMPERE:         xla_gpu.atomic_rmw {{.*}} : tensor<8xf16> {
// AMPERE-NEXT:    ^{{.*}}(%{{.*}}: vector<8xf16>):
// AMPERE:         xla_gpu.atomic_rmw {{.*}} : tensor<8xbf16> {
// AMPERE-NEXT:    ^{{.*}}(%{{.*}}: bf16):
func.func @atomic_add_halves(%t: tensor<8xf16>, %u: tensor<8xbf16>, %v: tensor<8xf32>, %x: f16, %y: bf16, %z: f32)
    -> (tensor<8xf16>, tensor<8xbf16>, tensor<8xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c8 = arith.constant 8 : index
  %0 = scf.for %i = %c0 to %c8 step %c1 iter_args(%a = %t) -> (tensor<8xf16>) {
    %b = xla_gpu.atomic_rmw %a[%i] : tensor<8xf16> {
    ^bb0(%current: f16):
      %sum = arith.addf %current, %x : f16
      xla_gpu.yield %sum : f16
    }
    scf.yield %b : tensor<8xf16>
  }
  %1 = scf.for %i = %c0 to %c2 step %c1 iter_args(%a = %u) -> (tensor<8xbf16>) {
    %b = xla_gpu.atomic_rmw %a[%i] : tensor<8xbf16> {
    ^bb0(%current: bf16):
      %sum = arith.addf %current, %y : bf16
      xla_gpu.yield %sum : bf16
    }
    scf.yield %b : tensor<8xbf16>
  }
  %2 = scf.for %i = %c0 to %c8 step %c1 iter_args(%a = %v) -> (tensor<8xf32>) {
    %b = xla_gpu.atomic_rmw %a[%i] : tensor<8xf32> {
    ^bb0(%current: f32):
      %sum = arith.addf %current, %z : f32
      xla_gpu.yield %sum : f32
    }
    scf.yield %b : tensor<8xf32>
  }
  return %0, %1, %2 : tensor<8xf16>, tensor<8xbf16>, tensor<8xf32>
}

// f64, another operation, and a doubling are no vector atomics.
// CHECK-LABEL: func.func @other_atomics(
// CHECK-NOT:     vector
func.func @other_atomics(%t: tensor<8xf32>, %u: tensor<8xf64>, %x: f32, %y: f64) -> (tensor<8xf32>, tensor<8xf64>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %maximum = scf.for %i = %c0 to %c4 step %c1 iter_args(%a = %t) -> (tensor<8xf32>) {
    %b = xla_gpu.atomic_rmw %a[%i] : tensor<8xf32> {
    ^bb0(%current: f32):
      %max = arith.maximumf %current, %x : f32
      xla_gpu.yield %max : f32
    }
    scf.yield %b : tensor<8xf32>
  }
  %doubled = scf.for %i = %c0 to %c4 step %c1 iter_args(%a = %maximum) -> (tensor<8xf32>) {
    %b = xla_gpu.atomic_rmw %a[%i] : tensor<8xf32> {
    ^bb0(%current: f32):
      %sum = arith.addf %current, %current : f32
      xla_gpu.yield %sum : f32
    }
    scf.yield %b : tensor<8xf32>
  }
  %doubles = scf.for %i = %c0 to %c4 step %c1 iter_args(%a = %u) -> (tensor<8xf64>) {
    %b = xla_gpu.atomic_rmw %a[%i] : tensor<8xf64> {
    ^bb0(%current: f64):
      %sum = arith.addf %current, %y : f64
      xla_gpu.yield %sum : f64
    }
    scf.yield %b : tensor<8xf64>
  }
  return %doubled, %doubles : tensor<8xf32>, tensor<8xf64>
}
