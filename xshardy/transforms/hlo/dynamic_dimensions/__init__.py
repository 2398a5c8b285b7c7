"""
Tensors with dynamic dimensions as tensors of their largest sizes, each dynamic dimension with its size in use.

`set_dimension_size %padded, %size` stands for such a tensor while operations are rewritten: an operation on it becomes
one on `%padded`, followed by the `set_dimension_size` of its result. What reads no dynamic tensor is left as it is.
"""
