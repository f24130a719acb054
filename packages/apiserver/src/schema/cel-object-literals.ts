import { MAX_EXPRESSION_CHARS } from './cel-expression.ts';

/**
 * Rewrites the object literals of mutation expressions (`Object{spec: Object.spec{replicas: 1}}`, `JSONPatch{op:
 * "add"}`) as equivalent maps (`{"spec": {"replicas": 1}}`), which the CEL library supports. Everything else is
 * left unchanged. It does not check whether fields exist.
 */
export function objectLiteralsAsMaps(text: string): string {
  if (text.length > MAX_EXPRESSION_CHARS) return text;
  const out: string[] = [];
  /** For each open bracket, whether it belongs to an object literal. */
  const open: boolean[] = [];
  let isFieldNext = false;
  for (const { token, type, isLiteral } of tokensOf(text)) {
    // An unterminated string, which is invalid in CEL too. Without this, each of its quotes would cause a scan to the
    // end.
    if (token === '"' || token === "'") return text;
    if (type === 'space') {
      out.push(token);
      continue;
    }
    if (isLiteral) {
      open.push(true);
      isFieldNext = true;
      out.push('{');
      continue;
    }
    if (isFieldNext && type === 'name') {
      out.push(JSON.stringify(token));
      isFieldNext = false;
      continue;
    }
    if (token === '(' || token === '[' || token === '{') open.push(false);
    else if (token === ')' || token === ']' || token === '}') open.pop();
    // An optional field is `?name: value`.
    if (token !== '?') isFieldNext = token === ',' && open.at(-1) === true;
    out.push(token);
  }
  return out.join('');
}

interface Token {
  readonly token: string;
  readonly type: 'space' | 'text' | 'name' | 'other';
  /** A type's name with the bracket after it. */
  readonly isLiteral: boolean;
}

const SPACE = /(?:\s+|\/\/[^\n]*)+/y;
// oxlint-disable-next-line fairway/linear-regexps -- of at most MAX_EXPRESSION_CHARS, and the first text without an end is the last
const TEXT = /[rRbB]{0,2}(?:"""[^]*?"""|'''[^]*?'''|"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*')/y;
// oxlint-disable-next-line fairway/linear-regexps -- of at most MAX_EXPRESSION_CHARS
const LITERAL = /(?:Object(?:\s*\.\s*[A-Za-z_]\w*)*|JSONPatch)\s*\{/y;
const NAME = /[A-Za-z_]\w*/y;

function* tokensOf(text: string): Generator<Token> {
  let previous = '';
  for (let position = 0; position < text.length; ) {
    const at = (pattern: RegExp): string | undefined => {
      pattern.lastIndex = position;
      return pattern.exec(text)?.[0];
    };
    const space = at(SPACE);
    const quoted = space === undefined ? at(TEXT) : undefined;
    // `x.Object{` is not a literal.
    const literal = space === undefined && quoted === undefined && previous !== '.' ? at(LITERAL) : undefined;
    const name = at(NAME);
    const token = space ?? quoted ?? literal ?? name ?? text.charAt(position);
    const type = space !== undefined ? 'space' : quoted !== undefined ? 'text' : name !== undefined ? 'name' : 'other';
    yield { token, type, isLiteral: literal !== undefined };
    if (type !== 'space') previous = token;
    position += token.length;
  }
}
