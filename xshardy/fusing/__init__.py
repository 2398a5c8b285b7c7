"""
Fusion of a program that XLA has not optimised: which operations become one kernel, and the pass that makes them so.

What is left then are the steps of a launch plan: fusions, library calls, loops and branches.
"""
