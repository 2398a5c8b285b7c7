// RUN: not xshardy-opt %s -p 'hlo-combine-collectives{max-bytes=-1}' 2>&1 | filecheck %s

// CHECK: max-bytes=-1 is less than nothing: 0 combines no collectives
func.func @main() {
  return
}
