"""The files of a compiled module, by name: commands that only read one do not load what writes them."""

PTX_FILE = "kernels.ptx"
"""All kernels as one PTX module."""
PLAN_FILE = "plan.json"
"""Beside the PTX of a module, what its program launches (docs/launching.md)."""
