"""Proofs that the program of each device computes its part of a whole program, for all inputs."""
