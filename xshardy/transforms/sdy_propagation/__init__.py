"""Propagation of shardings: a module per pass."""
