"""Instructions that each thread executes for itself: arithmetic, bits, comparisons, conversions, memory, atomics."""
