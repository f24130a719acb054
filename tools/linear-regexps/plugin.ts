import { growthOf } from './growth.ts';

/** The part of oxlint's rule context that this rule uses. */
interface Context {
  report(problem: { readonly node: unknown; readonly message: string }): void;
}
interface Node {
  readonly regex?: { readonly pattern: string; readonly flags: string };
  readonly callee?: { readonly type: string; readonly name?: string };
  readonly arguments?: readonly Node[];
}

const known = new Map<string, string | undefined>();

/**
 * `fairway/linear-regexps`: the matching time of an expression must not grow faster than its text, which may be
 * hostile. If the text is bounded or from the operator, a comment explains it: `// oxlint-disable-next-line
 * fairway/linear-regexps -- at most 253 characters, see NAME`.
 */
const linearRegexps = {
  create(context: Context) {
    const composed = (node: Node) => {
      if (node.callee?.type === 'Identifier' && node.callee.name === 'RegExp' && !node.arguments?.[0]?.regex)
        context.report({
          node,
          message:
            'Expressions composed at run time are not checked: write the expression out, or state what bounds it',
        });
    };
    return {
      Literal(node: Node) {
        if (node.regex === undefined) return;
        const problem = problemOf(node.regex);
        if (problem !== undefined) context.report({ node, message: `A long text would block the process: ${problem}` });
      },
      NewExpression: composed,
      CallExpression: composed,
    };
  },
};

function problemOf({ pattern, flags }: { readonly pattern: string; readonly flags: string }): string | undefined {
  const key = `${flags}/${pattern}`;
  if (!known.has(key)) known.set(key, growthOf(pattern, flags));
  return known.get(key);
}

// oxlint-disable-next-line import/no-default-export -- how oxlint finds a plugin
export default { meta: { name: 'fairway' }, rules: { 'linear-regexps': linearRegexps } };
