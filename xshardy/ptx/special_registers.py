"""The special registers, and how many bits they have. Source: PTX ISA, "Special Registers"."""

from collections.abc import Mapping

_OF_AXES = ("tid", "ntid", "ctaid", "nctaid", "clusterid", "nclusterid", "cluster_ctaid", "cluster_nctaid")
_OF_THREADS = "laneid warpid nwarpid smid nsmid cluster_ctarank cluster_nctarank"
_MASKS = "lanemask_eq lanemask_le lanemask_lt lanemask_ge lanemask_gt"
_SIZES = "dynamic_smem_size total_smem_size aggr_smem_size"
_RESERVED = " ".join(f"reserved_smem_offset_{name}" for name in ("begin", "end", "cap", "0", "1"))

CLOCKS: Mapping[str, int] = {
    "%clock": 32,
    "%clock_hi": 32,
    "%clock64": 64,
    "%globaltimer": 64,
    "%globaltimer_lo": 32,
    "%globaltimer_hi": 32,
}
"""Those that change while threads run."""

ZEROS: Mapping[str, int] = {
    **{f"%envreg{number}": 32 for number in range(32)},
    **{f"%pm{number}": 32 for number in range(8)},
    **{f"%pm{number}_64": 64 for number in range(8)},
    **{f"%{name}": 32 for name in _RESERVED.split()},
    "%gridid": 64,
    "%current_graph_exec": 64,
}
"""Those that drivers, profilers and graphs set."""

SPECIAL_REGISTERS: Mapping[str, int] = {
    **{f"%{name}.{axis}": 32 for name in _OF_AXES for axis in "xyz"},
    **{f"%{name}": 32 for name in f"{_OF_THREADS} {_MASKS} {_SIZES}".split()},
    "%is_explicit_cluster": 1,
    **CLOCKS,
    **ZEROS,
}
"""The bits of each; a predicate has one."""
