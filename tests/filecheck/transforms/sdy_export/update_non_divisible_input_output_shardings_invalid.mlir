// RUN: xshardy-opt %s -p sdy-update-non-divisible-input-output-shardings --split-input-file --verify-diagnostics | filecheck %s
// RUN: xshardy-opt %s -p sdy-propagation-pipeline --split-input-file --verify-diagnostics | filecheck %s

// The argument is no longer sharded along the axis that is gathered. C++ Shardy makes a module that does not verify.
sdy.mesh @mesh = <["a"=4, "b"=2]>
func.func @gathered_argument(%x: tensor<7x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}, {}]>}) -> tensor<7x8xf32> {
  %0 = sdy.all_gather [{"a"}, {}] %x out_sharding=<@mesh, [{}, {}]> : tensor<7x8xf32>
  func.return %0 : tensor<7x8xf32>
}
// CHECK:      'sdy.all_gather' op does not fit its operand, whose sharding is truncated because it does not divide the operand evenly: can't apply gathering axis "a" to operand sharding on dimension 0
