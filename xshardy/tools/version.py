"""The version that commands print."""


def print_version() -> int:
    """Print our version, and that of xDSL, without importing it."""
    from importlib.metadata import version

    print(f"xshardy {version('xshardy')} (xDSL {version('xdsl')})")
    return 0
