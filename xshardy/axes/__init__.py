"""Pure mathematics of mesh axes and sub-axes, without operations."""
