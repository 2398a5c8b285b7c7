// RUN: xshardy-opt %s -p xla-gpu-fuse-loops --split-input-file | filecheck %s

// Loops of the same iterations are one, whichever of them computes more indices.

#one = #xla_gpu.indexing_map<"(th)[i] -> (th * 4 + i), domain: th in [0, 7], i in [0, 3]">
#two = #xla_gpu.indexing_map<"(th)[i] -> (th * 4 + i, i), domain: th in [0, 7], i in [0, 3]">
// CHECK-LABEL: func.func @more_indices_later(
// CHECK:         xla_gpu.loop
// CHECK-NOT:     xla_gpu.loop
// CHECK:         return
func.func @more_indices_later(%x: tensor<32xf32>, %s: tensor<32xf32>, %t: tensor<32x4xf32>, %th: index) -> (tensor<32xf32>, tensor<32x4xf32>) {
  %0 = xla_gpu.loop (%th)[%i] -> (%a) in #one iter_args(%u = %s) -> (tensor<32xf32>) {
    %e = tensor.extract %x[%a] : tensor<32xf32>
    %v = tensor.insert %e into %u[%a] : tensor<32xf32>
    xla_gpu.yield %v : tensor<32xf32>
  }
  %1 = xla_gpu.loop (%th)[%i] -> (%a, %b) in #two iter_args(%u = %t) -> (tensor<32x4xf32>) {
    %e = tensor.extract %x[%a] : tensor<32xf32>
    %v = tensor.insert %e into %u[%a, %b] : tensor<32x4xf32>
    xla_gpu.yield %v : tensor<32x4xf32>
  }
  return %0, %1 : tensor<32xf32>, tensor<32x4xf32>
}

// -----

#one = #xla_gpu.indexing_map<"(th)[i] -> (th * 4 + i), domain: th in [0, 7], i in [0, 3]">
#two = #xla_gpu.indexing_map<"(th)[i] -> (th * 4 + i, i), domain: th in [0, 7], i in [0, 3]">
// CHECK-LABEL: func.func @more_indices_earlier(
// CHECK:         xla_gpu.loop
// CHECK-NOT:     xla_gpu.loop
// CHECK:         return
func.func @more_indices_earlier(%x: tensor<32xf32>, %s: tensor<32xf32>, %t: tensor<32x4xf32>, %th: index) -> (tensor<32xf32>, tensor<32x4xf32>) {
  %0 = xla_gpu.loop (%th)[%i] -> (%a, %b) in #two iter_args(%u = %t) -> (tensor<32x4xf32>) {
    %e = tensor.extract %x[%a] : tensor<32xf32>
    %v = tensor.insert %e into %u[%a, %b] : tensor<32x4xf32>
    xla_gpu.yield %v : tensor<32x4xf32>
  }
  %1 = xla_gpu.loop (%th)[%i] -> (%a) in #one iter_args(%u = %s) -> (tensor<32xf32>) {
    %e = tensor.extract %x[%a] : tensor<32xf32>
    %v = tensor.insert %e into %u[%a] : tensor<32xf32>
    xla_gpu.yield %v : tensor<32xf32>
  }
  return %1, %0 : tensor<32xf32>, tensor<32x4xf32>
}

// -----

// Other indices, threads, or ranges of threads or iterations keep loops apart.

#read = #xla_gpu.indexing_map<"(th)[i] -> (th * 4 + i), domain: th in [0, 7], i in [0, 3]">
#interleaved = #xla_gpu.indexing_map<"(th)[i] -> (th + i * 8), domain: th in [0, 7], i in [0, 3]">
#fewer_threads = #xla_gpu.indexing_map<"(th)[i] -> (th * 4 + i), domain: th in [0, 6], i in [0, 3]">
#fewer = #xla_gpu.indexing_map<"(th)[i] -> (th * 4 + i), domain: th in [0, 7], i in [0, 2]">
// CHECK-LABEL: func.func @others(
// CHECK-COUNT-5: xla_gpu.loop
// CHECK:         return
func.func @others(%x: tensor<32xf32>, %s: tensor<32xf32>, %t: tensor<32xf32>, %u: tensor<32xf32>, %v: tensor<32xf32>, %w: tensor<32xf32>, %th: index, %other: index) -> (tensor<32xf32>, tensor<32xf32>, tensor<32xf32>, tensor<32xf32>, tensor<32xf32>) {
  %0 = xla_gpu.loop (%th)[%i] -> (%a) in #read iter_args(%c = %s) -> (tensor<32xf32>) {
    %e = tensor.extract %x[%a] : tensor<32xf32>
    %n = tensor.insert %e into %c[%a] : tensor<32xf32>
    xla_gpu.yield %n : tensor<32xf32>
  }
  %1 = xla_gpu.loop (%th)[%i] -> (%a) in #interleaved iter_args(%c = %t) -> (tensor<32xf32>) {
    %e = tensor.extract %x[%a] : tensor<32xf32>
    %n = tensor.insert %e into %c[%a] : tensor<32xf32>
    xla_gpu.yield %n : tensor<32xf32>
  }
  %2 = xla_gpu.loop (%th)[%i] -> (%a) in #fewer_threads iter_args(%c = %u) -> (tensor<32xf32>) {
    %e = tensor.extract %x[%a] : tensor<32xf32>
    %n = tensor.insert %e into %c[%a] : tensor<32xf32>
    xla_gpu.yield %n : tensor<32xf32>
  }
  %3 = xla_gpu.loop (%th)[%i] -> (%a) in #fewer iter_args(%c = %v) -> (tensor<32xf32>) {
    %e = tensor.extract %x[%a] : tensor<32xf32>
    %n = tensor.insert %e into %c[%a] : tensor<32xf32>
    xla_gpu.yield %n : tensor<32xf32>
  }
  %4 = xla_gpu.loop (%other)[%i] -> (%a) in #read iter_args(%c = %w) -> (tensor<32xf32>) {
    %e = tensor.extract %x[%a] : tensor<32xf32>
    %n = tensor.insert %e into %c[%a] : tensor<32xf32>
    xla_gpu.yield %n : tensor<32xf32>
  }
  return %0, %1, %2, %3, %4 : tensor<32xf32>, tensor<32xf32>, tensor<32xf32>, tensor<32xf32>, tensor<32xf32>
}
