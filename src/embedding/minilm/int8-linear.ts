/** Arithmetic in eight bits: a scale per output channel for the weights, and for what comes in one per matrix or per token. */

import type { Arithmetic, Linear, Place, Weights } from './bert-graph.ts';
import type { OnnxGraph, Value } from './onnx-graph.ts';

/** How much of an outlier moves from the activations into the weights. 0.5 to 0.65 do equally well, more does worse. */
const SMOOTHING = 0.65;

/** Eight bits with a sign: -127 to 127. */
const LARGEST = 127;

/** Activations are stored unsigned around this, which is what the fastest instructions of x86 take. */
const MIDDLE = 128;

/** Behind the activation function hardly anything is negative, so zero lies lower, and more steps are left above it. */
const LOW = 64;
const ABOVE_LOW = 255 - LOW;

/** With this for the largest value of a token, the least that the activation function gives, -0.17, still fits below zero. */
const LEAST_LARGEST = (0.17 * ABOVE_LOW) / LOW;

/** No scale is below this, so that an output without weights divides by something. */
const LEAST_SCALE = 1e-12;

/** The largest size that each input channel of a matrix was seen to take, by the place of the matrix. */
export type Ranges = ReadonlyMap<Place, Float32Array>;

interface QuantisedWeights {
  /** [inputs, outputs] */
  readonly values: Int8Array;
  readonly scales: Float32Array;
}

/**
 * SmoothQuant (https://arxiv.org/abs/2211.10438): dividing a channel of the input by a factor and multiplying its
 * weights by the same changes nothing but what rounding sees. A few channels before the feed-forward matrices are
 * many times larger than the others, and alone would take up the eight bits.
 */
function smoothingFactors({ rows, inputs }: Weights, range: Float32Array): Float32Array {
  const factors = new Float32Array(inputs);
  for (let at = 0; at < rows.length; at += 1) {
    const channel = at % inputs;
    factors[channel] = Math.max(factors[channel] ?? 0, Math.abs(rows[at] ?? 0));
  }
  return factors.map((largest, channel) => {
    const factor = (range[channel] ?? 0) ** SMOOTHING / largest ** (1 - SMOOTHING);
    // A channel that was never seen or is never used has nothing to balance.
    return Number.isFinite(factor) && factor > 0 ? factor : 1;
  });
}

/** Rounds each row, times the factors of its columns, to eight bits, and turns the matrix as the operator wants it. */
function quantised(weights: Weights, factors?: Float32Array): QuantisedWeights {
  const { rows, inputs, outputs } = weights;
  const values = new Int8Array(rows.length);
  const scales = new Float32Array(outputs);
  const row = new Float32Array(inputs);
  for (let output = 0; output < outputs; output += 1) {
    let largest = LEAST_SCALE;
    for (let input = 0; input < inputs; input += 1) {
      const value = (rows[output * inputs + input] ?? 0) * (factors?.[input] ?? 1);
      row[input] = value;
      largest = Math.max(largest, Math.abs(value));
    }
    const scale = largest / LARGEST;
    scales[output] = scale;
    for (let input = 0; input < inputs; input += 1) {
      values[input * outputs + output] = Math.round((row[input] ?? 0) / scale);
    }
  }
  return { values, scales };
}

/** What comes in: rounded to eight bits, by which scale, and what stands for zero. */
interface Rounded {
  readonly values: Value;
  readonly scale: Value;
  readonly zero: Value;
}

function rounded(graph: OnnxGraph, x: Value, step: number, zero: number): Rounded {
  const scale = graph.floats(step);
  const middle = graph.constant('uint8', [], Uint8Array.of(zero));
  return { values: graph.op('QuantizeLinear', [x, scale, middle]), scale, zero: middle };
}

/** [tokens, outputs] from [tokens, inputs], with the bias if it is given. */
function multiplied(graph: OnnxGraph, x: Rounded, { values, scales }: QuantisedWeights, bias?: Float32Array): Value {
  const outputs = scales.length;
  const weights = graph.constant('int8', [values.length / outputs, outputs], values);
  const inputs = [x.values, weights, x.scale, graph.constant('float32', [outputs], scales), x.zero];
  // The one left out is the zero of the weights, which is zero.
  const added = bias === undefined ? [] : ['', graph.constant('float32', [outputs], bias)];
  return graph.contrib('MatMulIntegerToFloat', [...inputs, ...added]);
}

/**
 * By one scale for all tokens, from the range that was measured; what is larger is cut off. Before these matrices
 * there is a normalisation, or a mean of what comes from one, so tokens are much alike in size.
 */
function byMatrix(graph: OnnxGraph, x: Value, weights: Weights, range: Float32Array, isSmoothed: boolean): Value {
  const factors = isSmoothed ? smoothingFactors(weights, range) : new Float32Array(weights.inputs).fill(1);
  const inverse = factors.map((factor) => 1 / factor);
  const smoothed = isSmoothed ? graph.op('Mul', [x, graph.constant('float32', [weights.inputs], inverse)]) : x;
  const largest = range.reduce((most, value, channel) => Math.max(most, value * (inverse[channel] ?? 1)), LEAST_SCALE);
  const fixed = rounded(graph, smoothed, largest / LARGEST, MIDDLE);
  return multiplied(graph, fixed, quantised(weights, factors), weights.bias);
}

/**
 * By a scale per token, for what comes from the activation function: there tokens differ many times over.
 * `MatMulIntegerToFloat` knows one scale for all: the largest value of each token is taken out before and put back after.
 */
function byToken(graph: OnnxGraph, x: Value, weights: Weights): Value {
  const largest = graph.op('Max', [
    graph.op('ReduceMax', [x], { axes: [1], keepdims: 1 }),
    graph.floats(LEAST_LARGEST),
  ]);
  const shares = rounded(graph, graph.op('Div', [x, largest]), 1 / ABOVE_LOW, LOW);
  const product = graph.op('Mul', [multiplied(graph, shares, quantised(weights)), largest]);
  return graph.op('Add', [product, graph.constant('float32', [weights.outputs], weights.bias)]);
}

/** Whether the range of what comes in has to be measured. */
export function isByMatrix(place: Place): boolean {
  return !place.endsWith('outer');
}

/** In eight bits; ranges are those of all places that `isByMatrix`. */
export function int8Arithmetic(ranges: Ranges): Arithmetic {
  const linear: Linear = (graph, x, weights, place) => {
    if (!isByMatrix(place)) return byToken(graph, x, weights);
    const range = ranges.get(place) ?? new Float32Array(weights.inputs).fill(1);
    // No channel stands out in what the attention gives: smoothing it was measured to change nothing.
    return byMatrix(graph, x, weights, range, !place.endsWith('context'));
  };
  // By a hyperbolic tangent, which is faster and differs by less than the rounding that follows.
  return { linear, gelu: (graph, x) => graph.contrib('FastGelu', [x]) };
}
