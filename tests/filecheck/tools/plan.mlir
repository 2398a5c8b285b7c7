// RUN: xshardy plan %s --top 3 | filecheck %s
// RUN: xshardy plan %s --topology h100x8 --top 1 | filecheck %s --check-prefix=TIME
// RUN: xshardy plan %s --advice --top 0 | filecheck %s --check-prefix=ADVICE
// RUN: xshardy plan %s --json | filecheck %s --check-prefix=JSON
// RUN: xshardy plan %s --against %S/Inputs/plan_same_batch.mlir | filecheck %s --check-prefix=AGAINST

sdy.mesh @mesh = <["data"=4, "model"=2]>

func.func @main(
    %x: tensor<32x64xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"data"}, {}]>},
    %w: tensor<64x64xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"model"}, {}]>},
    %n: tensor<32x64xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"data"}]>}) -> tensor<32x64xf32> {
  %first = stablehlo.constant dense<0> : tensor<i32>
  %step = stablehlo.constant dense<1> : tensor<i32>
  %limit = stablehlo.constant dense<5> : tensor<i32>
  %0:2 = stablehlo.while(%i = %first, %h = %x) : tensor<i32>, tensor<32x64xf32>
  cond {
    %more = stablehlo.compare LT, %i, %limit : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %more : tensor<i1>
  } do {
    %next = stablehlo.dot %h, %w : (tensor<32x64xf32>, tensor<64x64xf32>) -> tensor<32x64xf32>
    %j = stablehlo.add %i, %step : tensor<i32>
    stablehlo.return %j, %next : tensor<i32>, tensor<32x64xf32>
  }
  %1 = stablehlo.add %0#1, %n : tensor<32x64xf32>
  func.return %1 : tensor<32x64xf32>
}

// The loop runs five times, and each iteration reduces. `%n` and `%x` are sharded along "data" in different dimensions.
// CHECK:      collectives: 7.5 KiB sent per device, 1 all-gather, 1 all-to-all, 1 collective-permute, 5 reduce-scatter
// CHECK-NEXT:   5 KiB  reduce-scatter of %next (line 21), along model (5 x 1 KiB)
// CHECK-NEXT:       stablehlo.dot (line 21) reduces over a sharded dimension: %0#1 (line 16) has "model" in dimension 1 [from argument 1 (%w) [{"model"}, {}]] and argument 1 (%w) has "model" in dimension 0
// CHECK-NEXT:   1 KiB  collective-permute of argument 2 (%n), along data:(1)2 and model
// CHECK-NEXT:       argument 2 (%n) is [{}, {"data"}], but stablehlo.add (line 25) computes with [{"data"}, {"model"}]: %0#1 (line 16) has "data" in dimension 0 [from argument 0 (%x) [{"data"}, {}]]
// CHECK-NEXT:   1 KiB  all-gather of %1 (line 25), along model
// CHECK-NEXT:       stablehlo.add (line 25) computes %1 (line 25) as [{"data"}, {"model"}] (%0#1 (line 16) is [{"data", ?}, {"model", ?}] [from argument 1 (%w) [{"model"}, {}]]), but it is [{"data"}, {}]
// CHECK:      sent for
// CHECK-NEXT: argument 1 (%w) [{"model"}, {}] 5 KiB 5
// CHECK:      sent along per device
// CHECK-NEXT: model 6 KiB 6
// CHECK:      sent at per device
// CHECK-NEXT: line 21 5 KiB 5
// CHECK:      memory: 19.0 KiB at the peak per device, of which arguments 12 KiB
// CHECK-NEXT: at the peak per device
// CHECK-NEXT: argument 1 (%w) 8 KiB

// TIME:        5 KiB  reduce-scatter of %next (line 21), along model (5 x 1 KiB), 5.01 us
// TIME:      estimated time on h100x8:
// TIME-NEXT:   each device computes

// ADVICE:      advice: shard argument 2 (%n) as [{"data"}, {"model"}]
// ADVICE-NEXT:   saves 3.01 us by the estimate on h100x8; a device sends 2.5 KiB less, at the peak {{.*}} memory; collectives that remain: 5 reduce-scatter
// ADVICE-NEXT:   for: argument 2 (%n) is [{}, {"data"}], but stablehlo.add (line 25)

// JSON:      "devices": 8,
// JSON:      "kind": "reduce-scatter",
// JSON-NEXT: "axes": [
// JSON-NEXT: "model"
// JSON-NEXT: ],
// JSON-NEXT: "group": 2,
// JSON-NEXT: "bytes": 1024,
// JSON-NEXT: "count": 5,
// JSON-NEXT: "exact": true,
// JSON-NEXT: "tensor": "%next (line 21)",
// JSON:      "bytes": 7680,
// JSON:      "peak_bytes": 19464,

// AGAINST:      sent 7.5 KiB 5 KiB -2.5 KiB
// AGAINST-NEXT: executed all-gather 1 0 -1
// AGAINST:      memory at the peak 19.0 KiB
