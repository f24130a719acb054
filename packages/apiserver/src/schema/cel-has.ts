import { isJsonObject } from '@fairway/kube/object/json';
import { type CelMacro, forEachCelNode, isCelNode } from './cel-ast.ts';

interface Selection {
  readonly op: string;
  readonly args: readonly [unknown, string];
}

interface Checker {
  check(node: unknown, context: unknown): unknown;
  getType(name: string): unknown;
  createError(code: string, message: string, node: unknown): Error;
}

interface Evaluator {
  run(node: unknown, context: unknown): unknown;
}

/**
 * The library's own `has()` accepts only chains of names. CEL accepts any expression before the last field
 * (`has(self[0].matches)`), and rules of well-known definitions rely on that.
 */
export function allowAnyHas(root: unknown): void {
  forEachCelNode(root, (node) => {
    if (node.op !== 'call' || node.meta.macro === undefined) return;
    const [name, operands] = node.args as readonly [string, readonly unknown[]];
    const [selection] = operands;
    if (name === 'has' && isCelNode(selection)) node.setMeta('macro', hasField(selection as unknown as Selection));
  });
}

function hasField(selection: Selection): CelMacro {
  return {
    // Tree visitors find the selection here.
    args: [selection],
    typeCheck(checker: Checker, _: unknown, context: unknown) {
      if (selection.op !== '.')
        throw checker.createError('invalid_macro_argument', 'has() invalid argument', selection);
      checker.check(selection.args[0], context);
      return checker.getType('bool');
    },
    evaluate(evaluator: Evaluator, _: unknown, context: unknown) {
      const [operand, field] = selection.args;
      const value = evaluator.run(operand, context);
      return isJsonObject(value) && Object.hasOwn(value, field) && value[field] !== undefined;
    },
  } as unknown as CelMacro;
}
