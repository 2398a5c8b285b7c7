"""`python -m xshardy`: the same as `xshardy`."""

import sys

from xshardy.tools.entry import xshardy

if __name__ == "__main__":
    sys.exit(xshardy())
