/**
 * Undeclared parts of cel-js' syntax tree that costs and `has` depend on: the tests for both fail if a new version
 * changes them.
 */
export interface CelNode {
  readonly op: string;
  readonly args: unknown;
  readonly meta: {
    readonly evaluate: Evaluate;
    readonly alternate?: CelNode;
    readonly macro?: CelMacro;
  };
  evaluate: Evaluate;
  /** The implementation of an operator or function; present after the type check. */
  handle?: Handle;
  setMeta(key: 'macro', value: CelMacro): unknown;
}

export type Evaluate = (evaluator: unknown, node: CelNode | CelMacro, context: unknown) => unknown;
export type Handle = (...operands: unknown[]) => unknown;

export interface CelMacro {
  evaluate: Evaluate;
}

export function isCelNode(value: unknown): value is CelNode {
  return typeof value === 'object' && value !== null && 'op' in value && 'args' in value && 'meta' in value;
}

/** Visits every node of a tree once, including expanded macros. */
export function forEachCelNode(root: unknown, visit: (node: CelNode) => void): void {
  const seen = new Set<unknown>();
  const waiting: unknown[] = [root];
  while (waiting.length > 0) {
    const value = waiting.pop();
    if (typeof value !== 'object' || value === null || seen.has(value)) continue;
    seen.add(value);
    if (isCelNode(value)) {
      visit(value);
      waiting.push(value.args, value.meta.alternate, value.meta.macro);
    } else if (Array.isArray(value)) waiting.push(...(value as unknown[]));
    else waiting.push(...Object.values(value).filter((part) => Array.isArray(part) || isCelNode(part)));
  }
}
