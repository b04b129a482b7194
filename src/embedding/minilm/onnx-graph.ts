/** Builds an ONNX graph node by node, and writes it as a file that onnxruntime loads. */

import { bytes, fields, float, int, joined, message, text, type Wire } from './protobuf-writer.ts';

/** The name of what a node gives, an input or a constant. */
export type Value = string;

export type Attribute = number | readonly number[] | { readonly float: number };

/** Codes of `TensorProto.DataType`. */
const CODES = { float32: 1, uint8: 2, int8: 3, int32: 6, int64: 7, float16: 10 } as const;
type ElementType = keyof typeof CODES;

/** Codes of `AttributeProto.AttributeType`. */
const FLOAT = 1;
const INT = 2;
const INTS = 7;

const IR_VERSION = 8;
const OPSET = 17;
const CONTRIB = 'com.microsoft';

function attributeOf(name: string, value: Attribute): Wire {
  if (typeof value === 'number') return message(5, text(1, name), int(3, value), int(20, INT));
  if ('float' in value) return message(5, text(1, name), float(2, value.float), int(20, FLOAT));
  return message(5, text(1, name), ...value.map((each) => int(8, each)), int(20, INTS));
}

function valueInfo(field: number, name: string, type: ElementType, shape: readonly (string | number)[]): Wire {
  const dims = shape.map((dim) => message(1, typeof dim === 'string' ? text(2, dim) : int(1, dim)));
  return message(field, text(1, name), message(2, message(1, int(1, CODES[type]), message(2, ...dims))));
}

export class OnnxGraph {
  readonly #nodes: Wire[] = [];
  readonly #constants: Wire[] = [];
  readonly #inputs: Wire[] = [];
  readonly #outputs: Wire[] = [];
  #names = 0;

  /** A letter stands for a dimension that is known when the graph runs. */
  input(name: string, type: ElementType, shape: readonly (string | number)[]): Value {
    this.#inputs.push(valueInfo(11, name, type, shape));
    return name;
  }

  /** Gives what stands at `value` out under `name`. */
  output(value: Value, name: string, shape: readonly (string | number)[]): void {
    this.#node('Identity', '', [value], name, {});
    this.#outputs.push(valueInfo(12, name, 'float32', shape));
  }

  constant(type: ElementType, shape: readonly number[], data: ArrayBufferView): Value {
    const name = this.#name();
    const raw = new Uint8Array(data.buffer, data.byteOffset, data.byteLength);
    this.#constants.push(
      message(5, ...shape.map((dim) => int(1, dim)), int(2, CODES[type]), text(8, name), bytes(9, raw)),
    );
    return name;
  }

  floats(...values: readonly number[]): Value {
    return this.constant('float32', values.length === 1 ? [] : [values.length], Float32Array.from(values));
  }

  /** A list of whole numbers, as shapes and axes are given. */
  whole(...values: readonly number[]): Value {
    return this.constant('int64', [values.length], BigInt64Array.from(values, BigInt));
  }

  /** A standard operator. */
  op(type: string, inputs: readonly Value[], attributes: Readonly<Record<string, Attribute>> = {}): Value {
    return this.#node(type, '', inputs, this.#name(), attributes);
  }

  /** An operator that only onnxruntime has. */
  contrib(type: string, inputs: readonly Value[]): Value {
    return this.#node(type, CONTRIB, inputs, this.#name(), {});
  }

  toBytes(): Uint8Array<ArrayBuffer> {
    const graph = [...this.#nodes, text(2, 'lamina'), ...this.#constants, ...this.#inputs, ...this.#outputs];
    return joined(
      fields(
        int(1, IR_VERSION),
        message(7, ...graph),
        message(8, text(1, ''), int(2, OPSET)),
        message(8, text(1, CONTRIB), int(2, 1)),
      ),
    );
  }

  #name(): string {
    return `v${(this.#names += 1)}`;
  }

  #node(
    type: string,
    domain: string,
    inputs: readonly Value[],
    output: string,
    attributes: Readonly<Record<string, Attribute>>,
  ): Value {
    this.#nodes.push(
      message(
        1,
        ...inputs.map((input) => text(1, input)),
        text(2, output),
        text(4, type),
        ...Object.entries(attributes).map(([name, value]) => attributeOf(name, value)),
        text(7, domain),
      ),
    );
    return output;
  }
}
