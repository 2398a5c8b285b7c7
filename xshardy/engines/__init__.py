"""Where programs and kernels run: numpy on a simulated mesh, XLA through PJRT, an NVIDIA GPU through its driver."""
