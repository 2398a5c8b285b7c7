// RUN: xshardy-opt %s | filecheck %s
// RUN: xshardy-opt %s | xshardy-opt | filecheck %s

// Maps are defined on top, in the order in which they are met, equal ones once; what contains aliases comes after them.
// CHECK:      #indexing_map = #xla_gpu.indexing_map<"(d0) -> (d0 + 1), domain: d0 in [0, 3]">
// CHECK-NEXT: #indexing_map1 = #xla_gpu.indexing_map<"(d0) -> (d0 * 2), domain: d0 in [0, 3]">
// CHECK-NEXT: #layout = #xla_gpu.layout<"shmem", "(d0) -> (d0), domain: d0 in [0, 7]">
// CHECK-NEXT: #map = affine_map<(d0, d1)[s0] -> (d0 - d1 * 2, (s0 + 1) mod 4)>
// CHECK-NEXT: #map1 = affine_map<(d0) -> (-d0)>
// CHECK-NEXT: #set = affine_set<(d0) : (d0 - 1 >= 0)>
// CHECK-NEXT: module {
#unused = affine_map<(d0) -> (d0 + 100)>
#given = #xla_gpu.indexing_map<"(d0) -> (d0 + 1), domain: d0 in [0, 3]">
func.func @maps(%i: index, %t: tensor<8xf32, #xla_gpu.layout<"shmem", "(d0) -> (d0), domain: d0 in [0, 7]">>) {
  // CHECK: xla_gpu.apply_indexing #indexing_map(%arg0)
  %0 = xla_gpu.apply_indexing #given(%i)
  // CHECK: xla_gpu.apply_indexing #indexing_map1(%arg0)
  %1 = xla_gpu.apply_indexing #xla_gpu.indexing_map<"(d0) -> (d0 * 2), domain: d0 in [0, 3]">(%i)
  // CHECK: xla_gpu.apply_indexing #indexing_map(%arg0)
  %2 = xla_gpu.apply_indexing #xla_gpu.indexing_map<"(d0) -> (d0 + 1), domain: d0 in [0, 3]">(%i)
  // CHECK: "test.op"() {a = #map, b = [#map1, #map], c = #set} : () -> ()
  "test.op"() {
    a = affine_map<(d0, d1)[s0] -> (d0 - d1 * 2, (s0 + 1) mod 4)>,
    b = [affine_map<(d0) -> (-d0)>, affine_map<(d0, d1)[s0] -> (d0 - d1 * 2, (s0 + 1) mod 4)>],
    c = affine_set<(d0) : (d0 - 1 >= 0)>
  } : () -> ()
  func.return
}
