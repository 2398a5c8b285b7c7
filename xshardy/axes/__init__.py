"""Pure mathematics of mesh axes and sub-axes, and of the device arrays of HLO shardings, without operations."""
