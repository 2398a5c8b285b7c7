// RUN: xshardy-opt %s -p "sdy-resolve-single-device-sharding{replica-count=2}" | filecheck %s
// RUN: xshardy-opt %s -p "sdy-resolve-single-device-sharding{partition-count=2}" | filecheck %s --check-prefix PARTITIONS

sdy.mesh @mesh = <["a"=2]>
sdy.mesh @one = <[], device_ids=[1]>

// Devices are numbered by replica. A reshard to all devices is read as before.
// CHECK-LABEL: func.func @main(
// CHECK-NEXT:    %0 = stablehlo.cosine %arg0 : tensor<8xf32>
// CHECK-NEXT:    %1 = sdy.reshard %arg0 <@mesh, [{}]> : tensor<8xf32>
// CHECK-NEXT:    %2 = stablehlo.replica_id : tensor<ui32>
// PARTITIONS:      stablehlo.partition_id : tensor<ui32>
// CHECK:           stablehlo.add %0, %1 : tensor<8xf32>
func.func @main(%x: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}]>}) -> tensor<8xf32> {
  %0 = stablehlo.cosine %x : tensor<8xf32>
  %1 = sdy.reshard %x <@mesh, [{}]> : tensor<8xf32>
  %2 = stablehlo.add %0, %1 {sdy.sharding = #sdy.sharding_per_value<[<@one, []>]>} : tensor<8xf32>
  return %2 : tensor<8xf32>
}
