"""The FILE of the commands about sharded programs."""

import argparse


def add_program(parser: argparse.ArgumentParser) -> None:
    """Add FILE, which `read_program` reads."""
    parser.add_argument(
        "file",
        help="StableHLO with shardings, also as bytecode, or HLO text as XLA dumps it; `-` is standard input; "
        "FILE.py:NAME runs FILE.py as Python; NAME is what jax.jit(f).lower(...) returns, or a function that "
        "returns it: give it only files you trust",
    )
