// RUN: xshardy-opt %s | xshardy-opt | filecheck %s
// RUN: xshardy-opt %s --print-op-generic | xshardy-opt | filecheck %s
// RUN: xshardy-opt %s --print-op-generic | filecheck %s --check-prefix GENERIC

#map = #xla_gpu.indexing_map<"(d0, d1)[s0] -> (d0 + s0, d1), domain: d0 in [0, 3], d1 in [0, 7], s0 in [0, 1]">
#loop_map = #xla_gpu.indexing_map<"(th_x)[i, j] -> (th_x * 4 + i), domain: th_x in [0, 31], i in [0, 3], j in [0, 1]">
#held = #xla_gpu.indexing_map<"(th_x)[v] -> (v, th_x), domain: th_x in [0, 31], v in [0, 3]">
#to_tensor = #xla_gpu.indexing_map<"(d0, d1) -> (d1, d0), domain: d0 in [0, 3], d1 in [0, 31]">

// CHECK-DAG: #[[APPLY:.*]] = #xla_gpu.indexing_map<"(d0, d1)[s0] -> (d0 + s0, d1), domain: d0 in [0, 3], d1 in [0, 7], s0 in [0, 1]">
// CHECK-DAG: #[[LOOP:.*]] = #xla_gpu.indexing_map<"(th_x)[i, j] -> (th_x * 4 + i), domain: th_x in [0, 31], i in [0, 3], j in [0, 1]">
// CHECK-DAG: #[[HELD:.*]] = #xla_gpu.indexing_map<"(th_x)[v] -> (v, th_x), domain: th_x in [0, 31], v in [0, 3]">
// CHECK-DAG: #[[TO_TENSOR:.*]] = #xla_gpu.indexing_map<"(d0, d1) -> (d1, d0), domain: d0 in [0, 3], d1 in [0, 31]">

// CHECK-LABEL: func.func @allocate_and_sync
// CHECK-NEXT:    %[[A:.*]] = xla_gpu.allocate_shared : tensor<2x3xf32>
// CHECK-NEXT:    %[[B:.*]] = xla_gpu.allocate_shared : tensor<4xi8>
// CHECK-NEXT:    %[[S:.*]], %[[T:.*]] = xla_gpu.sync_threads %[[A]], %[[B]] : tensor<2x3xf32>, tensor<4xi8>
// CHECK-NEXT:    return %[[S]], %[[T]] : tensor<2x3xf32>, tensor<4xi8>
// GENERIC:       "xla_gpu.allocate_shared"() : () -> tensor<2x3xf32>
// GENERIC:       "xla_gpu.sync_threads"({{.*}}) : (tensor<2x3xf32>, tensor<4xi8>) -> (tensor<2x3xf32>, tensor<4xi8>)
func.func @allocate_and_sync() -> (tensor<2x3xf32>, tensor<4xi8>) {
  %a = xla_gpu.allocate_shared : tensor<2x3xf32>
  %b = xla_gpu.allocate_shared : tensor<4xi8>
  %s:2 = xla_gpu.sync_threads %a, %b : tensor<2x3xf32>, tensor<4xi8>
  return %s#0, %s#1 : tensor<2x3xf32>, tensor<4xi8>
}

// CHECK-LABEL: func.func @barrier_alone
// CHECK-NEXT:    xla_gpu.sync_threads
func.func @barrier_alone() {
  "xla_gpu.sync_threads"() : () -> ()
  return
}

// CHECK-LABEL: func.func @apply_indexing(
// CHECK-SAME:    %[[A:.*]]: index, %[[B:.*]]: index)
// CHECK-NEXT:    %{{.*}}:2 = xla_gpu.apply_indexing #[[APPLY]](%[[A]], %[[B]])[%[[A]]] {note = "kept"}
// GENERIC:       "xla_gpu.apply_indexing"({{.*}}) <{indexing_map_attr = {{.*}}}> {note = "kept"} : (index, index, index) -> (index, index)
func.func @apply_indexing(%a: index, %b: index) -> (index, index) {
  %r:2 = xla_gpu.apply_indexing #map(%a, %b)[%a] {note = "kept"}
  return %r#0, %r#1 : index, index
}

// CHECK-LABEL: func.func @loop(
// CHECK-SAME:    %[[TH:.*]]: index, %[[X:.*]]: f32, %[[Y:.*]]: i32)
// CHECK-NEXT:    %[[R:.*]], %{{.*}} = xla_gpu.loop (%[[TH]])[%[[I:.*]], %[[J:.*]]] -> (%[[D:.*]]) in #[[LOOP]] iter_args(%[[P:.*]] = %[[X]], %[[Q:.*]] = %[[Y]]) -> (f32, i32) {
// CHECK-NEXT:      xla_gpu.yield %[[P]], %[[Q]] : f32, i32
// CHECK-NEXT:    } {xla.range = [0 : index, 1 : index]}
// CHECK-NEXT:    return %[[R]] : f32
// GENERIC:       "xla_gpu.loop"({{.*}}) <{indexing_map_attr = {{.*}}, operandSegmentSizes = array<i32: 1, 2>}> ({
// GENERIC-NEXT:  ^{{.*}}(%{{.*}}: index, %{{.*}}: index, %{{.*}}: index, %{{.*}}: f32, %{{.*}}: i32):
// GENERIC-NEXT:    "xla_gpu.yield"({{.*}}) : (f32, i32) -> ()
func.func @loop(%th: index, %x: f32, %y: i32) -> f32 {
  %r:2 = xla_gpu.loop (%th)[%i, %j] -> (%d) in #loop_map iter_args(%p = %x, %q = %y) -> (f32, i32) {
    xla_gpu.yield %p, %q : f32, i32
  } {xla.range = [0 : index, 1 : index]}
  return %r#0 : f32
}

// CHECK-LABEL: func.func @loop_without_results(
// CHECK-NEXT:    xla_gpu.loop (%{{.*}})[%{{.*}}, %{{.*}}] -> (%{{.*}}) in #[[LOOP]] iter_args() -> () {
// CHECK-NEXT:      xla_gpu.yield
// CHECK-NEXT:    }
func.func @loop_without_results(%th: index) {
  xla_gpu.loop (%th)[%i, %j] -> (%d) in #loop_map iter_args() -> () {
    xla_gpu.yield
  }
  return
}

// CHECK-LABEL: func.func @atomic_rmw(
// CHECK-SAME:    %[[T:.*]]: tensor<4x8xf32>, %[[I:.*]]: index)
// CHECK-NEXT:    %[[R:.*]] = xla_gpu.atomic_rmw %[[T]][%[[I]], %[[I]]] : tensor<4x8xf32> {
// CHECK-NEXT:    ^bb0(%[[C:.*]]: f32):
// CHECK-NEXT:      %[[S:.*]] = arith.addf %[[C]], %[[C]] : f32
// CHECK-NEXT:      xla_gpu.yield %[[S]] : f32
// CHECK-NEXT:    }
func.func @atomic_rmw(%t: tensor<4x8xf32>, %i: index) -> tensor<4x8xf32> {
  %r = xla_gpu.atomic_rmw %t[%i, %i] : tensor<4x8xf32> {
  ^bb0(%current: f32):
    %s = arith.addf %current, %current : f32
    xla_gpu.yield %s : f32
  }
  return %r : tensor<4x8xf32>
}

// CHECK-LABEL: func.func @atomic_rmw_of_a_vector(
// CHECK:         ^bb0(%[[C:.*]]: vector<2xbf16>):
// CHECK-NEXT:      xla_gpu.yield %[[C]] : vector<2xbf16>
func.func @atomic_rmw_of_a_vector(%t: tensor<8xbf16>, %i: index) -> tensor<8xbf16> {
  %r = xla_gpu.atomic_rmw %t[%i] : tensor<8xbf16> {
  ^bb0(%current: vector<2xbf16>):
    xla_gpu.yield %current : vector<2xbf16>
  }
  return %r : tensor<8xbf16>
}

// CHECK-LABEL: func.func @predicated(
// CHECK-SAME:    %[[T:.*]]: tensor<4xf32>, %[[I:.*]]: index, %[[C:.*]]: i1, %[[V:.*]]: f32)
// CHECK-NEXT:    %[[E:.*]] = xla_gpu.predicated_extract %[[T]][%[[I]]] if %[[C]] else %[[V]] : tensor<4xf32>
// CHECK-NEXT:    %[[R:.*]] = xla_gpu.predicated_insert %[[E]] into %[[T]][%[[I]]] if %[[C]] : tensor<4xf32>
// CHECK-NEXT:    return %[[R]] : tensor<4xf32>
// GENERIC:       "xla_gpu.predicated_extract"(%{{.*}}, %{{.*}}, %{{.*}}, %{{.*}}) : (i1, f32, tensor<4xf32>, index) -> f32
// GENERIC:       "xla_gpu.predicated_insert"(%{{.*}}, %{{.*}}, %{{.*}}, %{{.*}}) : (i1, f32, tensor<4xf32>, index) -> tensor<4xf32>
func.func @predicated(%t: tensor<4xf32>, %i: index, %c: i1, %v: f32) -> tensor<4xf32> {
  %e = xla_gpu.predicated_extract %t[%i] if %c else %v : tensor<4xf32>
  %r = xla_gpu.predicated_insert %e into %t[%i] if %c : tensor<4xf32>
  return %r : tensor<4xf32>
}

// CHECK-LABEL: func.func @insert(
// CHECK-SAME:    %[[V:.*]]: !xla_gpu.indexed_vector<4x32xf32, #[[HELD]]>, %[[I:.*]]: index, %[[T:.*]]: tensor<32x4xf32>)
// CHECK-NEXT:    %{{.*}} = xla_gpu.insert %[[V]](%[[I]]) into %[[T]] at #[[TO_TENSOR]] : !xla_gpu.indexed_vector<4x32xf32, #[[HELD]]> -> tensor<32x4xf32>
// GENERIC:       "xla_gpu.insert"({{.*}}) <{map = {{.*}}}>
func.func @insert(%v: !xla_gpu.indexed_vector<4x32xf32, #held>, %i: index, %t: tensor<32x4xf32>) -> tensor<32x4xf32> {
  %r = xla_gpu.insert %v(%i) into %t at #to_tensor : !xla_gpu.indexed_vector<4x32xf32, #held> -> tensor<32x4xf32>
  return %r : tensor<32x4xf32>
}

// CHECK-LABEL: func.func @pure_call(
// CHECK-NEXT:    %{{.*}}, %[[R:.*]] = xla_gpu.pure_call @two_results(%{{.*}}) {noinline} : (f32) -> (f32, f32)
// CHECK-NEXT:    xla_gpu.pure_call @no_results() : () -> ()
// CHECK-NEXT:    return %[[R]] : f32
func.func @pure_call(%x: f32) -> f32 {
  %r:2 = xla_gpu.pure_call @two_results(%x) {noinline} : (f32) -> (f32, f32)
  xla_gpu.pure_call @no_results() : () -> ()
  return %r#1 : f32
}
func.func private @two_results(f32) -> (f32, f32)
func.func private @no_results()

// CHECK-LABEL: func.func @reduce(
// CHECK-SAME:    %[[A:.*]]: tensor<2x3x4xf32>, %[[B:.*]]: tensor<2x3x4xi32>, %[[X:.*]]: f32, %[[Y:.*]]: i32)
// CHECK-NEXT:    %{{.*}}:2 = xla_gpu.reduce(%[[A]], %[[B]]) inits(%[[X]], %[[Y]]) dimensions=[0, 2] combiner=@pair {note = "kept"} : tensor<2x3x4xf32>, tensor<2x3x4xi32> to tensor<3xf32>, tensor<3xi32>
// GENERIC:       "xla_gpu.reduce"({{.*}}) <{combiner = @pair, dimensions = array<i64: 0, 2>}>
func.func @reduce(%a: tensor<2x3x4xf32>, %b: tensor<2x3x4xi32>, %x: f32, %y: i32) -> tensor<3xf32> {
  %r:2 = xla_gpu.reduce(%a, %b) inits(%x, %y) dimensions=[0, 2] combiner=@pair {note = "kept"}
    : tensor<2x3x4xf32>, tensor<2x3x4xi32> to tensor<3xf32>, tensor<3xi32>
  return %r#0 : tensor<3xf32>
}
func.func private @pair(f32, i32, f32, i32) -> (f32, i32)

// CHECK-LABEL: func.func @shuffle_reduce(
// CHECK-SAME:    %[[X:.*]]: f32, %[[Y:.*]]: i32)
// CHECK-NEXT:    %[[R:.*]]:2 = xla_gpu.shuffle_reduce(%[[X]], %[[Y]]) to 16 combiner=@pair : f32, i32
// GENERIC:       "xla_gpu.shuffle_reduce"({{.*}}) <{combiner = @pair, max_distance = 16 : i64}>
func.func @shuffle_reduce(%x: f32, %y: i32) -> f32 {
  %r:2 = xla_gpu.shuffle_reduce(%x, %y) to 16 combiner=@pair : f32, i32
  return %r#0 : f32
}

// CHECK-LABEL: func.func @shuffle_reduce_to_all(
// CHECK-NEXT:    %{{.*}}:2 = xla_gpu.shuffle_reduce(%{{.*}}, %{{.*}}) to 2 combiner=@pair to_all {note = "kept"} : f32, i32
// GENERIC:       "xla_gpu.shuffle_reduce"({{.*}}) <{combiner = @pair, max_distance = 2 : i64, to_all}> {note = "kept"}
func.func @shuffle_reduce_to_all(%x: f32, %y: i32) -> f32 {
  %r:2 = xla_gpu.shuffle_reduce(%x, %y) to 2 combiner=@pair to_all {note = "kept"} : f32, i32
  return %r#0 : f32
}

// CHECK-LABEL: func.func @get_dynamic_dim_size(
// CHECK-NEXT:    %{{.*}} = xla_gpu.get_dynamic_dim_size %{{.*}} 1 : tensor<4x8xf32>
func.func @get_dynamic_dim_size(%t: tensor<4x8xf32>) -> i32 {
  %r = xla_gpu.get_dynamic_dim_size %t 1 : tensor<4x8xf32>
  return %r : i32
}

// CHECK-LABEL: func.func @workgroup_id()
// CHECK-NEXT:    %workgroup_id_x = xla_gpu.workgroup_id x {xla.range = [0 : index, 3 : index]}
// CHECK-NEXT:    %workgroup_id_z = xla_gpu.workgroup_id z
// GENERIC:       "xla_gpu.workgroup_id"() <{dimension = #xla_gpu<dim x>}>
func.func @workgroup_id() -> (index, index) {
  %x = xla_gpu.workgroup_id x {xla.range = [0 : index, 3 : index]}
  %z = xla_gpu.workgroup_id z
  return %x, %z : index, index
}
