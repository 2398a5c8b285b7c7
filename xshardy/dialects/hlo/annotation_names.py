"""The names of discardable attributes with what XLA's HLO says of an instruction or a module."""

FRONTEND_ATTRIBUTES = "mhlo.frontend_attributes"
"""A dictionary of texts, which XLA carries unread."""

BACKEND_CONFIG = "hlo.backend_config"
"""The options of an instruction for its backend, as text."""

METADATA = "hlo.metadata"
"""The name of the JAX operation, and its place in the user's program."""

SHARDING = "mhlo.sharding"
"""A sharding in HLO's notation, `{devices=[2,4]<=[8]}`."""

ALLOW_PROPAGATION_TO_PARAMETERS = "hlo.allow_spmd_sharding_propagation_to_parameters"
"""Of a module: which parameters of the entry propagation may shard further, `{true,false}`, or one for all."""

ALLOW_PROPAGATION_TO_OUTPUT = "hlo.allow_spmd_sharding_propagation_to_output"
"""The same of the results of the entry."""
