"""Where programs and kernels run: our evaluator on a simulated mesh, XLA through PJRT, a GPU through its driver."""
