"""Programs of each operation of StableHLO, and shardings of their tensors: what the property test draws."""
