"use strict";

/** The marks of a name and of a region in a template. */
const NAME = "\ue000", REGION = "\ue001";

/** The text of a module as a tree of operations and blocks, by number. `templates` are those that edits refer to. */
class Tree {
  constructor(templates) {
    this.templates = templates;
    this.ops = new Map();
    this.blocks = new Map();
  }

  /**
   * Make an edit, and give a function that takes it back: `["label", block, template, names, regions]`,
   * `[op, template, names, regions]`, `[op, block, after]` for its place, or `[op]`, which is gone.
   */
  apply(edit) {
    const [op, ...rest] = edit;
    if (edit.length === 5) return this.label(...rest);
    if (edit.length === 4) return this.write(op, rest);
    if (edit.length === 3) return this.place(op, ...rest);
    return this.drop(op);
  }

  label(number, ...text) {
    const block = this.block(number), old = block.label;
    block.label = text;
    return () => { block.label = old; };
  }

  write(number, text) {
    const known = this.ops.get(number), old = known?.text;
    if (known) known.text = text;
    else this.ops.set(number, {text, block: null, previous: null, next: null});
    return () => {
      if (known) known.text = old;
      else this.ops.delete(number);
    };
  }

  place(number, block, after) {
    const op = this.ops.get(number), {block: oldBlock, previous: oldPrevious} = op;
    this.unlink(op);
    this.link(number, block, after);
    return () => {
      this.unlink(op);
      if (oldBlock !== null) this.link(number, oldBlock, oldPrevious);
    };
  }

  drop(number) {
    const op = this.ops.get(number), {block, previous} = op;
    this.unlink(op);
    this.ops.delete(number);
    return () => {
      this.ops.set(number, op);
      if (block !== null) this.link(number, block, previous);
    };
  }

  block(number) {
    if (!this.blocks.has(number)) this.blocks.set(number, {label: null, first: null});
    return this.blocks.get(number);
  }

  unlink(op) {
    if (op.block === null) return;
    if (op.previous === null) this.block(op.block).first = op.next;
    else this.ops.get(op.previous).next = op.next;
    if (op.next !== null) this.ops.get(op.next).previous = op.previous;
    op.block = op.previous = op.next = null;
  }

  link(number, block, after) {
    const op = this.ops.get(number);
    op.block = block;
    op.previous = after;
    op.next = after === null ? this.block(block).first : this.ops.get(after).next;
    if (op.next !== null) this.ops.get(op.next).previous = number;
    if (after === null) this.block(block).first = number;
    else this.ops.get(after).next = number;
  }

  /** A text with its names, up to the first region, between regions, and behind the last. */
  parts([template, names]) {
    let next = 0;
    const parts = this.templates[template].split(REGION);
    return parts.map(part => part.replaceAll(NAME, () => names[next++]));
  }

  /** The lines of an operation and of what is in it, each with the number of its operation. */
  *lines(number = 0, indent = "") {
    const {text} = this.ops.get(number);
    let [line, ...others] = this.parts(text);
    for (const [region, blocks] of text[2].entries()) {
      yield [number, `${indent}${line}{`];
      for (const each of blocks) {
        const block = this.block(each), label = this.parts(block.label)[0];
        if (label) yield [number, indent + label];
        for (let op = block.first; op !== null; op = this.ops.get(op).next) yield* this.lines(op, `${indent}  `);
      }
      line = `}${others[region]}`;
    }
    for (const each of `${indent}${line}`.split("\n")) yield [number, each];
  }
}
