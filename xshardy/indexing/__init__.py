"""
Indexing maps of operations and fusions: which elements each reads to make which (row XGPU-IDX of the specification).

`operations` has a row per operation, in terms of the affine ground below (`xshardy/affine/`); `fusions` composes them;
`coalescing` says which reads of a kernel are contiguous.
"""
