"""Whole modules: the kernels of an HLO module, where its values are in memory, and what runs in which order."""
