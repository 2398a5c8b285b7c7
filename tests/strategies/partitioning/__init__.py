"""What the property test of partitioning draws: for each operation of StableHLO a program, and shardings of any tensors."""
