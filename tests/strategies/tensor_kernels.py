"""Small kernels for tests that allocate tensor memory."""

from collections.abc import Sequence

from ptx_kernels import BLACKWELL, kernel

ADDRESS = "%r30"
"""The register with the address of the columns."""
FIRST_WARP = "setp.lt.u32 %p10, %r1, 32;"
WAIT = "$wait{0}:\nmbarrier.try_wait.parity.shared.b64 %p13, [%r32], {1};\n@!%p13 bra $wait{0};"


def tensor_kernel(body: str, *, columns: int = 64, parameters: int = 2, shared: int = 64, allocates: str = "") -> str:
    """
    A kernel of one warpgroup around `body`: `%r30` is the address of `columns`, `%r31` that of the lanes of the warp,
    `%r32` an `mbarrier` for one arrival, `%p11` says whether it is the first thread. `allocates` stands behind the
    allocation.
    """
    permit = allocates or "@%p10 tcgen05.relinquish_alloc_permit.cta_group::1.sync.aligned;"
    return kernel(
        f"""
{FIRST_WARP}
setp.eq.u32 %p11, %r1, 0;
mov.b32 %r33, s;
add.u32 %r32, %r33, {shared + 16};
add.u32 %r33, %r33, {shared};
@%p10 tcgen05.alloc.cta_group::1.sync.aligned.shared::cta.b32 [%r33], {columns};
{permit}
@%p11 mbarrier.init.shared.b64 [%r32], 1;
bar.sync 0;
ld.shared.b32 {ADDRESS}, [%r33];
and.b32 %r34, %r1, 96;
shl.b32 %r34, %r34, 16;
add.u32 %r31, {ADDRESS}, %r34;
{body}
bar.sync 0;
@%p10 tcgen05.dealloc.cta_group::1.sync.aligned.b32 {ADDRESS}, {columns};""",
        parameters=parameters,
        shared=shared + 32,
        header=BLACKWELL,
    )


def registers(count: int, first: int = 0) -> str:
    """A vector of registers `%v`."""
    return "{" + ", ".join(f"%v{number}" for number in range(first, first + count)) + "}"


def transfers(name: str, count: int, pointer: str) -> str:
    """Load or store `count` registers `%v` of each thread, which follow each other in global memory."""
    lines = [f"mul.wide.u32 %rd20, %r1, {4 * count};", f"add.s64 %rd20, {pointer}, %rd20;"]
    for number in range(count):
        operands = (f"%v{number}", f"[%rd20+{4 * number}]")
        lines.append(f"{name}.global.b32 {', '.join(operands if name == 'ld' else operands[::-1])};")
    return "\n".join(lines)


def copied(bytes: int, pointer: str) -> str:
    """Copy so many bytes from global to shared memory, 2048 at a time, and let the tensor cores see them."""
    return f"""
mov.b32 %r3, s;
shl.b32 %r4, %r1, 4;
add.u32 %r5, %r3, %r4;
cvt.u64.u32 %rd8, %r4;
add.s64 %rd9, {pointer}, %rd8;
mov.b32 %r6, 0;
$copy:
ld.global.v4.b32 {{%r10, %r11, %r12, %r13}}, [%rd9];
st.shared.v4.b32 [%r5], {{%r10, %r11, %r12, %r13}};
add.u32 %r5, %r5, 2048;
add.s64 %rd9, %rd9, 2048;
add.u32 %r6, %r6, 1;
setp.lt.u32 %p1, %r6, {bytes // 2048};
@%p1 bra $copy;
fence.proxy.async.shared::cta;
bar.sync 0;"""


def issued(instructions: Sequence[str], parity: int = 0) -> str:
    """Let the first thread execute instructions and commit them, and all wait for that."""
    guarded = [f"@%p11 {instruction}" for instruction in instructions]
    commit = "@%p11 tcgen05.commit.cta_group::1.mbarrier::arrive::one.shared::cluster.b64 [%r32];"
    after = "tcgen05.fence::after_thread_sync;"
    return "\n".join([*guarded, commit, WAIT.format(parity, parity), after])


def copy_kernel(copy: str, words: int, descriptor: int, written: str) -> str:
    """
    A kernel that executes `copy` of shared memory at `%rd10` to tensor memory, after `written` has filled 4096 bytes.

    Each thread gives so many words of its lane. `descriptor` is that of the matrix but for its address.
    """
    body = f"""
.reg .b32 %v<128>;
{written}
mov.b64 %rd10, {descriptor};
cvt.u64.u32 %rd11, %r3;
shr.u64 %rd11, %rd11, 4;
add.s64 %rd10, %rd10, %rd11;
{issued([f"{copy} [{ADDRESS}], %rd10;"])}
tcgen05.ld.sync.aligned.32x32b.x{words}.b32 {registers(words)}, [%r31];
tcgen05.wait::ld.sync.aligned;
{transfers("st", words, "%rd2")}"""
    return tensor_kernel(body, shared=4096)
