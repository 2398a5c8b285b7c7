"""Atomic updates of one place by all threads, beside the same updates one after another."""

from collections.abc import Callable, Mapping
from itertools import accumulate
from typing import Any

import ml_dtypes
import numpy as np
import pytest
from ptx_kernels import kernel

from xshardy.ptx.machine import Machine

THREADS = 96


@pytest.mark.parametrize("type, dtype", [("f16", np.float16), ("bf16", ml_dtypes.bfloat16)])
def test_numbers_of_16_bits_are_rounded_after_each_addition(type: str, dtype: type[Any]):
    source = np.random.default_rng(0).uniform(1, 2, THREADS).astype(dtype)
    result = np.zeros(1, dtype)
    body = (
        "mul.wide.u32 %rd9, %r1, 2;\nadd.s64 %rd9, %rd9, %rd1;\nld.global.b16 %h1, [%rd9];\n"
        f"red.global.add.noftz.{type} [%rd2], %h1;"
    )
    Machine(kernel(body)).run([1], [THREADS], [source, result])
    expected = dtype(0)
    for value in source:
        expected = dtype(expected + value)
    assert result[0] == expected != dtype(source.astype(np.float64).sum())


UPDATES: Mapping[str, Callable[[int, int], int]] = {
    "add.u32": lambda old, new: (old + new) % 2**32,
    "and.b32": lambda old, new: old & new,
    "exch.b32": lambda old, new: new,
    "max.u32": max,
    "min.u32": min,
    "or.b32": lambda old, new: old | new,
    "xor.b32": lambda old, new: old ^ new,
}


def test_hints_for_caches_change_no_update():
    place, read = np.array([5], np.uint32), np.zeros(1, np.uint32)
    body = (
        "ld.global.L1::no_allocate.L2::cache_hint.b32 %r4, [%rd1], %rd2;\n"
        "atom.global.add.L2::cache_hint.u32 %r5, [%rd1], %r4, %rd2;\n"
        "atom.global.cas.L2::cache_hint.b32 %r6, [%rd1], 10, 3, %rd2;\nst.global.b32 [%rd2], %r6;"
    )
    Machine(kernel(body)).run([1], [1], [place, read])
    assert (place.tolist(), read.tolist()) == ([3], [10])


@pytest.mark.parametrize("name", UPDATES)
def test_each_thread_gets_what_the_thread_before_left(name: str):
    news = np.random.default_rng(0).integers(0, 2**32, THREADS, np.uint32)
    place, olds = np.full(1, 0x12345678, np.uint32), np.zeros(THREADS, np.uint32)
    body = (
        "mul.wide.u32 %rd9, %r1, 4;\nadd.s64 %rd8, %rd9, %rd1;\nld.global.b32 %r4, [%rd8];\n"
        f"atom.global.{name} %r5, [%rd2], %r4;\nadd.s64 %rd8, %rd9, %rd3;\nst.global.b32 [%rd8], %r5;"
    )
    Machine(kernel(body, parameters=3)).run([1], [THREADS], [news, place, olds])
    *before, last = accumulate(news.tolist(), UPDATES[name], initial=0x12345678)
    assert olds.tolist() == before and place.tolist() == [last]


@pytest.mark.parametrize("places", [1, 3, 40])
@pytest.mark.parametrize("name", [*UPDATES, "cas.b32"])
def test_threads_at_several_places_come_one_after_another(name: str, places: int):
    rng = np.random.default_rng(places)
    news = rng.integers(0, 3, THREADS, np.uint32)
    where = rng.integers(0, places, THREADS, np.uint32)
    words, olds = rng.integers(0, 3, places, np.uint32), np.zeros(THREADS, np.uint32)
    expected, before = words.tolist(), list[int]()
    for place, new in zip(where.tolist(), news.tolist(), strict=True):
        old = expected[place]
        before.append(old)
        expected[place] = (new if old == 1 else old) if name == "cas.b32" else UPDATES[name](old, new)
    operands = "1, %r4" if name == "cas.b32" else "%r4"
    body = (
        "mul.wide.u32 %rd9, %r1, 4;\nadd.s64 %rd8, %rd9, %rd1;\nld.global.b32 %r4, [%rd8];\n"
        "add.s64 %rd8, %rd9, %rd4;\nld.global.b32 %r6, [%rd8];\nmul.wide.u32 %rd7, %r6, 4;\nadd.s64 %rd7, %rd7, %rd2;\n"
        f"atom.global.{name} %r5, [%rd7], {operands};\nadd.s64 %rd8, %rd9, %rd3;\nst.global.b32 [%rd8], %r5;"
    )
    Machine(kernel(body, parameters=4)).run([1], [THREADS], [news, words, olds, where])
    assert olds.tolist() == before and words.tolist() == expected


@pytest.mark.parametrize(("operation", "expected"), [("inc", THREADS % 10), ("dec", (-THREADS) % 10)])
def test_a_counter_starts_again_behind_its_limit(operation: str, expected: int):
    """From 0 to 9 and back to 0, or the other way around."""
    result = np.zeros(1, np.uint32)
    body = f"atom.global.{operation}.u32 %r5, [%rd1], 9;"
    Machine(kernel(body, parameters=1)).run([1], [THREADS], [result])
    assert result[0] == expected
