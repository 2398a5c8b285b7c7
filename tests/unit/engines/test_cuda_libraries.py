"""
Library steps of launch plans by XLA. The GPU is a fake one, whose memory is the host's, and XLA is that for CPUs: what
it computes, which memory it reads and writes, and when, is as on a GPU.
"""

import os
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from fake_cuda.state import Driver
from library_programs import FACTORIZATION, IN_PLACE, PACKED, POWERS, STEPS, gemm, gemm_config
from module_programs import PROGRAMS

from xshardy.engines.cuda import Gpu, LoadedModule, jax_libraries, load_module
from xshardy.engines.cuda.jax_libraries import PREALLOCATE, JaxLibraries, Libraries, libraries_for
from xshardy.engines.cuda.modules import GpuMachine, Way
from xshardy.hlo_text import parse_hlo
from xshardy.interpreters.check import Tolerance
from xshardy.launch.checked_run import ModuleRuns
from xshardy.launch.compilation import CompiledModule, compile_module
from xshardy.launch.parallel_execution import WrongStepError
from xshardy.programs.errors import EngineError
from xshardy.tools.cli import main


@pytest.fixture
def libraries(gpu: Gpu) -> JaxLibraries:
    """XLA, which takes the memory of `gpu`."""
    pytest.importorskip("jax")
    from fake_cuda.jax_on_host import libraries

    return libraries(gpu)


def compiled(text: str) -> CompiledModule:
    return compile_module(parse_hlo(text))


def checked(
    text: str, gpu: Gpu, libraries: JaxLibraries, *, graphs: bool = False, tolerance: Tolerance | None = None
) -> LoadedModule:
    """The loaded module, after two runs whose results are those of the evaluator."""
    module = LoadedModule(compiled(text), gpu, graphs, libraries)
    for seed in (0, 1):
        runs = ModuleRuns(parse_hlo(text), module.module.plan, seed)
        results = [array.numpy() for array in module.run(*runs.arguments[0])]
        for index in range(len(results)):
            comparison = runs.compare(index, [results], tolerance)
            assert comparison and not isinstance(comparison, str), str(comparison)
    return module


@pytest.mark.parametrize("name", STEPS)
def test_steps(name: str, gpu: Gpu, libraries: JaxLibraries, driver: Driver):
    """Each compared with the evaluator; one that this computes at once, up to a tolerance of ours."""
    tolerance = Tolerance(1e-6, 1e-5) if name in ("Fourier transform", "triangular solution") else None
    module = checked(STEPS[name], gpu, libraries, tolerance=tolerance)
    assert set(module.library_steps.values()) == {Way.XLA} and not module.refused
    assert not driver.launches


@pytest.mark.parametrize("name", STEPS)
def test_steps_with_checks(name: str, gpu: Gpu, libraries: JaxLibraries):
    """Each step beside the evaluator; what is compared is not rounded to TF32."""
    module = compiled(STEPS[name])
    machine = GpuMachine(module, gpu, libraries, full_precision=True)
    ModuleRuns(parse_hlo(STEPS[name]), module.plan).run([machine], checks=True)
    (program,) = libraries._compiled
    assert ("HIGHEST" in program) == ("stablehlo.dot_general" in program or "stablehlo.convolution" in program)


def test_kernels_of_jax(gpu: Gpu, libraries: JaxLibraries):
    """A factorization gets its matrix in the order that it wants, also where nothing is symmetric."""
    module = LoadedModule(compiled(FACTORIZATION), gpu, libraries=libraries)
    factor = np.tril(np.random.default_rng(0).uniform(1, 2, (4, 4))).astype(np.float32)
    given = factor @ factor.T + np.triu(np.full((4, 4), 100, np.float32), 1)  # the upper half is not read
    found, status = module.run(given)
    np.testing.assert_allclose(np.tril(found.numpy()), factor, rtol=1e-4)
    assert status.numpy() == 0 and module.library_steps == {"k": Way.XLA}


@pytest.mark.parametrize("name", PROGRAMS)
def test_programs(name: str, gpu: Gpu, libraries: JaxLibraries):
    """Steps of libraries among others."""
    checked(PROGRAMS[name], gpu, libraries)


@pytest.mark.parametrize("graphs", [False, True])
def test_a_result_in_the_memory_of_an_operand(graphs: bool, gpu: Gpu, libraries: JaxLibraries):
    module = checked(IN_PLACE, gpu, libraries, graphs=graphs)
    (step,) = module.module.plan.library_steps()
    assert step.operands[2].slice == step.results[0].slice


def test_a_step_in_a_loop(gpu: Gpu, libraries: JaxLibraries, driver: Driver):
    """It is compiled once, and ends the graphs around it: a graph of kernels before it, one after it."""
    plain = checked(POWERS, gpu, libraries)
    assert len(libraries._compiled) == 1
    recorded = LoadedModule(plain.module, gpu, graphs=True, libraries=libraries)
    assert len(libraries._compiled) == 1
    arguments = ModuleRuns(parse_hlo(POWERS), plain.module.plan).arguments[0]
    (expected,) = plain.run(*arguments)
    for _ in range(3):
        before = driver.graph_launches
        (found,) = recorded.run(*arguments)
        np.testing.assert_array_equal(found.numpy(), expected.numpy())
        assert driver.graph_launches - before == 1 + 4 + 2 * 3 + 1  # before, conditions, around each product, after


def test_equal_steps_are_compiled_once(gpu: Gpu, libraries: JaxLibraries):
    """Whatever they and their operands are called."""
    text = STEPS["product"]
    LoadedModule(compiled(text), gpu, libraries=libraries)
    LoadedModule(
        compiled(text.replace("p0", "other").replace("call ", "named ").replace("(call)", "(named)")),
        gpu,
        libraries=libraries,
    )
    assert len(libraries._compiled) == 1
    LoadedModule(compiled(STEPS["product in other layouts"]), gpu, libraries=libraries)
    assert len(libraries._compiled) == 2


def test_64_bits_stay(gpu: Gpu, libraries: JaxLibraries):
    """JAX would make them 32 bits wide; its own setting stays what it is."""
    import jax

    before = jax.config.jax_enable_x64
    module = LoadedModule(compiled(STEPS["product of doubles"]), gpu, libraries=libraries)
    x = np.full((3, 5), 1 + 2.0**-40)
    (found,) = module.run(x, np.ones((5, 4)))
    np.testing.assert_array_equal(found.numpy(), np.full((3, 4), 10 * (1 + 2.0**-40)))
    assert jax.config.jax_enable_x64 == before


def test_memory_is_freed_with_the_next_run(gpu: Gpu, libraries: JaxLibraries, driver: Driver):
    module = checked(STEPS["product"], gpu, libraries)
    arguments = ModuleRuns(parse_hlo(STEPS["product"]), module.module.plan).arguments[0]
    free = driver.free
    for _ in range(3):
        module.run(*arguments)
    assert driver.free == free


def test_what_is_not_left_to_xla(gpu: Gpu, libraries: JaxLibraries):
    """Packed elements, which the host sorts, and products that XLA refuses, which are kernels of ours."""
    module = checked(PACKED, gpu, libraries)
    assert module.library_steps == {"s": Way.HOST}
    assert module.refused == {"s": "x is a s4[9]{0}: DLPack does not pack elements"}

    def refusing(program: str) -> Any:
        raise EngineError("XLA refuses the program: no reason")

    libraries.compiled = refusing  # type: ignore[method-assign]
    module = checked(STEPS["product"], gpu, libraries)
    assert module.library_steps == {"call": Way.KERNEL}
    assert module.refused == {"call": "XLA refuses the program: no reason"}


@pytest.mark.parametrize(
    "target, is_typed, reason",
    [
        ("xla_ffi_python_gpu_callback", True, "JAX is not asked for calls of xla_ffi_python_gpu_callback"),
        ("lapack_spotrf_ffi", False, "a call of lapack_spotrf_ffi without named options (api_version 4)"),
    ],
)
def test_calls_that_jax_is_not_asked_for(target: str, is_typed: bool, reason: str, gpu: Gpu, libraries: JaxLibraries):
    """Those that need the process that made them, and those of another interface."""
    text = FACTORIZATION.replace("lapack_spotrf_ffi", target)
    if not is_typed:
        text = text.replace("API_VERSION_TYPED_FFI", "API_VERSION_STATUS_RETURNING").replace(
            "{uplo = 76 : ui8}", '"76"'
        )
    module = LoadedModule(compiled(text), gpu, libraries=libraries)
    assert module.refused == {"k": reason} and module.library_steps == {"k": Way.HOST}


def test_a_wrong_library_is_found(gpu: Gpu, libraries: JaxLibraries):
    """With checks, the step is named whose result is not that of the evaluator."""
    take = libraries.taken
    libraries.taken = lambda exported: take(exported) * 2
    module = compiled(IN_PLACE)
    with pytest.raises(WrongStepError, match=r"step 1, call, result call\{0\}: 9 of 9 elements differ"):
        ModuleRuns(parse_hlo(IN_PLACE), module.plan).run([GpuMachine(module, gpu, libraries)], checks=True)


# -- Choices -----------------------------------------------------------------------------------------------------------


def test_without_cuda_in_jax(gpu: Gpu):
    pytest.importorskip("jax")
    module = compiled(PROGRAMS["library"])
    for choice in ("auto", "none"):
        ways = load_module(module, gpu, libraries=choice).library_steps  # type: ignore[arg-type]
        assert ways == {"sorted": Way.HOST, "gemm": Way.KERNEL}
    with pytest.raises(EngineError, match=r"need its CUDA backend: run `pip install 'jax\[cuda13\]'`, or .*'none'"):
        load_module(module, gpu, libraries="jax")
    assert load_module(compiled(PROGRAMS["loop"]), gpu, libraries="jax").library_steps == {}  # nothing to ask for


@pytest.fixture
def jax_with_gpus(monkeypatch: pytest.MonkeyPatch) -> Callable[[int], Any]:
    """Makes JAX have GPUs of these numbers."""

    def install(*numbers: int) -> list[Any]:
        devices = [SimpleNamespace(local_hardware_id=number) for number in numbers]
        jax = SimpleNamespace(local_devices=lambda backend: devices if backend == "cuda" else [])
        monkeypatch.setattr(jax_libraries, "import_jax", lambda: jax)
        return devices

    return install


def test_the_device_of_jax(gpu: Gpu, jax_with_gpus: Any, monkeypatch: pytest.MonkeyPatch):
    """It is the one with the number of the GPU; JAX does not take its memory, unless the environment says so."""
    plan = compiled(PROGRAMS["library"]).plan
    monkeypatch.delenv(PREALLOCATE, raising=False)
    devices = jax_with_gpus(1, 0)
    for choice in (Libraries.AUTO, Libraries.JAX):
        found = libraries_for(plan, gpu, choice)
        assert found is not None and found.device is devices[1]
    assert os.environ[PREALLOCATE] == "false"
    monkeypatch.setenv(PREALLOCATE, "true")
    libraries_for(plan, gpu, Libraries.AUTO)
    assert os.environ[PREALLOCATE] == "true"
    jax_with_gpus(1)
    with pytest.raises(EngineError, match="JAX does not use GPU 0"):
        libraries_for(plan, gpu, Libraries.JAX)
    assert libraries_for(plan, gpu, Libraries.AUTO) is None


def test_the_command(
    tmp_path: Path, driver: Driver, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
):
    pytest.importorskip("jax")
    from fake_cuda import jax_on_host

    library, packed = tmp_path / "library.hlo", tmp_path / "packed.hlo"
    library.write_text(PROGRAMS["library"])
    packed.write_text(IN_PLACE)
    assert main(["run", "--check", "--on", "cuda", "--libraries", "none", str(library)]) == 0
    assert "library steps: 1 by the host, 1 by kernels of xshardy\n" in capsys.readouterr().out
    assert main(["run", "--on", "cuda", "--libraries", "jax", str(library)]) == 1
    assert capsys.readouterr().err.startswith(f"{library}: error: library steps by JAX need its CUDA backend")
    assert main(["run", "--libraries", "jax", str(library)]) == 2
    assert "error: --libraries says who computes library steps on a GPU: run with --on cuda" in capsys.readouterr().err
    monkeypatch.setattr(jax_libraries, "libraries_for", lambda plan, gpu, choice: jax_on_host.libraries(gpu))
    assert main(["run", "--check", "--on", "cuda", str(library)]) == 0
    assert "library steps: 2 by XLA, through JAX\n" in capsys.readouterr().out
    assert main(["run", "--check", "--on", "cuda", str(packed)]) == 0


def test_a_training_step_of_jax(gpu: Gpu, libraries: JaxLibraries):
    """A program that we have fused: convolutions, their gradients, products, a Fourier transform."""
    import jax
    import jax.numpy as jnp

    from xshardy.api import parse
    from xshardy.fusing.pipeline import fused_program

    def loss(weights: Any, x: Any) -> Any:
        kernel, dense = weights
        y = jax.nn.relu(
            jax.lax.conv_general_dilated(x, kernel, (1, 1), "SAME", dimension_numbers=("NHWC", "HWIO", "NHWC"))
        )
        z = jax.nn.gelu(y.mean((1, 2)) @ dense)
        return (z**2).sum() + jnp.abs(jnp.fft.rfft(z)).sum() + (jnp.sort(z) * jnp.arange(4.0)).sum()

    def step(weights: Any, x: Any) -> Any:
        value, gradients = jax.value_and_grad(loss)(weights, x)
        return value, jax.tree.map(lambda w, g: w - 0.1 * g, weights, gradients)

    shapes = ((3, 3, 2, 4), (4, 4)), (2, 5, 5, 2)
    types = jax.tree.map(
        lambda s: jax.ShapeDtypeStruct(s, jnp.float32), shapes, is_leaf=lambda s: isinstance(s[0], int)
    )
    module = LoadedModule(compile_module(fused_program(parse(jax.jit(step).lower(*types)))), gpu, libraries=libraries)
    rng = np.random.default_rng(0)
    arguments = [rng.uniform(-1, 1, s.shape).astype(np.float32) for s in jax.tree.leaves(types)]
    expected = jax.tree.leaves(jax.jit(step)((arguments[0], arguments[1]), arguments[2]))
    for found, wanted in zip(module.run(*arguments), expected, strict=True):
        np.testing.assert_allclose(found.numpy(), wanted, rtol=1e-4, atol=1e-5)
    targets = {step.target for step in module.module.plan.library_steps()}
    assert {"__cudnn$convForward", "__cudnn$convBackwardFilter", "fft"} <= targets and not module.refused


def test_empty_steps_reach_no_memory(gpu: Gpu, libraries: JaxLibraries):
    """An operand without elements may have no address."""
    module = LoadedModule(
        compiled(gemm(["f32[3,0]", "f32[0,4]"], ["f32[3,4]"], gemm_config())), gpu, libraries=libraries
    )
    libraries.taken = lambda exported: pytest.fail("there is nothing to take")
    (found,) = module.run(np.empty((3, 0), np.float32), np.empty((0, 4), np.float32))
    np.testing.assert_array_equal(found.numpy(), np.zeros((3, 4)))
