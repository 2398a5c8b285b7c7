"""
The functions that operations compute, on numpy arrays, with XLA's results where C, Python and numpy differ.

Pure functions of arrays, without IR. Both interpreters, of StableHLO and of kernels, use them.
"""
