// RUN: xshardy-opt %s -p sdy-reshard-to-collectives | filecheck %s

sdy.mesh @mesh = <["x"=2]>
sdy.mesh @single = <[], device_ids=[0]>

// To a single device and from one, no collective leads.
// CHECK-LABEL: @single_device(
// CHECK-NEXT: sdy.reshard %arg0 <@single, []>
// CHECK-NEXT: sdy.reshard %0 <@mesh, [{"x"}]>
func.func @single_device(%t: tensor<16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}) -> tensor<16xf32> {
  %0 = sdy.reshard %t <@single, []> : tensor<16xf32>
  %1 = sdy.reshard %0 <@mesh, [{"x"}]> : tensor<16xf32>
  return %1 : tensor<16xf32>
}
