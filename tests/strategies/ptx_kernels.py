"""Small kernels written for tests."""

HEADER = ".version 8.0\n.target sm_90\n.address_size 64\n"
BLACKWELL = ".version 8.8\n.target sm_100a\n.address_size 64\n"


def kernel(body: str, parameters: int = 2, shared: int = 0, header: str = HEADER) -> str:
    """
    An entry `k` with pointers `%rd1`, `%rd2`, ..., its thread in `%r1` and its block in `%r2`.

    The body may use registers `%p<20>`, `%h<20>` (16 bits), `%r<40>` and `%rd<40>`, and `s`, so many bytes of shared
    memory.
    """
    listed = ",\n".join(f"  .param .u64 .ptr .align 16 k_{number}" for number in range(parameters))
    variable = f"  .shared .align 16 .b8 s[{shared}];\n" if shared else ""
    loads = "".join(f"  ld.param.b64 %rd{number + 1}, [k_{number}];\n" for number in range(parameters))
    return (
        f"{header}.visible .entry k(\n{listed}\n)\n{{\n  .reg .pred %p<20>;\n  .reg .b16 %h<20>;\n"
        f"  .reg .b32 %r<40>;\n  .reg .b64 %rd<40>;\n{variable}{loads}"
        f"  mov.u32 %r1, %tid.x;\n  mov.u32 %r2, %ctaid.x;\n{body}\n  ret;\n}}\n"
    )


def matrix_store_kernel(opcode: str, count: int, loads: str, step: int) -> str:
    """
    A kernel of one warp that stores so many matrices of eight rows of 16 bytes to shared memory, and copies the rows.

    `loads` fills `%r10`, `%r11`, ... of each lane from `%rd9`: the first parameter, and `step` bytes per lane before.
    """
    registers = ", ".join(f"%r1{number}" for number in range(count))
    body = f"""
  mov.u32 %r3, s;
  shl.b32 %r4, %r1, 4;
  add.u32 %r5, %r3, %r4;
  mul.wide.u32 %rd8, %r1, {step};
  add.s64 %rd9, %rd1, %rd8;
{loads}
  {opcode} [%r5], {{{registers}}};
  bar.warp.sync -1;
  setp.ge.u32 %p1, %r1, {8 * count};
  @%p1 bra $done;
  ld.shared.v4.b32 {{%r20, %r21, %r22, %r23}}, [%r5];
  mul.wide.u32 %rd8, %r1, 16;
  add.s64 %rd9, %rd2, %rd8;
  st.global.v4.b32 [%rd9], {{%r20, %r21, %r22, %r23}};
$done:
"""
    return kernel(body, shared=512)


def line_of(text: str, marker: str) -> int:
    """The number of the line with `marker`, the first of which is 1."""
    return text[: text.index(marker)].count("\n") + 1
