// Numbers from 0 on, as integers of 64 bits, divided.
sdy.mesh @mesh = <["x"=4]>
func.func @main() -> (tensor<16xi64> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}) {
  %0 = stablehlo.iota dim = 0 : tensor<16xi64>
  return %0 : tensor<16xi64>
}
