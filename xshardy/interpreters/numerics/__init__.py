"""
What the operations of the IR compute on numpy arrays, with XLA's results where C, Python and numpy differ from it.

Pure functions of arrays: no IR in sight. Both interpreters, of StableHLO and of kernels, take their arithmetic from
here.
"""
