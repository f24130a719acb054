import { truncate } from '@fairway/base/truncate';
import { type CelNode, forEachCelNode, type Handle } from './cel-ast.ts';
import { charge, chargeDeep, charsCost, shallowCost } from './cel-budget.ts';
import { matchesIn } from './cel-patterns.ts';
import { hasFormat } from './formats.ts';

/**
 * Makes every step of a checked rule charge the current budget in advance: each node for itself, operators and
 * functions for the data that they process. `matches` uses Go's regular expressions instead of the library's
 * backtracking ones. `duration` gets only valid input, because the library searches the whole string for each of its
 * parts, in cubic time.
 */
export function countCosts(root: unknown): void {
  forEachCelNode(root, (node) => {
    const handle = node.handle;
    const charges = chargesOf(node);
    if (handle !== undefined && charges !== undefined) node.handle = withCharge(node, handle, charges);
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

/** A call's operands are one list, the receiver first; an operator's operands are separate arguments. */
function withCharge(node: CelNode, handle: Handle, chargeFor: Charge): Handle {
  const isCall = node.op === 'call' || node.op === 'rcall';
  const isMatch = node.op === 'rcall' && nameOf(node) === 'matches';
  const isDuration = node.op === 'call' && nameOf(node) === 'duration';
  return (...values) => {
    const operands = isCall ? (values[0] as unknown[]) : values.slice(0, 2);
    chargeFor(operands);
    const [text, pattern] = operands;
    if (isMatch && typeof text === 'string' && typeof pattern === 'string') return matchesIn(text, pattern);
    if (isDuration && typeof text === 'string' && !hasFormat(text, 'duration')) {
      throw new Error(`Invalid duration string: ${truncate(text, 100)}`);
    }
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
      return CALL_CHARGES[nameOf(node)] ?? chargeFlat;
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

const chargeFlat: Charge = (operands) => charge(operands.reduce<number>((sum, value) => sum + shallowCost(value), 0));
const chargeAll: Charge = (operands) => operands.forEach(chargeDeep);
const chargeNothing: Charge = () => undefined;

/** Each item of one list is compared with each item of the other. */
const chargePairs: Charge = (operands) => {
  chargeAll(operands);
  const [left, right] = operands.slice(-2);
  const items = (value: unknown) => (Array.isArray(value) ? value.length : 1);
  for (let times = 1; times < items(left); times++) chargeDeep(right);
  for (let times = 1; times < items(right); times++) chargeDeep(left);
};

/** The result may be as long as the product of both strings. */
const chargeProduct: Charge = ([text, from, to]) => {
  const chars = (value: unknown) => (typeof value === 'string' ? value.length + 1 : 1);
  charge(charsCost(chars(text) * chars(to) + chars(from)));
};

const chargeJoin: Charge = ([list, separator = '']) => {
  chargeDeep(list);
  charge(charsCost(shallowCost(list) * String(separator).length));
};

/**
 * With a time zone argument, the library formats and parses a date, which takes a thousand times as long as other
 * steps.
 */
const UNITS_PER_TIME_ZONE = 1000;
const chargeTimeZone: Charge = (operands) => {
  chargeFlat(operands);
  if (operands.length > 1) charge(UNITS_PER_TIME_ZONE);
};

/** Functions whose cost is not simply the size of their operands. */
const CALL_CHARGES: Readonly<Record<string, Charge | undefined>> = {
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
  json: chargeAll,
  getDate: chargeTimeZone,
  getDayOfMonth: chargeTimeZone,
  getDayOfWeek: chargeTimeZone,
  getDayOfYear: chargeTimeZone,
  getFullYear: chargeTimeZone,
  getHours: chargeTimeZone,
  getMinutes: chargeTimeZone,
  getMonth: chargeTimeZone,
  getSeconds: chargeTimeZone,
};
