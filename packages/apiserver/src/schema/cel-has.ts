import { isJsonObject } from '@fairway/kube/object/json';
import type { Environment } from '@marcbachmann/cel-js';

interface Node {
  readonly op: string;
  readonly args: readonly [Node, string];
}

interface Checker {
  check(node: Node, context: unknown): unknown;
  getType(name: string): unknown;
  createError(code: string, message: string, node: Node): Error;
}

interface Evaluator {
  run(node: Node, context: unknown): unknown;
}

interface Macro {
  readonly args: readonly [Node];
}

const MACRO = 'hasField';
/** A string literal of CEL, or the beginning of a call of `has`. */
const STRING_OR_HAS = /[rR]?("""|'''|"|')(?:\\.|(?!\1)[^])*\1|(?<![.\w])has(?=\s*\()/g;

/**
 * The library's own `has()` takes chains of names alone; CEL takes any expression before the last field
 * (`has(self[0].matches)`), and rules of well-known definitions rely on it.
 */
export function addHas(environment: Environment): void {
  environment.registerFunction(`${MACRO}(ast): bool`, ({ args }: Macro) => ({
    args,
    async: false,
    typeCheck(checker: Checker, { args: [selection] }: Macro, context: unknown) {
      if (selection.op !== '.')
        throw checker.createError('invalid_macro_argument', 'has() invalid argument', selection);
      checker.check(selection.args[0], context);
      return checker.getType('bool');
    },
    evaluate(evaluator: Evaluator, { args: [selection] }: Macro, context: unknown) {
      const [operand, field] = selection.args;
      const value = evaluator.run(operand, context);
      return isJsonObject(value) && Object.hasOwn(value, field) && value[field] !== undefined;
    },
  }));
}

/** The rule with every `has(…)` written as the macro of `addHas`. */
export function withHas(rule: string): string {
  return rule.replaceAll(STRING_OR_HAS, (found) => (found === 'has' ? MACRO : found));
}
