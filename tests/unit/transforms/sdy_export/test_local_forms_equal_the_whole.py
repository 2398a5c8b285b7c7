"""Any sharding of an operation runs on the simulated mesh and equals the whole, or is refused with the reason."""

from collections.abc import Sequence

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from test_convert_global_to_local import (
    Argument,
    attempt,
    attribute,
    check,
    counted,
    meshes,
    module_of,
    of_result,
    shardings,
)
from xdsl.dialects.builtin import ModuleOp

from xshardy.dialects.sdy.attributes.axes import AxisRefAttr
from xshardy.dialects.sdy.attributes.mesh import MeshAttr
from xshardy.interpreters.element_types import Array
from xshardy.syntax import parse_module
from xshardy.transforms.failures import OperationFailedException, OperationWarning
from xshardy.transforms.pass_failures import module_after  # noqa
