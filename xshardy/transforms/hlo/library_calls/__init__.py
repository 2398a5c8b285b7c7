"""Calls of cuBLAS and cuDNN in optimised HLO modules, written in operations of StableHLO."""
