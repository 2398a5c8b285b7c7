"""
The IR underneath: operations, uses, blocks and attributes made, inserted, replaced and released. No other room touches
private fields of xDSL.

The functions named here set up objects without xDSL's generic constructors.

`Operation.create` and `Operation.clone` check and convert each part: they look up the operation's definition to fill in
default properties, copy dictionaries, make a `Use` through a dataclass constructor and a setter for each field. What is
created here is equal (`tests/unit/ir` compares all attributes, uses and links), under these preconditions:

- types, properties, attributes and their parameters, and the number of operands, results and regions are right, as for
  `create`;
- each property or attribute with a default value is present: none is filled in;
- a dictionary that is passed in becomes the operation's own, so it must not be used again;
- regions belong to no operation, and operations to no block, and neither contains what it is added to;
- no `ImplicitBuilder` is active: it inserts only operations that xDSL's constructors make.

Nothing is verified. A pattern that computes types or properties that may be wrong should use the operation's own
constructor.
"""

from xshardy.ir.attributes import new_attribute, parameters_of
from xshardy.ir.blocks import fill_block, new_block, new_region
from xshardy.ir.clones import clone_operation, clone_region
from xshardy.ir.operations import add_operands, add_regions, new_operation, new_results, set_name_hint

__all__ = (
    "add_operands",
    "add_regions",
    "clone_operation",
    "clone_region",
    "fill_block",
    "new_attribute",
    "new_block",
    "new_operation",
    "new_region",
    "new_results",
    "parameters_of",
    "set_name_hint",
)
