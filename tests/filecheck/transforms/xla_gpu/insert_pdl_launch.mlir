// RUN: xshardy-opt %s --allow-unregistered-dialect -p xla-gpu-insert-pdl | filecheck %s
// RUN: xshardy-opt %s --allow-unregistered-dialect -p xla-gpu-insert-pdl,xla-gpu-insert-pdl | filecheck %s
// RUN: xshardy-opt %s --allow-unregistered-dialect -p xla-gpu-insert-pdl,xla-gpu-lower-pdl-wait | filecheck %s --check-prefix LOWERED
// RUN: xshardy-opt %s --allow-unregistered-dialect -p xla-gpu-insert-pdl,convert-gpu-to-nvvm | filecheck %s --check-prefix LOWERED

module attributes {xla.pdl_launch} {
  // The next kernel may start when the last matrix product is done: behind the loop that holds it.

  // CHECK-LABEL: func.func @products(
  // CHECK-NEXT:    "xla_gpu.pdl_wait"() : () -> ()
  // CHECK-NEXT:    "tt.dot"
  // CHECK-NEXT:    scf.for
  // CHECK-NEXT:      "tt.dot"
  // CHECK-NEXT:    }
  // CHECK-NEXT:    "xla_gpu.pdl_launch_dependents"() : () -> ()
  // CHECK-NEXT:    return

  // LOWERED-LABEL: func.func @products(
  // LOWERED-NEXT:    nvvm.griddepcontrol wait
  // LOWERED:         scf.for
  // LOWERED:         }
  // LOWERED-NEXT:    nvvm.griddepcontrol launch_dependents
  func.func @products(%n: index) attributes {xla.entry} {
    "tt.dot"() : () -> ()
    scf.for %i = %n to %n step %n {
      "tt.dot"() : () -> ()
    }
    func.return
  }

  // CHECK-LABEL: func.func @without_product(
  // CHECK-NOT:     launch_dependents
  func.func @without_product() attributes {xla.entry} {
    func.return
  }
}
