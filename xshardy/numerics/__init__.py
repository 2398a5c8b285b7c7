"""
The functions that operations compute, on numpy arrays, with XLA's results where C, Python and numpy differ.

Pure functions of arrays. The interpreters of StableHLO and of kernels, and the PTX machine, use them. `element_types`
maps the types of xDSL to those of numpy.
"""
