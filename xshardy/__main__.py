"""`python -m xshardy`: the same as `xshardy`."""

import sys

from xshardy.tools.entry import xshardy

sys.exit(xshardy())
