"""Where programs and kernels run: our evaluator on a simulated mesh, XLA through PJRT, an NVIDIA GPU through its driver."""
