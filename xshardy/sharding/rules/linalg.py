"""`linalg.generic`: its loops are written down, and its indexing maps say which dimensions they walk."""

from collections.abc import Mapping

from xdsl.ir import Operation

from xshardy.sharding.rules.builder import Row

RULES: Mapping[type[Operation], Row] = {}
