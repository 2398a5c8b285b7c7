"""
The constants of the random number generators of HLO.

The emitters and the interpreter each write the generators in their own operations, so that one is a check of the other.
Source: Salmon et al., "Parallel random numbers: as easy as 1, 2, 3".
"""

THREEFRY_ROTATIONS = ((13, 15, 26, 6), (17, 29, 16, 24))
"""The rotation distances of Threefry-2x32, for even and odd groups of rounds."""
THREEFRY_PARITY = 0x1BD11BDA
"""The parity constant of Threefry's key schedule."""
THREEFRY_GROUPS = 5
"""The number of groups of four rounds."""

PHILOX_WEYL = (0x9E3779B9, 0xBB67AE85)
"""The increments of the key words of Philox-4x32 per round."""
PHILOX_MULTIPLIERS = (0xD2511F53, 0xCD9E8D57)
PHILOX_ROUNDS = 10
