// RUN: xshardy-opt %s -p xla-gpu-lower-xla-gpu-to-scf | filecheck %s
// RUN: xshardy-opt %s -p xla-gpu-lower-xla-gpu-to-scf{warp_size=64} | filecheck %s --check-prefix=WARP64

// CHECK-LABEL: func.func @predicated_insert(
// CHECK-SAME:    %[[T:.*]]: tensor<4x4xi4>, %[[V:.*]]: i4, %[[I:.*]]: index, %[[C:.*]]: i1)
// CHECK-NEXT:    %[[R:.*]] = scf.if %[[C]] -> (tensor<4x4xi4>) {
// CHECK-NEXT:      %[[NEW:.*]] = tensor.insert %[[V]] into %[[T]][%[[I]], %[[I]]] : tensor<4x4xi4>
// CHECK-NEXT:      scf.yield %[[NEW]] : tensor<4x4xi4>
// CHECK-NEXT:    } else {
// CHECK-NEXT:      scf.yield %[[T]] : tensor<4x4xi4>
// CHECK-NEXT:    }
// CHECK-NEXT:    return %[[R]] : tensor<4x4xi4>
func.func @predicated_insert(%t: tensor<4x4xi4>, %v: i4, %i: index, %c: i1) -> tensor<4x4xi4> {
  %r = xla_gpu.predicated_insert %v into %t[%i, %i] if %c : tensor<4x4xi4>
  return %r : tensor<4x4xi4>
}

// CHECK-LABEL: func.func @predicated_extract(
// CHECK-SAME:    %[[T:.*]]: tensor<complex<f32>>, %[[V:.*]]: complex<f32>, %[[C:.*]]: i1)
// CHECK-NEXT:    %[[R:.*]] = scf.if %[[C]] -> (complex<f32>) {
// CHECK-NEXT:      %[[E:.*]] = tensor.extract %[[T]][] : tensor<complex<f32>>
// CHECK-NEXT:      scf.yield %[[E]] : complex<f32>
// CHECK-NEXT:    } else {
// CHECK-NEXT:      scf.yield %[[V]] : complex<f32>
// CHECK-NEXT:    }
// CHECK-NEXT:    return %[[R]] : complex<f32>
func.func @predicated_extract(%t: tensor<complex<f32>>, %v: complex<f32>, %c: i1) -> complex<f32> {
  %r = xla_gpu.predicated_extract %t[] if %c else %v : tensor<complex<f32>>
  return %r : complex<f32>
}

// -----------------------------------------------------------------------------------------------------------------------
// Inserts

#held = #xla_gpu.indexing_map<"(th)[i, j] -> (th * 2 + i, j), domain: th in [0, 31], i in [0, 1], j in [3, 6]">
#swap = #xla_gpu.indexing_map<"(x, y) -> (y, x), domain: x in [0, 63], y in [0, 6]">

// The elements of a vector are counted from 0, also where a symbol is not.
// CHECK-LABEL: func.func @insert(
// CHECK-SAME:    %[[V:[^ ]+]]: !xla_gpu.indexed_vector<64x7xf32, #[[HELD:.*]]>, %[[T:.*]]: tensor<7x64xf32>, %[[TH:.*]]: index)
// CHECK-NEXT:    %[[CAST:.*]] = builtin.unrealized_conversion_cast %[[V]] : !xla_gpu.indexed_vector<64x7xf32, #[[HELD]]> to vector<2x4xf32>
// CHECK-NEXT:    %[[R:.*]] = xla_gpu.loop (%[[TH]])[%[[I:.*]], %[[J:.*]]] -> (%[[X:.*]], %[[Y:.*]]) in #[[HELD]] iter_args(%[[U:.*]] = %[[T]]) -> (tensor<7x64xf32>) {
// CHECK-NEXT:      %[[J_FROM_0:.*]] = xla_gpu.apply_indexing #{{.*}}(%[[TH]])[%[[I]], %[[J]]]
// CHECK-NEXT:      %[[E:.*]] = vector.extract %[[CAST]][%[[I]], %[[J_FROM_0]]] : f32 from vector<2x4xf32>
// CHECK-NEXT:      %[[AT:.*]]:2 = xla_gpu.apply_indexing #{{.*}}(%[[X]], %[[Y]])
// CHECK-NEXT:      %[[NEW:.*]] = tensor.insert %[[E]] into %[[U]][%[[AT]]#0, %[[AT]]#1] : tensor<7x64xf32>
// CHECK-NEXT:      xla_gpu.yield %[[NEW]] : tensor<7x64xf32>
// CHECK-NEXT:    }
// CHECK-NEXT:    return %[[R]] : tensor<7x64xf32>
func.func @insert(%v: !xla_gpu.indexed_vector<64x7xf32, #held>, %t: tensor<7x64xf32>, %th: index) -> tensor<7x64xf32> {
  %r = xla_gpu.insert %v(%th) into %t at #swap : !xla_gpu.indexed_vector<64x7xf32, #held> -> tensor<7x64xf32>
  return %r : tensor<7x64xf32>
}

// CHECK-LABEL: func.func @insert_complex(
// CHECK:         builtin.unrealized_conversion_cast %{{.*}} to vector<2x2x4xf64>
// CHECK:           %[[RE:.*]] = vector.extract %{{.*}}[0, %{{.*}}, %{{.*}}] : f64 from vector<2x2x4xf64>
// CHECK-NEXT:      %[[IM:.*]] = vector.extract %{{.*}}[1, %{{.*}}, %{{.*}}] : f64 from vector<2x2x4xf64>
// CHECK-NEXT:      %[[E:.*]] = complex.create %[[RE]], %[[IM]] : complex<f64>
// CHECK:           tensor.insert %[[E]]
func.func @insert_complex(
    %v: !xla_gpu.indexed_vector<64x7xcomplex<f64>, #held>, %t: tensor<7x64xcomplex<f64>>, %th: index) -> tensor<7x64xcomplex<f64>> {
  %r = xla_gpu.insert %v(%th) into %t at #swap : !xla_gpu.indexed_vector<64x7xcomplex<f64>, #held> -> tensor<7x64xcomplex<f64>>
  return %r : tensor<7x64xcomplex<f64>>
}

// -----------------------------------------------------------------------------------------------------------------------
// Reductions

func.func private @add(%x: f32, %n: i32, %y: f32, %m: i32) -> (f32, i32) {
  %0 = arith.addf %x, %y : f32
  %1 = arith.addi %n, %m : i32
  return %0, %1 : f32, i32
}

// Two tensors at once, over their first and last dimension. The combiner takes what is accumulated first.
// CHECK-LABEL: func.func @reduce(
// CHECK-SAME:    %[[A:.*]]: tensor<4x8x2xf32>, %[[B:.*]]: tensor<4x8x2xi32>, %[[X:.*]]: f32, %[[N:.*]]: i32)
// CHECK-NEXT:    %[[EMPTY_A:.*]] = tensor.empty() : tensor<8xf32>
// CHECK-NEXT:    %[[EMPTY_B:.*]] = tensor.empty() : tensor<8xi32>
// CHECK-NEXT:    %[[R:.*]], %[[Q:.*]] = xla_gpu.loop ()[%[[J:.*]]] -> (%{{.*}}) in #{{.*}} iter_args(%[[INTO_A:.*]] = %[[EMPTY_A]], %[[INTO_B:.*]] = %[[EMPTY_B]]) -> (tensor<8xf32>, tensor<8xi32>) {
// CHECK-NEXT:      %[[S:.*]], %[[U:.*]] = xla_gpu.loop (%[[J]])[%{{.*}}, %{{.*}}] -> (%[[D0:.*]], %[[D1:.*]], %[[D2:.*]]) in #{{.*}} iter_args(%[[ACC:.*]] = %[[X]], %[[COUNT:.*]] = %[[N]]) -> (f32, i32) {
// CHECK-NEXT:        %[[E:.*]] = tensor.extract %[[A]][%[[D0]], %[[D1]], %[[D2]]] : tensor<4x8x2xf32>
// CHECK-NEXT:        %[[F:.*]] = tensor.extract %[[B]][%[[D0]], %[[D1]], %[[D2]]] : tensor<4x8x2xi32>
// CHECK-NEXT:        %[[NEXT:.*]], %[[NEXT_COUNT:.*]] = xla_gpu.pure_call @add(%[[ACC]], %[[COUNT]], %[[E]], %[[F]]) : (f32, i32, f32, i32) -> (f32, i32)
// CHECK-NEXT:        xla_gpu.yield %[[NEXT]], %[[NEXT_COUNT]] : f32, i32
// CHECK-NEXT:      }
// CHECK-NEXT:      %[[NEW_A:.*]] = tensor.insert %[[S]] into %[[INTO_A]][%[[J]]] : tensor<8xf32>
// CHECK-NEXT:      %[[NEW_B:.*]] = tensor.insert %[[U]] into %[[INTO_B]][%[[J]]] : tensor<8xi32>
// CHECK-NEXT:      xla_gpu.yield %[[NEW_A]], %[[NEW_B]] : tensor<8xf32>, tensor<8xi32>
// CHECK-NEXT:    }
// CHECK-NEXT:    return %[[R]], %[[Q]]
func.func @reduce(%a: tensor<4x8x2xf32>, %b: tensor<4x8x2xi32>, %x: f32, %n: i32) -> (tensor<8xf32>, tensor<8xi32>) {
  %r:2 = xla_gpu.reduce (%a, %b) inits(%x, %n) dimensions=[0, 2] combiner=@add
    : tensor<4x8x2xf32>, tensor<4x8x2xi32> to tensor<8xf32>, tensor<8xi32>
  return %r#0, %r#1 : tensor<8xf32>, tensor<8xi32>
}

func.func private @mul(%x: i1, %y: i1) -> i1 {
  %0 = arith.andi %x, %y : i1
  return %0 : i1
}

// CHECK-LABEL: func.func @reduce_to_a_scalar(
// CHECK-SAME:    %[[A:.*]]: tensor<4x8xi1>, %[[X:.*]]: i1)
// CHECK-NEXT:    %[[EMPTY:.*]] = tensor.empty() : tensor<i1>
// CHECK-NEXT:    %[[S:.*]] = xla_gpu.loop ()[%{{.*}}, %{{.*}}] -> (%{{.*}}, %{{.*}}) in #{{.*}} iter_args(%{{.*}} = %[[X]]) -> (i1) {
// CHECK:         %[[R:.*]] = tensor.insert %[[S]] into %[[EMPTY]][] : tensor<i1>
// CHECK-NEXT:    return %[[R]] : tensor<i1>
func.func @reduce_to_a_scalar(%a: tensor<4x8xi1>, %x: i1) -> tensor<i1> {
  %r = xla_gpu.reduce (%a) inits(%x) dimensions=[0, 1] combiner=@mul : tensor<4x8xi1> to tensor<i1>
  return %r : tensor<i1>
}

// -----------------------------------------------------------------------------------------------------------------------
// Shuffles

// Distances are halved, and all values go to the combiner together.
// CHECK-LABEL: func.func @shuffle_reduce(
// CHECK-SAME:    %[[X:.*]]: f32, %[[N:.*]]: i32)
// CHECK-DAG:     %[[C1:.*]] = arith.constant 1 : i32
// CHECK-DAG:     %[[C2:.*]] = arith.constant 2 : i32
// CHECK-DAG:     %[[C32:.*]] = arith.constant 32 : i32
// CHECK:         %[[X2:.*]], %{{.*}} = gpu.shuffle down %[[X]], %[[C2]], %[[C32]] : f32
// CHECK-NEXT:    %[[N2:.*]], %{{.*}} = gpu.shuffle down %[[N]], %[[C2]], %[[C32]] : i32
// CHECK-NEXT:    %[[XS:.*]], %[[NS:.*]] = xla_gpu.pure_call @add(%[[X]], %[[N]], %[[X2]], %[[N2]])
// CHECK-NEXT:    %[[X1:.*]], %{{.*}} = gpu.shuffle down %[[XS]], %[[C1]], %[[C32]] : f32
// CHECK-NEXT:    %[[N1:.*]], %{{.*}} = gpu.shuffle down %[[NS]], %[[C1]], %[[C32]] : i32
// CHECK-NEXT:    %[[XR:.*]], %[[NR:.*]] = xla_gpu.pure_call @add(%[[XS]], %[[NS]], %[[X1]], %[[N1]])
// CHECK-NEXT:    return %[[XR]], %[[NR]] : f32, i32

// WARP64-LABEL: func.func @shuffle_reduce(
// WARP64:         %[[C64:.*]] = arith.constant 64 : i32
// WARP64:         gpu.shuffle down %{{.*}}, %{{.*}}, %[[C64]] : f32
func.func @shuffle_reduce(%x: f32, %n: i32) -> (f32, i32) {
  %r:2 = xla_gpu.shuffle_reduce(%x, %n) to 2 combiner=@add : f32, i32
  return %r#0, %r#1 : f32, i32
}

// Pairs of lanes exchange their values, so that both have the result.
// CHECK-LABEL: func.func @shuffle_reduce_to_all(
// CHECK-SAME:    %[[X:.*]]: f32, %[[N:.*]]: i32)
// CHECK:         %[[X2:.*]], %{{.*}} = gpu.shuffle xor %[[X]], %{{.*}}, %{{.*}} : f32
// CHECK-NEXT:    %[[N2:.*]], %{{.*}} = gpu.shuffle xor %[[N]], %{{.*}}, %{{.*}} : i32
// CHECK-NEXT:    xla_gpu.pure_call @add(%[[X]], %[[N]], %[[X2]], %[[N2]])
// CHECK-NOT:     gpu.shuffle down
func.func @shuffle_reduce_to_all(%x: f32, %n: i32) -> (f32, i32) {
  %r:2 = xla_gpu.shuffle_reduce(%x, %n) to 2 combiner=@add to_all : f32, i32
  return %r#0, %r#1 : f32, i32
}

// A word at a time: narrower values are widened, wider ones are taken apart, and floats are moved as their bits.
func.func private @f_bf16(%x: bf16, %y: bf16) -> bf16 {
  return %x : bf16
}
// CHECK-LABEL: func.func @shuffle_bf16(
// CHECK-SAME:    %[[X:.*]]: bf16)
// CHECK:         %[[BITS:.*]] = arith.bitcast %[[X]] : bf16 to i16
// CHECK-NEXT:    %[[WIDE:.*]] = arith.extui %[[BITS]] : i16 to i32
// CHECK-NEXT:    %[[OTHER:.*]], %{{.*}} = gpu.shuffle down %[[WIDE]]
// CHECK-NEXT:    %[[NARROW:.*]] = arith.trunci %[[OTHER]] : i32 to i16
// CHECK-NEXT:    %[[Y:.*]] = arith.bitcast %[[NARROW]] : i16 to bf16
// CHECK-NEXT:    xla_gpu.pure_call @f_bf16(%[[X]], %[[Y]])
func.func @shuffle_bf16(%x: bf16) -> bf16 {
  %r = xla_gpu.shuffle_reduce(%x) to 1 combiner=@f_bf16 : bf16
  return %r : bf16
}

func.func private @f_f64(%x: f64, %y: f64) -> f64 {
  return %x : f64
}
// CHECK-LABEL: func.func @shuffle_f64(
// CHECK-SAME:    %[[X:.*]]: f64)
// CHECK-DAG:     %[[C32:.*]] = arith.constant 32 : i64
// CHECK:         %[[BITS:.*]] = arith.bitcast %[[X]] : f64 to i64
// CHECK-NEXT:    %[[LOW:.*]] = arith.trunci %[[BITS]] : i64 to i32
// CHECK-NEXT:    %[[OTHER_LOW:.*]], %{{.*}} = gpu.shuffle down %[[LOW]]
// CHECK-NEXT:    %[[WIDE_LOW:.*]] = arith.extui %[[OTHER_LOW]] : i32 to i64
// CHECK-NEXT:    %[[DOWN:.*]] = arith.shrui %[[BITS]], %[[C32]] : i64
// CHECK-NEXT:    %[[HIGH:.*]] = arith.trunci %[[DOWN]] : i64 to i32
// CHECK-NEXT:    %[[OTHER_HIGH:.*]], %{{.*}} = gpu.shuffle down %[[HIGH]]
// CHECK-NEXT:    %[[WIDE_HIGH:.*]] = arith.extui %[[OTHER_HIGH]] : i32 to i64
// CHECK-NEXT:    %[[UP:.*]] = arith.shli %[[WIDE_HIGH]], %[[C32]] : i64
// CHECK-NEXT:    %[[JOINED:.*]] = arith.ori %[[WIDE_LOW]], %[[UP]] : i64
// CHECK-NEXT:    arith.bitcast %[[JOINED]] : i64 to f64
func.func @shuffle_f64(%x: f64) -> f64 {
  %r = xla_gpu.shuffle_reduce(%x) to 1 combiner=@f_f64 : f64
  return %r : f64
}

func.func private @f_complex(%x: complex<f32>, %y: complex<f32>) -> complex<f32> {
  return %x : complex<f32>
}
// CHECK-LABEL: func.func @shuffle_complex(
// CHECK:         %[[RE:.*]] = complex.re %{{.*}} : complex<f32>
// CHECK-NEXT:    %[[OTHER_RE:.*]], %{{.*}} = gpu.shuffle down %[[RE]]
// CHECK-NEXT:    %[[IM:.*]] = complex.im %{{.*}} : complex<f32>
// CHECK-NEXT:    %[[OTHER_IM:.*]], %{{.*}} = gpu.shuffle down %[[IM]]
// CHECK-NEXT:    complex.create %[[OTHER_RE]], %[[OTHER_IM]] : complex<f32>
func.func @shuffle_complex(%x: complex<f32>) -> complex<f32> {
  %r = xla_gpu.shuffle_reduce(%x) to 1 combiner=@f_complex : complex<f32>
  return %r : complex<f32>
}

func.func private @f_i1(%x: i1, %y: i1) -> i1 {
  return %x : i1
}
// CHECK-LABEL: func.func @shuffle_i1(
// CHECK:         arith.extui %{{.*}} : i1 to i32
// CHECK-COUNT-1: gpu.shuffle
// CHECK-NEXT:    arith.trunci %{{.*}} : i32 to i1
func.func @shuffle_i1(%x: i1) -> i1 {
  %r = xla_gpu.shuffle_reduce(%x) to 1 combiner=@f_i1 : i1
  return %r : i1
}

func.func private @f_ui8(%x: ui8, %y: ui8) -> ui8 {
  return %x : ui8
}
// CHECK-LABEL: func.func @shuffle_ui8(
// CHECK-SAME:    %[[X:.*]]: ui8)
// CHECK:         builtin.unrealized_conversion_cast %[[X]] : ui8 to i8
// CHECK-NEXT:    arith.extui %{{.*}} : i8 to i32
// CHECK:         builtin.unrealized_conversion_cast %{{.*}} : i8 to ui8
func.func @shuffle_ui8(%x: ui8) -> ui8 {
  %r = xla_gpu.shuffle_reduce(%x) to 1 combiner=@f_ui8 : ui8
  return %r : ui8
}

func.func private @f_index(%x: index, %y: index) -> index {
  return %x : index
}
// CHECK-LABEL: func.func @shuffle_index(
// CHECK:         arith.index_cast %{{.*}} : index to i64
// CHECK-COUNT-2: gpu.shuffle
// CHECK:         arith.index_cast %{{.*}} : i64 to index
func.func @shuffle_index(%x: index) -> index {
  %r = xla_gpu.shuffle_reduce(%x) to 1 combiner=@f_index : index
  return %r : index
}
