"""
The row-wise emitter: reductions of rows, and results that read a row and its reduced values, in one kernel.

Softmax and layer normalization are such computations. XLA:GPU leaves them to Triton, as fusions of kind `__triton`.
"""
