"""
The time that XLA:GPU takes to compile the training steps that benchmarks/commands.py compiles with `--fuse`.

No GPU is needed, but the packages of `jax[cuda13]` beside those of the tests, and a text of `GpuTargetConfigProto`, as
those in xla/backends/gpu/target_config/specs of XLA's sources.

    python benchmarks/peers/xla_gpu_compile.py H100.txtpb [LAYERS]...

CPU seconds of all threads and seconds, without the start of the process, the minimum of RUNS.
"""

import sys
from pathlib import Path
from time import perf_counter, process_time

sys.path.insert(0, str(Path(__file__).parents[1]))

from parse import train_step

RUNS = 3


def main(target: str, *layers: str) -> None:
    texts = {count: train_step(int(count), (1, 1)) for count in layers or ("4", "16")}
    from jax._src.interpreters.mlir import make_ir_context
    from jax.experimental.topologies import get_topology_desc
    from jaxlib import xla_client
    from jaxlib.mlir import ir

    config = Path(target).read_text()
    devices = tuple(get_topology_desc("", "cuda", target_config=config, topology="1x1x1").devices)
    for count, text in texts.items():
        times: list[tuple[float, float]] = []
        for _ in range(RUNS):
            with make_ir_context():
                module = ir.Module.parse(text)
                start = process_time(), perf_counter()
                devices[0].client.compile(module, xla_client.DeviceList(devices), xla_client.CompileOptions())
                times.append((process_time() - start[0], perf_counter() - start[1]))
        cpu, wall = map(min, zip(*times, strict=True))
        print(f"{count} layers: {cpu:.2f} s of CPU, {wall:.2f} s")


if __name__ == "__main__":
    sys.setrecursionlimit(100_000)  # JAX lowers layers recursively
    main(*sys.argv[1:])
