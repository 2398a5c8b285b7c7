// RUN: xshardy-opt %s -p 'hlo-async-wrap{opcodes=slice}' | filecheck %s --check-prefix=WRAPPED
// RUN: xshardy-opt %s -p 'hlo-async-wrap{opcodes=slice},hlo-async-unwrap' | filecheck %s --check-prefix=BACK

// Annotations of HLO text go to the start, and come back; other attributes stay.
// WRAPPED-LABEL: func.func private @async_slice
// WRAPPED:         stablehlo.slice %arg0 [0:32] {other = "stays"}
// WRAPPED-LABEL: func.func @main
// WRAPPED-NEXT:    hlo.async_start @async_slice(%arg0) {hlo.backend_config = "b", hlo.control_predecessors = "c", hlo.metadata = "m", hlo.origin = "o", hlo.original_value = "v", hlo.output_to_operand_aliasing = "a", hlo.statistics = "s", mhlo.frontend_attributes = {f = "f"}, mhlo.sharding = "{replicated}"}
// BACK-LABEL: func.func @main
// BACK-NEXT:    stablehlo.slice %arg0 [0:32] {hlo.backend_config = "b", hlo.control_predecessors = "c", hlo.metadata = "m", hlo.origin = "o", hlo.original_value = "v", hlo.output_to_operand_aliasing = "a", hlo.statistics = "s", mhlo.frontend_attributes = {f = "f"}, mhlo.sharding = "{replicated}", other = "stays"}
func.func @main(%x: tensor<64xf32>) -> tensor<32xf32> {
  %0 = stablehlo.slice %x [0:32] {hlo.backend_config = "b", hlo.control_predecessors = "c", hlo.metadata = "m", hlo.origin = "o", hlo.original_value = "v", hlo.output_to_operand_aliasing = "a", hlo.statistics = "s", mhlo.frontend_attributes = {f = "f"}, mhlo.sharding = "{replicated}", other = "stays"} : (tensor<64xf32>) -> tensor<32xf32>
  func.return %0 : tensor<32xf32>
}
