// RUN: xshardy-opt %s -p hlo-combine-collectives --split-input-file | filecheck %s
// RUN: xshardy-opt %s -p 'hlo-combine-collectives{max-bytes=160}' --split-input-file | filecheck %s --check-prefix LIMIT

// What reads the first sum waits for both; what does not stays in front. Channels only distinguish collectives.
// CHECK-LABEL: func.func @gradients(
// CHECK-NEXT:    %[[N:.*]] = stablehlo.negate %arg1
// CHECK-NEXT:    %[[S:.*]]:2 = "stablehlo.all_reduce"(%arg0, %[[N]]) <{channel_handle = #stablehlo.channel_handle<handle = 2, type = 1>
// CHECK:         : (tensor<4x8xf32>, tensor<8xf32>) -> (tensor<4x8xf32>, tensor<8xf32>)
// CHECK-NEXT:    %[[T:.*]] = stablehlo.tanh %[[S]]#0
// CHECK-NEXT:    return %[[T]], %[[S]]#1
// LIMIT-LABEL: func.func @gradients(
// LIMIT:         "stablehlo.all_reduce"(%arg0, %{{.*}})
func.func @gradients(%x: tensor<4x8xf32>, %y: tensor<8xf32>) -> (tensor<4x8xf32>, tensor<8xf32>) {
  %0 = "stablehlo.all_reduce"(%x) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>, use_global_device_ids}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %s = stablehlo.add %a, %b : tensor<f32>
    stablehlo.return %s : tensor<f32>
  }) : (tensor<4x8xf32>) -> tensor<4x8xf32>
  %1 = stablehlo.tanh %0 : tensor<4x8xf32>
  %2 = stablehlo.negate %y : tensor<8xf32>
  %3 = "stablehlo.all_reduce"(%2) <{channel_handle = #stablehlo.channel_handle<handle = 2, type = 1>, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>, use_global_device_ids}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %s = stablehlo.add %a, %b : tensor<f32>
    stablehlo.return %s : tensor<f32>
  }) : (tensor<8xf32>) -> tensor<8xf32>
  return %1, %3 : tensor<4x8xf32>, tensor<8xf32>
}

// -----

// The sum of a sum waits for it; both of the second ones are independent.
// CHECK-LABEL: func.func @chain(
// CHECK:         %[[S:.*]]:2 = "stablehlo.all_reduce"(%arg0, %arg1)
// CHECK:         %[[T:.*]]:2 = "stablehlo.all_reduce"(%[[S]]#0, %[[S]]#1)
// CHECK-NOT:     stablehlo.all_reduce
// CHECK:         return %[[T]]#0, %[[T]]#1
func.func @chain(%x: tensor<4xf32>, %y: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  %0 = "stablehlo.all_reduce"(%x) <{replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %s = stablehlo.add %a, %b : tensor<f32>
    stablehlo.return %s : tensor<f32>
  }) : (tensor<4xf32>) -> tensor<4xf32>
  %1 = "stablehlo.all_reduce"(%0) <{replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %s = stablehlo.add %a, %b : tensor<f32>
    stablehlo.return %s : tensor<f32>
  }) : (tensor<4xf32>) -> tensor<4xf32>
  %2 = "stablehlo.all_reduce"(%y) <{replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %s = stablehlo.add %a, %b : tensor<f32>
    stablehlo.return %s : tensor<f32>
  }) : (tensor<4xf32>) -> tensor<4xf32>
  %3 = "stablehlo.all_reduce"(%2) <{replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %s = stablehlo.add %a, %b : tensor<f32>
    stablehlo.return %s : tensor<f32>
  }) : (tensor<4xf32>) -> tensor<4xf32>
  return %1, %3 : tensor<4xf32>, tensor<4xf32>
}

// -----

// Two kinds whose groups would wait for each other: one of them is combined.
// CHECK-LABEL: func.func @circle(
// CHECK:         %[[S:.*]]:2 = "stablehlo.all_reduce"(%{{.*}}, %{{.*}})
// CHECK-NEXT:    ^
// CHECK-NEXT:      stablehlo.add
func.func @circle(%x: tensor<4xf32>, %y: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  %0 = "stablehlo.all_reduce"(%x) <{replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %s = stablehlo.add %a, %b : tensor<f32>
    stablehlo.return %s : tensor<f32>
  }) : (tensor<4xf32>) -> tensor<4xf32>
  %1 = "stablehlo.all_reduce"(%0) <{replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %s = stablehlo.maximum %a, %b : tensor<f32>
    stablehlo.return %s : tensor<f32>
  }) : (tensor<4xf32>) -> tensor<4xf32>
  %2 = "stablehlo.all_reduce"(%y) <{replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %s = stablehlo.maximum %a, %b : tensor<f32>
    stablehlo.return %s : tensor<f32>
  }) : (tensor<4xf32>) -> tensor<4xf32>
  %3 = "stablehlo.all_reduce"(%2) <{replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %s = stablehlo.add %a, %b : tensor<f32>
    stablehlo.return %s : tensor<f32>
  }) : (tensor<4xf32>) -> tensor<4xf32>
  return %1, %3 : tensor<4xf32>, tensor<4xf32>
}

// -----

// Other devices, another computation, another element type, and one that must follow others.
// CHECK-LABEL: func.func @others(
// CHECK-NOT:     :2 =
// CHECK:         return
func.func @others(%x: tensor<4xf32>, %y: tensor<4xf64>) -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf64>, tensor<4xf32>) {
  %0 = "stablehlo.all_reduce"(%x) <{replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %s = stablehlo.add %a, %b : tensor<f32>
    stablehlo.return %s : tensor<f32>
  }) : (tensor<4xf32>) -> tensor<4xf32>
  %1 = "stablehlo.all_reduce"(%x) <{replica_groups = dense<[[0], [1]]> : tensor<2x1xi64>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %s = stablehlo.add %a, %b : tensor<f32>
    stablehlo.return %s : tensor<f32>
  }) : (tensor<4xf32>) -> tensor<4xf32>
  %2 = "stablehlo.all_reduce"(%x) <{replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %s = stablehlo.maximum %a, %b : tensor<f32>
    stablehlo.return %s : tensor<f32>
  }) : (tensor<4xf32>) -> tensor<4xf32>
  %3 = "stablehlo.all_reduce"(%y) <{replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>}> ({
  ^bb0(%a: tensor<f64>, %b: tensor<f64>):
    %s = stablehlo.add %a, %b : tensor<f64>
    stablehlo.return %s : tensor<f64>
  }) : (tensor<4xf64>) -> tensor<4xf64>
  %4 = "stablehlo.all_reduce"(%x) <{replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %s = stablehlo.add %a, %b : tensor<f32>
    stablehlo.return %s : tensor<f32>
  }) {hlo.control_predecessors = ["a"]} : (tensor<4xf32>) -> tensor<4xf32>
  return %0, %1, %2, %3, %4 : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf64>, tensor<4xf32>
}

// -----

// 128 bytes and 32 bytes are 160; no third one fits.
// CHECK-LABEL: func.func @three(
// CHECK:         "stablehlo.all_reduce"(%arg0, %arg1, %arg2)
// LIMIT-LABEL: func.func @three(
// LIMIT:         %[[S:.*]]:2 = "stablehlo.all_reduce"(%arg0, %arg1)
// LIMIT:         %[[T:.*]] = "stablehlo.all_reduce"(%arg2)
// LIMIT:         return %[[S]]#0, %[[S]]#1, %[[T]]
func.func @three(%x: tensor<4x8xf32>, %y: tensor<8xf32>, %z: tensor<f32>) -> (tensor<4x8xf32>, tensor<8xf32>, tensor<f32>) {
  %0 = "stablehlo.all_reduce"(%x) <{replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %s = stablehlo.add %a, %b : tensor<f32>
    stablehlo.return %s : tensor<f32>
  }) : (tensor<4x8xf32>) -> tensor<4x8xf32>
  %1 = "stablehlo.all_reduce"(%y) <{replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %s = stablehlo.add %a, %b : tensor<f32>
    stablehlo.return %s : tensor<f32>
  }) : (tensor<8xf32>) -> tensor<8xf32>
  %2 = "stablehlo.all_reduce"(%z) <{replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %s = stablehlo.add %a, %b : tensor<f32>
    stablehlo.return %s : tensor<f32>
  }) : (tensor<f32>) -> tensor<f32>
  return %0, %1, %2 : tensor<4x8xf32>, tensor<8xf32>, tensor<f32>
}

// -----

// All-gathers along one dimension; another dimension is another collective.
// CHECK-LABEL: func.func @gathers(
// CHECK-NEXT:    %[[H:.*]] = "stablehlo.all_gather"(%arg0) <{all_gather_dim = 1 : i64
// CHECK-NEXT:    %[[G:.*]]:2 = "stablehlo.all_gather"(%arg0, %arg1) <{all_gather_dim = 0 : i64
// CHECK-NEXT:    return %[[G]]#0, %[[H]], %[[G]]#1
func.func @gathers(%x: tensor<4x8xf32>, %y: tensor<2xf32>) -> (tensor<8x8xf32>, tensor<4x16xf32>, tensor<4xf32>) {
  %0 = "stablehlo.all_gather"(%x) <{all_gather_dim = 0 : i64, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>}> : (tensor<4x8xf32>) -> tensor<8x8xf32>
  %1 = "stablehlo.all_gather"(%x) <{all_gather_dim = 1 : i64, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>}> : (tensor<4x8xf32>) -> tensor<4x16xf32>
  %2 = "stablehlo.all_gather"(%y) <{all_gather_dim = 0 : i64, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>}> : (tensor<2xf32>) -> tensor<4xf32>
  return %0, %1, %2 : tensor<8x8xf32>, tensor<4x16xf32>, tensor<4xf32>
}

// -----

// In the body of a loop, too, and not with those around it. Sizes that are not known are not added up.
// CHECK-LABEL: func.func @loop(
// CHECK:         stablehlo.while
// CHECK:           %[[S:.*]]:2 = "stablehlo.all_reduce"(%{{.*}}, %{{.*}})
// CHECK:           stablehlo.return %[[S]]#0, %[[S]]#1
// CHECK:         "stablehlo.all_reduce"(%{{[^,]*}})
// CHECK:         "stablehlo.all_reduce"(%arg1)
// CHECK:         "stablehlo.all_reduce"(%arg1)
func.func @loop(%x: tensor<4xf32>, %u: tensor<?xf32>, %p: tensor<i1>) -> (tensor<4xf32>, tensor<?xf32>, tensor<?xf32>) {
  %0:2 = stablehlo.while(%i = %x, %j = %x) : tensor<4xf32>, tensor<4xf32>
  cond {
    stablehlo.return %p : tensor<i1>
  } do {
    %k = "stablehlo.all_reduce"(%i) <{replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>}> ({
    ^bb0(%a: tensor<f32>, %b: tensor<f32>):
      %s = stablehlo.add %a, %b : tensor<f32>
      stablehlo.return %s : tensor<f32>
    }) : (tensor<4xf32>) -> tensor<4xf32>
    %l = "stablehlo.all_reduce"(%j) <{replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>}> ({
    ^bb0(%a: tensor<f32>, %b: tensor<f32>):
      %s = stablehlo.add %a, %b : tensor<f32>
      stablehlo.return %s : tensor<f32>
    }) : (tensor<4xf32>) -> tensor<4xf32>
  stablehlo.return %k, %l : tensor<4xf32>, tensor<4xf32>
  }
  %1 = "stablehlo.all_reduce"(%0#0) <{replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %s = stablehlo.add %a, %b : tensor<f32>
    stablehlo.return %s : tensor<f32>
  }) : (tensor<4xf32>) -> tensor<4xf32>
  %2 = "stablehlo.all_reduce"(%u) <{replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %s = stablehlo.add %a, %b : tensor<f32>
    stablehlo.return %s : tensor<f32>
  }) : (tensor<?xf32>) -> tensor<?xf32>
  %3 = "stablehlo.all_reduce"(%u) <{replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %s = stablehlo.add %a, %b : tensor<f32>
    stablehlo.return %s : tensor<f32>
  }) : (tensor<?xf32>) -> tensor<?xf32>
  return %1, %2, %3 : tensor<4xf32>, tensor<?xf32>, tensor<?xf32>
}
