"""Engine `pjrt`: XLA through jaxlib, on virtual CPUs, GPUs or TPUs, in one process or many. Needs the extra `jax`."""
