"""Types of arguments that commands share."""

import argparse


def natural(text: str) -> int:
    """An integer of at least 0."""
    try:
        number = int(text)
    except ValueError:
        number = -1
    if number < 0:
        raise argparse.ArgumentTypeError(f"expected an integer of at least 0, got '{text}'")
    return number
