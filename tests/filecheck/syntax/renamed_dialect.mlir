// RUN: xshardy-opt %s | filecheck %s

// Upstream's newer prefix `xla` is read as `xla_gpu`; names of discardable attributes stay.
// CHECK: #indexing_map = #xla_gpu.indexing_map<"(d0) -> (d0 + 1), domain: d0 in [0, 3]">
// CHECK: %0 = xla_gpu.apply_indexing #indexing_map(%arg0) {xla.range = [1 : index, 4 : index]}
#map = #xla.indexing_map<"(d0) -> (d0 + 1), domain: d0 in [0, 3]">
func.func @f(%i: index) -> index {
  %0 = xla.apply_indexing #map(%i) {xla.range = [1 : index, 4 : index]}
  return %0 : index
}
