"""Where a partitioned program runs: on our evaluator, or on XLA's devices through PJRT."""
