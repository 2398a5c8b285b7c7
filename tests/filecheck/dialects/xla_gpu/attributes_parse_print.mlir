// RUN: xshardy-opt %s | xshardy-opt | filecheck %s
// RUN: xshardy-opt %s --print-op-generic | xshardy-opt | filecheck %s

// Adjacent string literals are one text, `/` is floordiv, and one literal is printed.
// CHECK: #[[JOINED:.*]] = #xla_gpu.indexing_map<"(a, b)[c] -> (a floordiv 4, b mod 8 + c), domain: a in [0, 7], b in [0, 9], c in [0, 1], a + b in [0, 5]">
#joined = #xla_gpu.indexing_map<"(a, b)[c] -> ("
  "a / 4, b mod 8 + c),"
  "domain: a in [0, 7], b in [0, 9], c in [0, 1], a + b in [0, 5]">

// CHECK: #[[RUNTIME:.*]] = #xla_gpu.indexing_map<"(d0)[s0]{rt0} -> (d0 + s0 + rt0), domain: d0 in [0, 1], s0 in [0, 2], rt0 in [-3, 3]">
#runtime = #xla_gpu.indexing_map<"(d0)[s0]{rt0} -> (d0 + s0 + rt0), domain: d0 in [0, 1], s0 in [0, 2], rt0 in [-3, 3]">

// CHECK: #[[LAYOUT:.*]] = #xla_gpu.layout<"shmem", "(d0) -> (), domain: d0 in [0, 41]">

// CHECK: func.func @maps() attributes {a = #[[JOINED]], b = #[[RUNTIME]], c = #xla_gpu.backend_kind<gpu>}
func.func @maps() attributes {a = #joined, b = #runtime, c = #xla_gpu.backend_kind<gpu>} {
  return
}

// CHECK: func.func private @layout(tensor<42xf32, #[[LAYOUT]]>)
func.func private @layout(tensor<42xf32, #xla_gpu.layout<"shmem", "(d0) -> ()," "domain: d0 in [0, 41]">>)

// CHECK: func.func private @device_layout(tensor<42xf32, #{{layout.*}}>)
func.func private @device_layout(tensor<42xf32, #xla_gpu.layout<"device", "(d0) -> (d0), domain: d0 in [0, 41]">>)

// CHECK: func.func private @indexed_vector(!xla_gpu.indexed_vector<2x3xbf16, #[[JOINED]]>, !xla_gpu.indexed_vector<f64, #[[JOINED]]>)
func.func private @indexed_vector(!xla_gpu.indexed_vector<2x3xbf16, #joined>, !xla_gpu.indexed_vector<f64, #joined>)
