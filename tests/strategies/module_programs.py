"""Small modules with everything that the ten of real models do not have: branches, collectives, sorts, asynchrony."""

FUSIONS = """
negate {
  x = f32[300] parameter(0)
  ROOT r = f32[300] negate(x)
}
double {
  x = f32[300] parameter(0)
  ROOT r = f32[300] add(x, x)
}
next {
  x = s32[] parameter(0)
  one = s32[] constant(1)
  ROOT r = s32[] add(x, one)
}
is_less {
  x = s32[] parameter(0)
  limit = s32[] constant(3)
  ROOT r = pred[] compare(x, limit), direction=LT
}
update {
  x = f32[300] parameter(0)
  i = s32[] parameter(1)
  part = f32[7] constant({1, 2, 3, 4, 5, 6, 7})
  ROOT r = f32[300] dynamic-update-slice(x, part, i)
}
sum {
  x = f32[300] parameter(0)
  y = f32[300] parameter(1)
  ROOT r = f32[300] add(x, y)
}
add {
  x = f32[] parameter(0)
  y = f32[] parameter(1)
  ROOT r = f32[] add(x, y)
}
"""

LOOP = f"""HloModule loop
{FUSIONS}
condition {{
  state = (s32[], f32[300], f32[300]) parameter(0)
  i = s32[] get-tuple-element(state), index=0
  ROOT go = pred[] fusion(i), kind=kLoop, calls=is_less
}}
body {{
  state = (s32[], f32[300], f32[300]) parameter(0)
  i = s32[] get-tuple-element(state), index=0
  a = f32[300] get-tuple-element(state), index=1
  b = f32[300] get-tuple-element(state), index=2
  updated = f32[300] fusion(a, i), kind=kLoop, calls=update
  following = s32[] fusion(i), kind=kLoop, calls=next
  ROOT swapped = (s32[], f32[300], f32[300]) tuple(following, b, updated)
}}
ENTRY main {{
  x = f32[300] parameter(0)
  zero = s32[] constant(0)
  y = f32[300] fusion(x), kind=kLoop, calls=negate
  state = (s32[], f32[300], f32[300]) tuple(zero, x, y)
  loop = (s32[], f32[300], f32[300]) while(state), condition=condition, body=body
  a = f32[300] get-tuple-element(loop), index=1
  b = f32[300] get-tuple-element(loop), index=2
  c = f32[300] fusion(a), kind=kLoop, calls=double
  ROOT result = (f32[300], f32[300], f32[300]) tuple(b, c, x)
}}
"""
"""A loop that swaps two arrays, after it updates one in place; a parameter that is a result."""

BRANCHES = f"""HloModule branches
{FUSIONS}
yes {{
  x = f32[300] parameter(0)
  n = f32[300] fusion(x), kind=kLoop, calls=negate
  ROOT r = f32[300] fusion(n), kind=kLoop, calls=double
}}
no {{
  ROOT x = f32[300] parameter(0)
}}
ENTRY main {{
  p = pred[] parameter(0)
  x = f32[300] parameter(1)
  index = s32[] parameter(2)
  y = f32[300] conditional(p, x, x), true_computation=yes, false_computation=no
  z = f32[300] conditional(index, y, y, x), branch_computations={{yes, no, no}}
  ROOT r = f32[300] fusion(z, y), kind=kLoop, calls=sum
}}
"""

ASYNCHRONOUS = f"""HloModule asynchronous
{FUSIONS}
wrapped {{
  x = f32[300] parameter(0)
  ROOT r = f32[300] fusion(x), kind=kLoop, calls=negate
}}
ENTRY main {{
  x = f32[300] parameter(0)
  a = f32[300] fusion(x), kind=kLoop, calls=double
  copying = (f32[300], f32[300], u32[]) copy-start(a)
  starting = ((f32[300]), f32[300]) async-start(a), calls=wrapped
  b = f32[300] fusion(x), kind=kLoop, calls=negate
  c = f32[300] fusion(b), kind=kLoop, calls=double
  done = f32[300] async-done(starting), calls=wrapped
  copied = f32[300] copy-done(copying)
  d = f32[300] fusion(done, c), kind=kLoop, calls=sum
  ROOT r = f32[300] fusion(d, copied), kind=kLoop, calls=sum
}}
"""

COLLECTIVES = f"""HloModule collectives, num_partitions=1
{FUSIONS}
ENTRY main {{
  x = f32[300] parameter(0)
  a = f32[300] fusion(x), kind=kLoop, calls=negate
  reducing = f32[300] all-reduce-start(a), replica_groups={{{{0}}}}, to_apply=add
  b = f32[300] fusion(x), kind=kLoop, calls=double
  reduced = f32[300] all-reduce-done(reducing)
  gathered = f32[300] all-gather(b), replica_groups={{{{0}}}}, dimensions={{0}}
  permuted = f32[300] collective-permute(gathered), source_target_pairs={{{{0,0}}}}
  ROOT r = f32[300] fusion(reduced, permuted), kind=kLoop, calls=sum
}}
"""

LIBRARY = f"""HloModule library
less {{
  x = f32[] parameter(0)
  y = f32[] parameter(1)
  ROOT r = pred[] compare(x, y), direction=LT
}}
{FUSIONS}
ENTRY main {{
  x = f32[300] parameter(0)
  m = f32[30,10]{{0,1}} parameter(1)
  w = f32[10,20] parameter(2)
  bias = f32[20] parameter(3)
  a = f32[300] fusion(x), kind=kLoop, calls=negate
  sorted = f32[300] sort(a), dimensions={{0}}, to_apply=less
  gemm = (f32[30,20], s8[1024]) custom-call(m, w, bias), custom_call_target="__cublas$lt$matmul", backend_config={{"gemm_backend_config":{{"alpha_real":2,"beta":0,"dot_dimension_numbers":{{"lhs_contracting_dimensions":["1"],"rhs_contracting_dimensions":["0"],"lhs_batch_dimensions":[],"rhs_batch_dimensions":[]}},"alpha_imag":0,"epilogue":"BIAS"}}}}
  product = f32[30,20] get-tuple-element(gemm), index=0
  ROOT r = (f32[300], f32[30,20]) tuple(sorted, product)
}}
"""  # noqa: E501

DONATED = f"""HloModule donated, input_output_alias={{ {{0}}: (0, {{}}, may-alias), {{1}}: (1, {{}}, may-alias) }}
{FUSIONS}
ENTRY main {{
  x = f32[300] parameter(0)
  y = f32[300] parameter(1)
  i = s32[] parameter(2)
  u = f32[300] fusion(y, i), kind=kLoop, calls=update
  ROOT r = (f32[300], f32[300]) tuple(u, x)
}}
"""
"""The results are written into the memory of the parameters, crosswise."""

PROGRAMS = {
    "asynchronous": ASYNCHRONOUS,
    "branches": BRANCHES,
    "collectives": COLLECTIVES,
    "donated": DONATED,
    "library": LIBRARY,
    "loop": LOOP,
}
