// RUN: xshardy-opt %s -p 'xla-gpu-lower-tensors{gpu_device_info="cuda_compute_capability {major: 9}"}' --split-input-file | filecheck %s

// The end of the GELU example: pointers come in, nothing is returned, the input is read as invariant.

// CHECK-LABEL: func.func @main(
// CHECK-SAME:    %[[IN:.*]]: !llvm.ptr {llvm.align = 16 : i64, xla.invariant, xla.slice_index = 0 : i64},
// CHECK-SAME:    %[[OUT:.*]]: !llvm.ptr {xla.slice_index = 1 : i64}) attributes {xla.entry} {
// CHECK-NEXT:    %[[TH:.*]] = gpu.thread_id x
// CHECK-NEXT:    %[[I:.*]] = arith.index_castui %[[TH]] : index to i32
// CHECK-NEXT:    %[[P:.*]] = llvm.getelementptr inbounds %[[IN]][0, %[[I]]] : (!llvm.ptr, i32) -> !llvm.ptr, !llvm.array<512 x bf16>
// CHECK-NEXT:    %[[V:.*]] = llvm.load %[[P]] invariant {alignment = 2 : i64} : !llvm.ptr -> vector<4xbf16>
// CHECK-NEXT:    %[[J:.*]] = arith.index_castui %[[TH]] : index to i32
// CHECK-NEXT:    %[[Q:.*]] = llvm.getelementptr inbounds %[[OUT]][0, %[[J]]] : (!llvm.ptr, i32) -> !llvm.ptr, !llvm.array<512 x bf16>
// CHECK-NEXT:    llvm.store %[[V]], %[[Q]] {alignment = 2 : i64} : vector<4xbf16>, !llvm.ptr
// CHECK-NEXT:    return
module attributes {dlti.dl_spec = #dlti.dl_spec<index = 32 : i32>} {
  func.func @main(%in: tensor<512xbf16> {xla.slice_index = 0, xla.invariant, llvm.align = 16 : i64},
                  %out: tensor<512xbf16> {xla.slice_index = 1}) -> tensor<512xbf16> attributes {xla.entry} {
    %pad = arith.constant 0.0 : bf16
    %th = gpu.thread_id x
    %v = vector.transfer_read %in[%th], %pad {in_bounds = [true]} : tensor<512xbf16>, vector<4xbf16>
    %w = vector.transfer_write %v, %out[%th] {in_bounds = [true]} : vector<4xbf16>, tensor<512xbf16>
    return %w : tensor<512xbf16>
  }
}

// -----

// Loops and branches update one buffer, whatever carries it; other carried values stay.

// CHECK-LABEL: func.func @carried(
// CHECK-SAME:    %[[T:.*]]: !llvm.ptr, %[[C:.*]]: i1, %[[X:.*]]: f32) {
// CHECK:         %[[SUM:.*]] = scf.for %{{.*}} iter_args(%[[S:.*]] = %[[X]]) -> (f32) {
// CHECK:           %[[P:.*]] = llvm.getelementptr inbounds %[[T]][0, %{{.*}}]
// CHECK-NEXT:      llvm.store %[[S]], %[[P]] : f32, !llvm.ptr
// CHECK-NEXT:      %[[N:.*]] = arith.addf %[[S]], %[[X]] : f32
// CHECK-NEXT:      scf.yield %[[N]] : f32
// CHECK-NEXT:    }
// CHECK-NEXT:    %[[R:.*]] = scf.if %[[C]] -> (f32) {
// CHECK-NEXT:      %[[Q:.*]] = llvm.getelementptr inbounds %[[T]][0, 7]
// CHECK-NEXT:      llvm.store %[[SUM]], %[[Q]] : f32, !llvm.ptr
// CHECK-NEXT:      scf.yield %[[SUM]] : f32
// CHECK-NEXT:    } else {
// CHECK-NEXT:      scf.yield %[[X]] : f32
// CHECK-NEXT:    }
// CHECK-NEXT:    scf.if %[[C]] {
// CHECK-NEXT:      %[[Q2:.*]] = llvm.getelementptr inbounds %[[T]][0, 0]
// CHECK-NEXT:      llvm.store %[[R]], %[[Q2]] : f32, !llvm.ptr
// CHECK-NEXT:    }
// CHECK-NEXT:    return
func.func @carried(%t: tensor<8xf32>, %c: i1, %x: f32) -> tensor<8xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c7 = arith.constant 7 : index
  %loop:2 = scf.for %i = %c0 to %c7 step %c1 iter_args(%u = %t, %s = %x) -> (tensor<8xf32>, f32) {
    %v = tensor.insert %s into %u[%i] : tensor<8xf32>
    %n = arith.addf %s, %x : f32
    scf.yield %v, %n : tensor<8xf32>, f32
  }
  %if:2 = scf.if %c -> (f32, tensor<8xf32>) {
    %v = tensor.insert %loop#1 into %loop#0[%c7] : tensor<8xf32>
    scf.yield %loop#1, %v : f32, tensor<8xf32>
  } else {
    scf.yield %x, %loop#0 : f32, tensor<8xf32>
  }
  %last = scf.if %c -> (tensor<8xf32>) {
    %v = tensor.insert %if#0 into %if#1[%c0] : tensor<8xf32>
    scf.yield %v : tensor<8xf32>
  } else {
    scf.yield %if#1 : tensor<8xf32>
  }
  return %last : tensor<8xf32>
}

// -----

// A while loop carries a tensor as well.

// CHECK-LABEL: func.func @while(
// CHECK-SAME:    %[[T:.*]]: !llvm.ptr, %[[X:.*]]: f32, %[[C:.*]]: i1) {
// CHECK:         scf.while (%[[S:.*]] = %[[X]]) : (f32) -> f32 {
// CHECK-NEXT:      scf.condition(%[[C]]) %[[S]] : f32
// CHECK-NEXT:    } do {
// CHECK-NEXT:    ^bb0(%[[B:.*]]: f32):
// CHECK-NEXT:      %[[P:.*]] = llvm.getelementptr inbounds %[[T]][0, 0]
// CHECK-NEXT:      llvm.store %[[B]], %[[P]] : f32, !llvm.ptr
// CHECK-NEXT:      scf.yield %[[B]] : f32
func.func @while(%t: tensor<1xf32>, %x: f32, %c: i1) -> tensor<1xf32> {
  %c0 = arith.constant 0 : index
  %w:2 = scf.while (%s = %x, %u = %t) : (f32, tensor<1xf32>) -> (f32, tensor<1xf32>) {
    scf.condition(%c) %s, %u : f32, tensor<1xf32>
  } do {
  ^bb0(%s: f32, %u: tensor<1xf32>):
    %v = tensor.insert %s into %u[%c0] : tensor<1xf32>
    scf.yield %s, %v : f32, tensor<1xf32>
  }
  return %w#1 : tensor<1xf32>
}

// -----

// A tensor of no dimensions, an i1 in a byte, an f8 in an i8, and an index that no constant of `getelementptr` can hold.

// CHECK-LABEL: func.func @elements(
// CHECK-SAME:    %[[S:.*]]: !llvm.ptr, %[[P:.*]]: !llvm.ptr, %[[F:.*]]: !llvm.ptr, %[[L:.*]]: !llvm.ptr) {
// CHECK-DAG:     %[[ZERO:.*]] = arith.constant 0 : i8
// CHECK-DAG:     %[[FAR:.*]] = llvm.mlir.constant(2147483648 : i64) : i64
// CHECK:         %[[PS:.*]] = llvm.getelementptr inbounds %[[S]][0, 0] : (!llvm.ptr) -> !llvm.ptr, !llvm.array<1 x f32>
// CHECK-NEXT:    %[[X:.*]] = llvm.load %[[PS]] : !llvm.ptr -> f32
// CHECK-NEXT:    %[[PP:.*]] = llvm.getelementptr inbounds %[[P]][0, 1] : (!llvm.ptr) -> !llvm.ptr, !llvm.array<3 x i8>
// CHECK-NEXT:    %[[BYTE:.*]] = llvm.load %[[PP]] : !llvm.ptr -> i8
// CHECK-NEXT:    %[[BIT:.*]] = arith.cmpi ne, %[[BYTE]], %[[ZERO]] : i8
// CHECK-NEXT:    %[[PP2:.*]] = llvm.getelementptr inbounds %[[P]][0, 2]
// CHECK-NEXT:    %[[WIDE:.*]] = arith.extui %[[BIT]] : i1 to i8
// CHECK-NEXT:    llvm.store %[[WIDE]], %[[PP2]] : i8, !llvm.ptr
// CHECK-NEXT:    %[[PF:.*]] = llvm.getelementptr inbounds %[[F]][0, 1] : (!llvm.ptr) -> !llvm.ptr, !llvm.array<3 x i8>
// CHECK-NEXT:    %[[CODE:.*]] = llvm.load %[[PF]] : !llvm.ptr -> i8
// CHECK-NEXT:    %[[SMALL:.*]] = arith.bitcast %[[CODE]] : i8 to f8E4M3FN
// CHECK-NEXT:    %[[PL:.*]] = llvm.getelementptr inbounds %[[L]][0, %[[FAR]]] : (!llvm.ptr, i64) -> !llvm.ptr, !llvm.array<3000000000 x i8>
// CHECK-NEXT:    %[[BACK:.*]] = arith.bitcast %[[SMALL]] : f8E4M3FN to i8
// CHECK-NEXT:    llvm.store %[[BACK]], %[[PL]] : i8, !llvm.ptr
func.func @elements(%s: tensor<f32>, %p: tensor<3xi1>, %f: tensor<3xf8E4M3FN>, %l: tensor<3000000000xf8E4M3FN>)
    -> (tensor<3xi1>, tensor<3000000000xf8E4M3FN>) {
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %far = arith.constant 2147483648 : index
  %x = tensor.extract %s[] : tensor<f32>
  %b = tensor.extract %p[%c1] : tensor<3xi1>
  %q = tensor.insert %b into %p[%c2] : tensor<3xi1>
  %y = tensor.extract %f[%c1] : tensor<3xf8E4M3FN>
  %m = tensor.insert %y into %l[%far] : tensor<3000000000xf8E4M3FN>
  "test.op"(%x) : (f32) -> ()
  return %q, %m : tensor<3xi1>, tensor<3000000000xf8E4M3FN>
}

// -----

// Constant indices of packed elements: the byte and the shift are constants too, and no shift is needed for the first.

// CHECK-LABEL: func.func @packed(
// CHECK-SAME:    %[[T:.*]]: !llvm.ptr)
// CHECK:         %[[FOUR:.*]] = arith.constant 4 : i8
// CHECK:         %[[P:.*]] = llvm.getelementptr inbounds %[[T]][0, 1] : (!llvm.ptr) -> !llvm.ptr, !llvm.array<2 x i8>
// CHECK-NEXT:    %[[B:.*]] = llvm.load %[[P]] : !llvm.ptr -> i8
// CHECK-NEXT:    %[[X:.*]] = arith.trunci %[[B]] : i8 to i4
// CHECK-NEXT:    %[[Q:.*]] = llvm.getelementptr inbounds %[[T]][0, 0]
// CHECK-NEXT:    %[[C:.*]] = llvm.load %[[Q]] : !llvm.ptr -> i8
// CHECK-NEXT:    %[[D:.*]] = arith.shrui %[[C]], %[[FOUR]] : i8
// CHECK-NEXT:    %[[Y:.*]] = arith.trunci %[[D]] : i8 to i4
func.func @packed(%t: tensor<3xi4>) -> (i4, i4) {
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %x = tensor.extract %t[%c2] : tensor<3xi4>
  %y = tensor.extract %t[%c1] : tensor<3xi4>
  return %x, %y : i4, i4
}

// -----

// Equal constants share a global; small elements are packed, those that LLVM does not know are its integers.

// CHECK:       llvm.mlir.global private constant @global_cst_1(dense<[1.000000e+00, 2.000000e+00]> : tensor<2xf32>) {addr_space = 0 : i32} : !llvm.array<2 x f32>
// CHECK-NEXT:  llvm.mlir.global private constant @global_cst_2(dense<[1, 0, 1]> : tensor<3xi8>) {addr_space = 0 : i32} : !llvm.array<3 x i8>
// CHECK-NEXT:  llvm.mlir.global private constant @global_cst_3(dense<[56, -64]> : tensor<2xi8>) {addr_space = 0 : i32} : !llvm.array<2 x i8>
// CHECK-NOT:   llvm.mlir.global
// CHECK-LABEL: func.func @constants(
// CHECK-COUNT-2: llvm.mlir.addressof @global_cst_1 : !llvm.ptr
// CHECK:         llvm.mlir.addressof @global_cst_2 : !llvm.ptr
// CHECK:         llvm.mlir.addressof @global_cst_3 : !llvm.ptr
func.func @constants(%i: index) -> (f32, f32, i1, f8E4M3FN) {
  %a = arith.constant dense<[1.0, 2.0]> : tensor<2xf32>
  %b = arith.constant dense<[1.0, 2.0]> : tensor<2xf32>
  %p = arith.constant dense<[true, false, true]> : tensor<3xi1>
  %f = arith.constant dense<[1.0, -2.0]> : tensor<2xf8E4M3FN>
  %0 = tensor.extract %a[%i] : tensor<2xf32>
  %1 = tensor.extract %b[%i] : tensor<2xf32>
  %2 = tensor.extract %p[%i] : tensor<3xi1>
  %3 = tensor.extract %f[%i] : tensor<2xf8E4M3FN>
  return %0, %1, %2, %3 : f32, f32, i1, f8E4M3FN
}
func.func private @global_cst_0()

// -----

// Two allocations are two globals. A barrier is all that is left of `sync_threads`.

// CHECK:       llvm.mlir.global private @shared_0() {addr_space = 3 : i32} : !llvm.array<33 x f32>
// CHECK-NEXT:  llvm.mlir.global private @shared_1() {addr_space = 3 : i32} : !llvm.array<33 x f32>
// CHECK-LABEL: func.func @shared(
// CHECK-SAME:    %[[X:.*]]: f32, %[[I:.*]]: index)
// CHECK-NEXT:    %[[A:.*]] = llvm.mlir.addressof @shared_0 : !llvm.ptr<3>
// CHECK-NEXT:    %[[PA:.*]] = llvm.addrspacecast %[[A]] : !llvm.ptr<3> to !llvm.ptr
// CHECK-NEXT:    %[[B:.*]] = llvm.mlir.addressof @shared_1 : !llvm.ptr<3>
// CHECK-NEXT:    %[[PB:.*]] = llvm.addrspacecast %[[B]] : !llvm.ptr<3> to !llvm.ptr
// CHECK-NEXT:    %[[II:.*]] = arith.index_castui %[[I]]
// CHECK-NEXT:    %[[QA:.*]] = llvm.getelementptr inbounds %[[PA]][0, %[[II]]]
// CHECK-NEXT:    llvm.store %[[X]], %[[QA]] : f32, !llvm.ptr
// CHECK-NEXT:    gpu.barrier
// CHECK-NEXT:    %[[QA2:.*]] = llvm.getelementptr inbounds %[[PA]][0, 0]
// CHECK-NEXT:    %{{.*}} = llvm.load %[[QA2]] : !llvm.ptr -> f32
// CHECK-NEXT:    %[[QB:.*]] = llvm.getelementptr inbounds %[[PB]][0, 0]
// CHECK-NEXT:    %{{.*}} = llvm.load %[[QB]] : !llvm.ptr -> f32
func.func @shared(%x: f32, %i: index) -> (f32, f32) {
  %c0 = arith.constant 0 : index
  %a = xla_gpu.allocate_shared : tensor<33xf32>
  %b = xla_gpu.allocate_shared : tensor<33xf32>
  %w = tensor.insert %x into %a[%i] : tensor<33xf32>
  %s:2 = xla_gpu.sync_threads %w, %b : tensor<33xf32>, tensor<33xf32>
  %0 = tensor.extract %s#0[%c0] : tensor<33xf32>
  %1 = tensor.extract %s#1[%c0] : tensor<33xf32>
  return %0, %1 : f32, f32
}

// -----

// An empty tensor is memory of the thread.

// CHECK-LABEL: func.func @private_memory(
// CHECK:         %[[P:.*]] = llvm.alloca %{{.*}} x !llvm.array<4 x f32> : (i32) -> !llvm.ptr
// CHECK:         llvm.getelementptr inbounds %[[P]][0, %{{.*}}] : (!llvm.ptr, i64) -> !llvm.ptr, !llvm.array<4 x f32>
func.func @private_memory(%x: f32, %i: index) -> f32 {
  %e = tensor.empty() : tensor<4xf32>
  %t = tensor.insert %x into %e[%i] : tensor<4xf32>
  %y = tensor.extract %t[%i] : tensor<4xf32>
  return %y : f32
}

// -----

// Calls pass pointers; a tensor that comes back is the one that was given.

// CHECK-LABEL: func.func @caller(
// CHECK-SAME:    %[[T:.*]]: !llvm.ptr, %[[X:.*]]: f32) {
// CHECK-NEXT:    call @updates(%[[T]], %[[X]]) {note = "kept"} : (!llvm.ptr, f32) -> ()
// CHECK-NEXT:    %{{.*}} = call @reads(%[[T]]) : (!llvm.ptr) -> f32
// CHECK-NEXT:    return
// CHECK:       func.func private @updates(%{{.*}}: !llvm.ptr, %{{.*}}: f32) {
// CHECK:       func.func private @reads(!llvm.ptr) -> f32
func.func @caller(%t: tensor<4xf32>, %x: f32) -> tensor<4xf32> {
  %unused = func.call @updates(%t, %x) {note = "kept"} : (tensor<4xf32>, f32) -> tensor<4xf32>
  %y = func.call @reads(%t) : (tensor<4xf32>) -> f32
  return %t : tensor<4xf32>
}
func.func private @updates(%t: tensor<4xf32>, %x: f32) -> tensor<4xf32> {
  return %t : tensor<4xf32>
}
func.func private @reads(tensor<4xf32>) -> f32

// -----

// A vector of i1 is bytes in memory.

// CHECK-LABEL: func.func @vector_of_i1(
// CHECK:         %[[ZERO:.*]] = arith.constant dense<0> : vector<2xi8>
// CHECK:         %[[V:.*]] = llvm.load %{{.*}} {alignment = 1 : i64} : !llvm.ptr -> vector<2xi8>
// CHECK-NEXT:    %[[W:.*]] = arith.cmpi ne, %[[V]], %[[ZERO]] : vector<2xi8>
// CHECK:         %[[X:.*]] = arith.extui %[[W]] : vector<2xi1> to vector<2xi8>
// CHECK-NEXT:    llvm.store %[[X]], %{{.*}} {alignment = 1 : i64} : vector<2xi8>, !llvm.ptr
func.func @vector_of_i1(%t: tensor<8xi1>, %u: tensor<8xi1>, %i: index) -> tensor<8xi1> {
  %false = arith.constant false
  %v = vector.transfer_read %t[%i], %false {in_bounds = [true]} : tensor<8xi1>, vector<2xi1>
  %w = vector.transfer_write %v, %u[%i] {in_bounds = [true]} : vector<2xi1>, tensor<8xi1>
  return %w : tensor<8xi1>
}

// -----

// The size of a dimension is behind the elements.

// CHECK-LABEL: func.func @dynamic_size(
// CHECK-SAME:    %[[T:.*]]: !llvm.ptr)
// CHECK-NEXT:    %[[OFFSET:.*]] = llvm.mlir.constant(28 : i64) : i64
// CHECK-NEXT:    llvm.mlir.constant(32 : i64) : i64
// CHECK-NEXT:    %[[P:.*]] = llvm.getelementptr inbounds %[[T]][%[[OFFSET]]] : (!llvm.ptr, i64) -> !llvm.ptr, i8
// CHECK-NEXT:    %[[N:.*]] = llvm.load %[[P]] : !llvm.ptr -> i32
func.func @dynamic_size(%t: tensor<12xbf16>) -> (i32, i32) {
  %n = xla_gpu.get_dynamic_dim_size %t 1 : tensor<12xbf16>
  %m = xla_gpu.get_dynamic_dim_size %t 2 : tensor<12xbf16>
  return %n, %m : i32, i32
}

// -----

// What divides a computed index keeps as much of the alignment of a tensor; shared memory gets what its accesses can use.
// An argument without llvm.align is aligned as the vector is.

// CHECK-LABEL: llvm.mlir.global private @shared_0() {addr_space = 3 : i32, alignment = 8 : i64} : !llvm.array<528 x bf16>
// CHECK:       llvm.mlir.global private @shared_1() {addr_space = 3 : i32, alignment = 16 : i64} : !llvm.array<512 x f32>
// CHECK:       llvm.mlir.global private @shared_2() {addr_space = 3 : i32} : !llvm.array<512 x f32>
// CHECK-LABEL: func.func @alignment(
// CHECK:         llvm.load %{{.*}} {alignment = 8 : i64} : !llvm.ptr -> vector<4xbf16>
// CHECK:         llvm.load %{{.*}} {alignment = 4 : i64} : !llvm.ptr -> vector<4xbf16>
// CHECK:         llvm.load %{{.*}} {alignment = 2 : i64} : !llvm.ptr -> vector<4xbf16>
// CHECK:         llvm.load %{{.*}} {alignment = 8 : i64} : !llvm.ptr -> vector<4xbf16>
// CHECK:         llvm.load %{{.*}} {alignment = 4 : i64} : !llvm.ptr -> vector<4xbf16>
// CHECK:         llvm.store %{{.*}} {alignment = 8 : i64} : vector<4xbf16>, !llvm.ptr
// CHECK:         llvm.store %{{.*}} {alignment = 4 : i64} : vector<4xbf16>, !llvm.ptr
// CHECK:         llvm.store %{{.*}} {alignment = 16 : i64} : vector<8xf32>, !llvm.ptr
#by4 = #xla_gpu.indexing_map<"(d0) -> (d0 * 4), domain: d0 in [0, 127]">
#by6 = #xla_gpu.indexing_map<"(d0) -> (d0 * 6), domain: d0 in [0, 80]">
#by8 = #xla_gpu.indexing_map<"(d0) -> ((d0 * 8) mod 64 + 512), domain: d0 in [0, 80]">
func.func @alignment(%t: tensor<1024xbf16> {llvm.align = 8 : i64}, %u: tensor<1024xbf16>, %x: vector<8xf32>, %i: index) -> tensor<512xf32> {
  %pad = arith.constant 0.0 : bf16
  %i4 = xla_gpu.apply_indexing #by4(%i)
  %i6 = xla_gpu.apply_indexing #by6(%i)
  %i8 = xla_gpu.apply_indexing #by8(%i)
  %a = vector.transfer_read %t[%i8], %pad {in_bounds = [true]} : tensor<1024xbf16>, vector<4xbf16>
  %b = vector.transfer_read %t[%i6], %pad {in_bounds = [true]} : tensor<1024xbf16>, vector<4xbf16>
  %c = vector.transfer_read %t[%i], %pad {in_bounds = [true]} : tensor<1024xbf16>, vector<4xbf16>
  %d = vector.transfer_read %u[%i4], %pad {in_bounds = [true]} : tensor<1024xbf16>, vector<4xbf16>
  %d6 = vector.transfer_read %u[%i6], %pad {in_bounds = [true]} : tensor<1024xbf16>, vector<4xbf16>
  %narrow = xla_gpu.allocate_shared : tensor<528xbf16>
  %wide = xla_gpu.allocate_shared : tensor<512xf32>
  %single = xla_gpu.allocate_shared : tensor<512xf32>
  %e = vector.transfer_write %a, %narrow[%i4] {in_bounds = [true]} : vector<4xbf16>, tensor<528xbf16>
  %f = vector.transfer_write %b, %e[%i6] {in_bounds = [true]} : vector<4xbf16>, tensor<528xbf16>
  %g = vector.transfer_write %x, %wide[%i8] {in_bounds = [true]} : vector<8xf32>, tensor<512xf32>
  %one = arith.constant 1.0 : f32
  %h = tensor.insert %one into %single[%i] : tensor<512xf32>
  return %g : tensor<512xf32>
}

// -----

// A sum has the alignment that its summands have in common.

// CHECK-LABEL: func.func @alignment_of_sums(
// CHECK:         llvm.load %{{.*}} {alignment = 8 : i64} : !llvm.ptr -> vector<4xbf16>
// CHECK:         llvm.load %{{.*}} {alignment = 4 : i64} : !llvm.ptr -> vector<4xbf16>
// CHECK:         llvm.load %{{.*}} {alignment = 2 : i64} : !llvm.ptr -> vector<4xbf16>
func.func @alignment_of_sums(%t: tensor<1024xbf16> {llvm.align = 8 : i64}, %i: index) -> (vector<4xbf16>, vector<4xbf16>, vector<4xbf16>) {
  %pad = arith.constant 0.0 : bf16
  %c2 = arith.constant 2 : index
  %c16 = arith.constant 16 : index
  %i4 = xla_gpu.apply_indexing #xla_gpu.indexing_map<"(d0) -> (d0 * 4), domain: d0 in [0, 127]">(%i)
  %plus16 = arith.addi %i4, %c16 : index
  %plus18 = arith.addi %plus16, %c2 : index
  %plus_variable = arith.addi %i4, %i : index
  %a = vector.transfer_read %t[%plus16], %pad {in_bounds = [true]} : tensor<1024xbf16>, vector<4xbf16>
  %b = vector.transfer_read %t[%plus18], %pad {in_bounds = [true]} : tensor<1024xbf16>, vector<4xbf16>
  %c = vector.transfer_read %t[%plus_variable], %pad {in_bounds = [true]} : tensor<1024xbf16>, vector<4xbf16>
  return %a, %b, %c : vector<4xbf16>, vector<4xbf16>, vector<4xbf16>
}

// -----

// The vectorized access of the documents (XGPU-36): the constant 0 keeps the alignment that the other variables have.

// CHECK-LABEL: func.func @constant_operand(
// CHECK:         llvm.load %{{.*}} {alignment = 8 : i64} : !llvm.ptr -> vector<4xbf16>
// CHECK:         llvm.store %{{.*}} {alignment = 2 : i64} : vector<4xbf16>, !llvm.ptr
#map = #xla_gpu.indexing_map<"(th_x, bl_x, vector_index) -> (th_x * 4 + bl_x * 512 + vector_index), domain: th_x in [0, 127], bl_x in [0, 1], vector_index in [0, 3]">
func.func @constant_operand(%in: tensor<1024xbf16>, %out: tensor<1024xbf16>, %th: index, %bl: index) -> tensor<1024xbf16> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %pad = arith.constant 0.0 : bf16
  %aligned = xla_gpu.apply_indexing #map(%th, %bl, %c0)
  %odd = xla_gpu.apply_indexing #map(%th, %bl, %c1)
  %v = vector.transfer_read %in[%aligned], %pad {in_bounds = [true]} : tensor<1024xbf16>, vector<4xbf16>
  %r = vector.transfer_write %v, %out[%odd] {in_bounds = [true]} : vector<4xbf16>, tensor<1024xbf16>
  return %r : tensor<1024xbf16>
}

// -----

// The attributes of a result go with it.
// CHECK: func.func @result_attributes(%{{.*}}: !llvm.ptr) {
func.func @result_attributes(%t: tensor<8xf32>) -> (tensor<8xf32> {test.mine = 1 : i32}) {
  return %t : tensor<8xf32>
}

// -----

// Loops and branches keep their attributes; what reads an update reads the memory.

// CHECK-LABEL: func.func @attributes_of_branches(
// CHECK-SAME:    %[[T:.*]]: !llvm.ptr, %[[X:.*]]: f32, %[[C:.*]]: i1, %[[I:.*]]: index) -> f32 {
// CHECK:         scf.if %[[C]] {
// CHECK:         } {test.mine = 1 : i32}
// CHECK:         scf.for
// CHECK:         } {test.mine = 2 : i32}
// CHECK:         scf.index_switch %[[I]] {test.mine = 3 : i32}
// CHECK:         %[[V:.*]] = llvm.load %{{.*}} : !llvm.ptr -> f32
// CHECK-NEXT:    return %[[V]] : f32
func.func @attributes_of_branches(%t: tensor<4xf32>, %x: f32, %c: i1, %i: index) -> f32 {
  %c1 = arith.constant 1 : index
  %0 = scf.if %c -> (tensor<4xf32>) {
    %1 = tensor.insert %x into %t[%i] : tensor<4xf32>
    scf.yield %1 : tensor<4xf32>
  } else {
    scf.yield %t : tensor<4xf32>
  } {test.mine = 1 : i32}
  %2 = scf.for %j = %c1 to %i step %c1 iter_args(%u = %0) -> (tensor<4xf32>) {
    %1 = tensor.insert %x into %u[%j] : tensor<4xf32>
    scf.yield %1 : tensor<4xf32>
  } {test.mine = 2 : i32}
  %3 = scf.index_switch %i {test.mine = 3 : i32} -> tensor<4xf32>
  case 0 {
    scf.yield %2 : tensor<4xf32>
  }
  default {
    %1 = tensor.insert %x into %2[%c1] : tensor<4xf32>
    scf.yield %1 : tensor<4xf32>
  }
  %4 = tensor.extract %3[%i] : tensor<4xf32>
  return %4 : f32
}

// -----

// Constants go to the start; those that were there are used.

// CHECK-LABEL: func.func @constants(
// CHECK-NEXT:    llvm.mlir.constant(3 : i64)
// CHECK-NEXT:    arith.constant 2.000000e+00 : f32
// CHECK-NOT:     llvm.mlir.constant(3 : i64)
// CHECK:         arith.mulf
// CHECK-NOT:     llvm.mlir.constant(3 : i64)
// CHECK:         return
func.func @constants(%t: tensor<8xi8>, %i: index, %m: i8, %x: f32) -> (i64, f32) {
  %0 = llvm.mlir.constant(3 : i64) : i64
  %1 = arith.mulf %x, %x : f32
  %2 = arith.constant 2.0 : f32
  %3 = arith.addf %1, %2 : f32
  %4 = xla_gpu.atomic_rmw %t[%i] : tensor<8xi8> {
  ^bb0(%old: i8):
    %5 = arith.addi %old, %m : i8
    xla_gpu.yield %5 : i8
  }
  return %0, %3 : i64, f32
}

// -----

// CHECK: func.func @attributes_of_a_number(%{{.*}}: !llvm.ptr) -> (f32 {test.mine = 1 : i32}) {
func.func @attributes_of_a_number(%t: tensor<8xf32>) -> (f32 {test.mine = 1 : i32}) {
  %c0 = arith.constant 0 : index
  %0 = tensor.extract %t[%c0] : tensor<8xf32>
  return %0 : f32
}

// -----

// A vector at the start of an argument has its natural alignment; elsewhere, as far as the place is known. A constant is
// aligned as its elements are.

// CHECK-LABEL: func.func @alignment_of_vectors(
// CHECK:         llvm.load %{{.*}} {alignment = 16 : i64} : !llvm.ptr -> vector<4xf32>
// CHECK:         llvm.load %{{.*}} {alignment = 4 : i64} : !llvm.ptr -> vector<4xf32>
// CHECK:         llvm.load %{{.*}} {alignment = 2 : i64} : !llvm.ptr -> vector<2xi8>
// CHECK:         llvm.load %{{.*}} {alignment = 1 : i64} : !llvm.ptr -> vector<2xi8>
#by2 = #xla_gpu.indexing_map<"(d0) -> (d0 * 2), domain: d0 in [0, 1]">
func.func @alignment_of_vectors(%t: tensor<8xf32>, %u: tensor<8xi8>, %i: index)
    -> (vector<4xf32>, vector<4xf32>, vector<2xi8>, vector<2xi8>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %pad = arith.constant 0.0 : f32
  %zero = arith.constant 0 : i8
  %0 = vector.transfer_read %t[%c0], %pad {in_bounds = [true]} : tensor<8xf32>, vector<4xf32>
  %1 = vector.transfer_read %t[%c1], %pad {in_bounds = [true]} : tensor<8xf32>, vector<4xf32>
  %2 = vector.transfer_read %u[%c0], %zero {in_bounds = [true]} : tensor<8xi8>, vector<2xi8>
  %i2 = xla_gpu.apply_indexing #by2(%i)
  %constant = arith.constant dense<[1, 2, 3, 4]> : tensor<4xi8>
  %3 = vector.transfer_read %constant[%i2], %zero {in_bounds = [true]} : tensor<4xi8>, vector<2xi8>
  return %0, %1, %2, %3 : vector<4xf32>, vector<4xf32>, vector<2xi8>, vector<2xi8>
}

// -----

// Memory that is no tensor stays.
// CHECK-LABEL: func.func @reads_memref(
// CHECK:         vector.transfer_read %{{.*}} : memref<8xf32>, vector<4xf32>
func.func @reads_memref(%m: memref<8xf32>, %i: index) -> vector<4xf32> {
  %pad = arith.constant 0.0 : f32
  %0 = vector.transfer_read %m[%i], %pad {in_bounds = [true]} : memref<8xf32>, vector<4xf32>
  return %0 : vector<4xf32>
}
