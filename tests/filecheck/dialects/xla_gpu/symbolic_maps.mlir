// RUN: xshardy-opt %s --maps symbolic --allow-unregistered-dialect | xshardy-opt --allow-unregistered-dialect --maps symbolic | filecheck %s
// RUN: xshardy-opt %s --maps affine --allow-unregistered-dialect | xshardy-opt --allow-unregistered-dialect --maps affine | filecheck %s --check-prefix=AFFINE
// RUN: xshardy-opt %s --maps affine --allow-unregistered-dialect | xshardy-opt --allow-unregistered-dialect --maps symbolic | filecheck %s

// CHECK: (a, b)[c] -> (a / 3, (a / 4) mod 2, a * b * 2, (a mod 5) * 3, a * (b + c)),
// AFFINE: (a, b)[c] -> (a floordiv 3, (a floordiv 4) mod 2, (a * b) * 2, (a mod 5) * 3, a * (b + c)),
#divisions = #xla_gpu.indexing_map<"(a, b)[c] -> (a floordiv 3, a / 4 mod 2, a * b * 2, (a mod 5) * 3, a * (b + c)), domain: a in [0, 9], b in [0, 9], c in [0, 9]">

// CHECK: (a, b) -> (max(a, b * 2 + 1) / 2, min(-a, 3) * 2 - b, (b + 1) ceildiv 3, (-a) / 4, a - b * 3 - 2),
// AFFINE: (a, b) -> (max(a, b * 2 + 1) floordiv 2, min(-a, 3) * 2 - b, (b + 1) ceildiv 3, (-a) floordiv 4, a - b * 3 - 2),
#extrema = #xla_gpu.indexing_map<"(a, b) -> (max(a, b * 2 + 1) floorDiv 2, min(-a, 3) * 2 - b, (b + 1) ceilDiv 3, a / -4, a - 3 * b - 2), domain: a in [0, 9], b in [0, 9]">

// An operation whose operands differ by a constant is folded.
// CHECK: (a) -> (a + 2, a),
#folded = #xla_gpu.indexing_map<"(a) -> (max(a, a + 2), min(a, a + 2)), domain: a in [0, 9]">

// A map without a domain names its variables itself.
// CHECK: "maps"() {divisions = #{{.*}}, extrema = #{{.*}}, folded = #{{.*}}, without_domain = #xla_gpu.symbolic_map<"(d0, d1)[s0] -> (d0 / 2, max(d1, s0))">}
"maps"() {divisions = #divisions, extrema = #extrema, folded = #folded,
          without_domain = #xla_gpu.symbolic_map<"(a, b)[c] -> (a floordiv 2, max(b, c))">} : () -> ()
