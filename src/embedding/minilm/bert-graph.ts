/** The graph of all-MiniLM-L6-v2, from token ids to one vector of unit length per text. */

import { OnnxGraph, type Value } from './onnx-graph.ts';
import type { Safetensors } from './safetensors.ts';

const HIDDEN = 384;
const INNER = 1536;
const HEADS = 12;
const HEAD = HIDDEN / HEADS;
const LAYERS = 6;

/** What the model was trained for; it has 512 positions, of which the last 256 are never used. */
export const WINDOW = 256;

/** Added to the attention to a padded place: far enough below anything real for its share to be exactly zero. */
const NOWHERE = 1e9;

const NORM = { axis: -1, epsilon: { float: 1e-12 } };

/** A matrix as the model holds it (a row per output) with its bias. */
export interface Weights {
  readonly rows: Float32Array;
  readonly bias: Float32Array;
  readonly inputs: number;
  readonly outputs: number;
}

/** The four multiplications of a layer by their place. */
export type Place = `${number}.${'attention' | 'context' | 'inner' | 'outer'}`;

/** How one matrix is multiplied: `x` is [tokens, inputs], what is returned [tokens, outputs]. */
export type Linear = (graph: OnnxGraph, x: Value, weights: Weights, place: Place) => Value;

/** What precisions differ in. */
export interface Arithmetic {
  readonly linear: Linear;
  /** The activation function, x · Φ(x). */
  readonly gelu: (graph: OnnxGraph, x: Value) => Value;
}

/** In single precision. */
export const EXACT: Arithmetic = {
  linear: (graph, x, { rows, bias, inputs, outputs }) =>
    graph.op(
      'Gemm',
      [x, graph.constant('float32', [outputs, inputs], rows), graph.constant('float32', [outputs], bias)],
      { transB: 1 },
    ),
  // x/2 · (1 + erf(x/√2)), in the shape that onnxruntime knows and replaces by one operator.
  gelu: (graph, x) => {
    const erf = graph.op('Erf', [graph.op('Div', [x, graph.floats(Math.SQRT2)])]);
    return graph.op('Mul', [graph.op('Mul', [x, graph.op('Add', [erf, graph.floats(1)])]), graph.floats(0.5)]);
  },
};

/** The graph under construction, with what every layer needs. */
interface Building {
  readonly graph: OnnxGraph;
  readonly model: Safetensors;
  readonly arithmetic: Arithmetic;
  readonly headsShape: Value;
  readonly rowsShape: Value;
  readonly maskBias: Value;
}

function weightsOf(model: Safetensors, name: string, inputs: number, outputs: number): Weights {
  return { rows: model.floats(`${name}.weight`), bias: model.floats(`${name}.bias`), inputs, outputs };
}

/** Queries, keys and values as one matrix, with the scale of the attention already in the queries. */
function attentionWeights(model: Safetensors, layer: string): Weights {
  const rows = new Float32Array(3 * HIDDEN * HIDDEN);
  const bias = new Float32Array(3 * HIDDEN);
  for (const [index, name] of ['query', 'key', 'value'].entries()) {
    const part = weightsOf(model, `${layer}.attention.self.${name}`, HIDDEN, HIDDEN);
    const scale = name === 'query' ? 1 / Math.sqrt(HEAD) : 1;
    rows.set(
      part.rows.map((value) => value * scale),
      index * HIDDEN * HIDDEN,
    );
    bias.set(
      part.bias.map((value) => value * scale),
      index * HIDDEN,
    );
  }
  return { rows, bias, inputs: HIDDEN, outputs: 3 * HIDDEN };
}

function normalised({ graph, model }: Building, x: Value, name: string): Value {
  const scale = graph.constant('float32', [HIDDEN], model.floats(`${name}.LayerNorm.weight`));
  const bias = graph.constant('float32', [HIDDEN], model.floats(`${name}.LayerNorm.bias`));
  return graph.op('LayerNormalization', [x, scale, bias], NORM);
}

/** [tokens, 3 × hidden] of queries, keys and values to [tokens, hidden] of what the heads saw. */
function attended({ graph, headsShape, rowsShape, maskBias }: Building, together: Value): Value {
  const heads = graph.op('Transpose', [graph.op('Reshape', [together, headsShape])], { perm: [2, 0, 3, 1, 4] });
  const part = (index: number): Value =>
    graph.op('Gather', [heads, graph.constant('int64', [], BigInt64Array.of(BigInt(index)))], { axis: 0 });
  const keys = graph.op('Transpose', [part(1)], { perm: [0, 1, 3, 2] });
  const scores = graph.op('Add', [graph.op('MatMul', [part(0), keys]), maskBias]);
  const seen = graph.op('MatMul', [graph.op('Softmax', [scores], { axis: -1 }), part(2)]);
  return graph.op('Reshape', [graph.op('Transpose', [seen], { perm: [0, 2, 1, 3] }), rowsShape]);
}

function layerOf(building: Building, x: Value, index: number): Value {
  const { graph, model, arithmetic } = building;
  const { linear, gelu } = arithmetic;
  const name = `encoder.layer.${index}`;
  const together = linear(graph, x, attentionWeights(model, name), `${index}.attention`);
  const context = linear(
    graph,
    attended(building, together),
    weightsOf(model, `${name}.attention.output.dense`, HIDDEN, HIDDEN),
    `${index}.context`,
  );
  const middle = normalised(building, graph.op('Add', [context, x]), `${name}.attention.output`);
  const inner = linear(graph, middle, weightsOf(model, `${name}.intermediate.dense`, HIDDEN, INNER), `${index}.inner`);
  const outer = linear(
    graph,
    gelu(graph, inner),
    weightsOf(model, `${name}.output.dense`, INNER, HIDDEN),
    `${index}.outer`,
  );
  return normalised(building, graph.op('Add', [outer, middle]), `${name}.output`);
}

/** Words stay in half precision, which halves the file; positions carry the row of the one token type there is. */
function embedded({ graph, model, rowsShape }: Building, ids: Value, length: Value): Value {
  const { shape, bits } = model.half('embeddings.word_embeddings.weight');
  const words = graph.op('Gather', [graph.constant('float16', shape, bits), ids], { axis: 0 });
  const type = model.floats('embeddings.token_type_embeddings.weight');
  const rows = model
    .floats('embeddings.position_embeddings.weight')
    .subarray(0, WINDOW * HIDDEN)
    .map((value, at) => value + (type[at % HIDDEN] ?? 0));
  const positions = graph.op('Slice', [graph.constant('float32', [WINDOW, HIDDEN], rows), graph.whole(0), length]);
  const sum = graph.op('Add', [graph.op('Cast', [words], { to: 1 }), positions]);
  return graph.op('Reshape', [sum, rowsShape]);
}

/**
 * Inputs: `ids` [texts, tokens] and `mask`, one where there is a token and zero where there is padding. Output:
 * `vectors` [texts, 384]. Their length is made one, so the sum over tokens need not be divided by their number.
 */
export function bertGraph(model: Safetensors, arithmetic: Arithmetic): OnnxGraph {
  const graph = new OnnxGraph();
  const ids = graph.input('ids', 'int32', ['texts', 'tokens']);
  const mask = graph.input('mask', 'float32', ['texts', 'tokens']);
  const shape = graph.op('Shape', [ids]);
  const length = graph.op('Slice', [shape, graph.whole(1), graph.whole(2)]);
  const bias = graph.op('Mul', [graph.op('Sub', [mask, graph.floats(1)]), graph.floats(NOWHERE)]);
  const building: Building = {
    graph,
    model,
    arithmetic,
    headsShape: graph.op('Concat', [shape, graph.whole(3, HEADS, HEAD)], { axis: 0 }),
    rowsShape: graph.whole(-1, HIDDEN),
    maskBias: graph.op('Unsqueeze', [bias, graph.whole(1, 2)]),
  };
  let x = normalised(building, embedded(building, ids, length), 'embeddings');
  for (let index = 0; index < LAYERS; index += 1) x = layerOf(building, x, index);
  const tokens = graph.op('Reshape', [x, graph.op('Concat', [shape, graph.whole(HIDDEN)], { axis: 0 })]);
  const sum = graph.op('MatMul', [graph.op('Unsqueeze', [mask, graph.whole(1)]), tokens]);
  const vectors = graph.op('LpNormalization', [graph.op('Squeeze', [sum, graph.whole(1)])], { axis: -1, p: 2 });
  graph.output(vectors, 'vectors', ['texts', HIDDEN]);
  return graph;
}
