/** Multiplication in eight bits: a scale per output channel for the weights, a scale per token for what comes in. */

import type { Linear, Place, Weights } from './bert-graph.ts';
import type { OnnxGraph, Value } from './onnx-graph.ts';

/** How much of an outlier moves from the activations into the weights. 0.5 to 0.65 do equally well, more does worse. */
const SMOOTHING = 0.65;

/** Eight bits with a sign: -127 to 127. */
const LARGEST = 127;

/** Activations are stored unsigned around this, which is what the fastest instructions of x86 take. */
const MIDDLE = 128;

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

/**
 * [tokens, outputs] from [tokens, inputs]. `MatMulIntegerToFloat` knows one scale for all activations: the largest
 * value of each token is taken out before and put back after. No token is all zeros behind a normalisation with a bias.
 */
function multiplied(graph: OnnxGraph, x: Value, { values, scales }: QuantisedWeights, inputs: number): Value {
  const largest = graph.op('ReduceMax', [graph.op('Abs', [x])], { axes: [1], keepdims: 1 });
  const unit = graph.floats(1 / LARGEST);
  const middle = graph.constant('uint8', [], Uint8Array.of(MIDDLE));
  const rounded = graph.op('QuantizeLinear', [graph.op('Div', [x, largest]), unit, middle]);
  const product = graph.contrib('MatMulIntegerToFloat', [
    rounded,
    graph.constant('int8', [inputs, scales.length], values),
    unit,
    graph.constant('float32', [scales.length], scales),
    middle,
  ]);
  return graph.op('Mul', [product, largest]);
}

/** In eight bits, smoothed where ranges were measured. */
export function int8Linear(ranges: Ranges): Linear {
  return (graph, x, weights, place) => {
    const { inputs, outputs, bias } = weights;
    const range = ranges.get(place);
    const factors = range && smoothingFactors(weights, range);
    const smoothed =
      factors === undefined
        ? x
        : graph.op('Mul', [
            x,
            graph.constant(
              'float32',
              [inputs],
              factors.map((factor) => 1 / factor),
            ),
          ]);
    const product = multiplied(graph, smoothed, quantised(weights, factors), inputs);
    return graph.op('Add', [product, graph.constant('float32', [outputs], bias)]);
  };
}
