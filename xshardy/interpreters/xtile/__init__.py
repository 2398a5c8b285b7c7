"""The interpreter of xtile: kernels executed tile by tile on numpy arrays."""
