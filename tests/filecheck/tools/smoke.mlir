// RUN: xshardy-opt %s | filecheck %s
// RUN: xdsl-opt %s | filecheck %s

// CHECK: func.func @identity(%{{.*}}: index) -> index
func.func @identity(%x: index) -> index {
  func.return %x : index
}
