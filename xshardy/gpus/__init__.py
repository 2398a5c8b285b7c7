"""What NVIDIA's GPUs are, for compilers and for the PTX machine: capabilities, resources, sizes, grids of threads."""
