"""
Sizes that all of NVIDIA's GPUs have.

Source: NVIDIA's CUDA programming guide, "Hardware Implementation" and "Shared Memory".
"""

WARP_SIZE = 32
"""Threads of a warp."""
SECTOR_BYTES = 32
"""What global and local memory move at least for a request."""
BANKS = 32
"""Banks of shared memory, each of which serves one word at a time."""
BANK_BYTES = 4
"""A word of a bank."""
