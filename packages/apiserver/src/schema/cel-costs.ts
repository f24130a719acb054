import { type CelNode, forEachCelNode, type Handle } from './cel-ast.ts';
import { charge, chargeWhole, charsCost, flatCost } from './cel-budget.ts';
import { matchesIn } from './cel-patterns.ts';

/**
 * Makes every step of a checked rule charge the budget that it runs under, before it is taken: each node for itself, operators and
 * functions for what they go through. `matches` gets Go's expressions instead of the library's backtracking ones.
 */
export function countCosts(root: unknown): void {
  forEachCelNode(root, (node) => {
    const handle = node.handle;
    const charges = chargesOf(node);
    if (handle !== undefined && charges !== undefined) node.handle = charged(node, handle, charges);
    countNode(node);
  });
}

function countNode(node: CelNode): void {
  const { alternate, macro, evaluate } = node.meta;
  node.evaluate = (evaluator, _, context) => {
    charge(1);
    if (alternate !== undefined) return alternate.evaluate(evaluator, alternate, context);
    return macro === undefined ? evaluate(evaluator, node, context) : macro.evaluate(evaluator, macro, context);
  };
}

type Charge = (operands: readonly unknown[]) => void;

/** A call's operands come as one list, the receiver first; those of an operator one by one. */
function charged(node: CelNode, handle: Handle, chargeFor: Charge): Handle {
  const isCall = node.op === 'call' || node.op === 'rcall';
  const isMatch = node.op === 'rcall' && nameOf(node) === 'matches';
  return (...values) => {
    const operands = isCall ? (values[0] as unknown[]) : values.slice(0, 2);
    chargeFor(operands);
    const [text, pattern] = operands;
    if (isMatch && typeof text === 'string' && typeof pattern === 'string') return matchesIn(text, pattern);
    return handle(...values);
  };
}

function nameOf(node: CelNode): string {
  return (node.args as readonly [string])[0];
}

function chargesOf(node: CelNode): Charge | undefined {
  switch (node.op) {
    case 'call':
    case 'rcall':
      return CALLS[nameOf(node)] ?? chargeFlat;
    case '==':
    case '!=':
    case 'in':
      return chargeAll;
    case '+':
    case '<':
    case '<=':
    case '>':
    case '>=':
      return chargeFlat;
    default:
      return undefined;
  }
}

const chargeFlat: Charge = (operands) => charge(operands.reduce<number>((sum, value) => sum + flatCost(value), 0));
const chargeAll: Charge = (operands) => operands.forEach(chargeWhole);
const chargeNothing: Charge = () => undefined;

/** Each item of one list is compared with each of the other. */
const chargePairs: Charge = (operands) => {
  chargeAll(operands);
  const [left, right] = operands.slice(-2);
  const items = (value: unknown) => (Array.isArray(value) ? value.length : 1);
  for (let times = 1; times < items(left); times++) chargeWhole(right);
  for (let times = 1; times < items(right); times++) chargeWhole(left);
};

/** What comes of it may be as long as one text times the other. */
const chargeProduct: Charge = ([text, from, to]) => {
  const chars = (value: unknown) => (typeof value === 'string' ? value.length + 1 : 1);
  charge(charsCost(chars(text) * chars(to) + chars(from)));
};

const chargeJoin: Charge = ([list, separator = '']) => {
  chargeWhole(list);
  charge(charsCost(flatCost(list) * String(separator).length));
};

/** The library reads a duration part by part, and goes through the rest for each. */
const chargeSquare: Charge = ([text]) => charge(charsCost(String(text).length ** 2));

/** Functions whose cost is not the size of their operands. */
const CALLS: Readonly<Record<string, Charge | undefined>> = {
  dyn: chargeNothing,
  type: chargeNothing,
  contains: chargePairs,
  equivalent: chargePairs,
  intersects: chargePairs,
  indexOf: chargePairs,
  lastIndexOf: chargePairs,
  isSorted: chargeAll,
  min: chargeAll,
  max: chargeAll,
  sum: chargeAll,
  replace: chargeProduct,
  join: chargeJoin,
  split: ([text]) => charge(String(text).length),
  duration: chargeSquare,
  json: chargeAll,
};
