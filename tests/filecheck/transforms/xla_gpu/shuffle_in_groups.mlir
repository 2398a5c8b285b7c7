// RUN: xshardy-opt %s -p 'xla-gpu-lower-xla-gpu-to-scf{warp_size=64 use_dpp_subgroup_widths=true}' | filecheck %s

func.func private @add(%a: f32, %m: i32, %b: f32, %n: i32) -> (f32, i32) {
  return %a, %m : f32, i32
}

// Each shuffle is in the smallest group of 16, 32 or all lanes in which lanes find their sources.
// CHECK-LABEL: func.func @shuffle_reduce_a_wave(
// CHECK-DAG:     %[[C8:.*]] = arith.constant 8 : i32
// CHECK-DAG:     %[[C16:.*]] = arith.constant 16 : i32
// CHECK-DAG:     %[[C32:.*]] = arith.constant 32 : i32
// CHECK-DAG:     %[[C64:.*]] = arith.constant 64 : i32
// CHECK:         gpu.shuffle down %{{.*}}, %[[C32]], %[[C64]] : i32
// CHECK:         gpu.shuffle down %{{.*}}, %[[C16]], %[[C32]] : i32
// CHECK:         gpu.shuffle down %{{.*}}, %[[C8]], %[[C16]] : i32
// CHECK-COUNT-3: gpu.shuffle down %{{.*}}, %{{.*}}, %[[C16]] : i32
func.func @shuffle_reduce_a_wave(%f: f32, %n: i32) -> (f32, i32) {
  %r:2 = xla_gpu.shuffle_reduce(%f, %n) to 32 combiner=@add : f32, i32
  return %r#0, %r#1 : f32, i32
}

// Pairs of lanes exchange their values in the whole wave.
// CHECK-LABEL: func.func @shuffle_reduce_to_all(
// CHECK:         %[[C64:.*]] = arith.constant 64 : i32
// CHECK:         gpu.shuffle xor %{{.*}}, %{{.*}}, %[[C64]] : f32
func.func @shuffle_reduce_to_all(%x: f32, %n: i32) -> (f32, i32) {
  %r:2 = xla_gpu.shuffle_reduce(%x, %n) to 2 combiner=@add to_all : f32, i32
  return %r#0, %r#1 : f32, i32
}
