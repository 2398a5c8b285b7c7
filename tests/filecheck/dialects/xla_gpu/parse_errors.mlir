// RUN: xshardy-opt %s --split-input-file --parsing-diagnostics | filecheck %s

// CHECK: expected ::xla::BackendKind to be one of: cpu, gpu, tpu
func.func private @f() attributes {k = #xla_gpu.backend_kind<abacus>}

// -----

// CHECK: unknown memory space "registers": use "device" or "shmem"
func.func private @f(tensor<4xf32, #xla_gpu.layout<"registers", "(d0) -> (), domain: d0 in [0, 3]">>)

// -----

// CHECK: expected an indexing map in quotes
#map = #xla_gpu.indexing_map<(d0)>

// -----

// CHECK: unknown variable d1: declare it before the arrow
#map = #xla_gpu.indexing_map<"(d0) -> (d1), domain: d0 in [0, 3]">

// -----

// CHECK: variable d0 has no bounds: add `d0 in [lower, upper]` to the domain
#map = #xla_gpu.indexing_map<"(d0) -> (d0)">

// -----

// CHECK: expected a #xla_gpu.indexing_map as the second parameter
func.func private @f(!xla_gpu.indexed_vector<4xf32, 5>)

// -----

// CHECK: expected a #xla_gpu.indexing_map
func.func @f(%i: index) {
  %r = xla_gpu.apply_indexing 5(%i)
}

// -----

// CHECK: mismatch in number of induction variables + loop-carried values  + number of indexing map results variables and the number of results
func.func @f(%x: f32) {
  xla_gpu.loop ()[%i] -> (%d) in #xla_gpu.indexing_map<"()[s0] -> (s0), domain: s0 in [0, 3]"> iter_args(%p = %x) -> (f32, f32) {
    xla_gpu.yield %p : f32
  }
}

// -----

// CHECK: expected the ranked tensor types of the inputs
func.func @f(%x: f32) {
  %r = xla_gpu.reduce(%x) inits(%x) dimensions=[0] combiner=@add : f32 to f32
}

// -----

// CHECK: expected a map without runtime variables and without a domain
func.func private @f() attributes {map = #xla_gpu.symbolic_map<"(d0) -> (d0), domain: d0 in [0, 3]">}

// -----

// CHECK: expected ','
func.func private @f() attributes {map = #xla_gpu.indexing_map<"(d0) -> (max(d0)), domain: d0 in [0, 3]">}
