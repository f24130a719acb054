/** A script in the subset of shell that hollow containers support: commands, `if`, `&&`, `||`, `|` and `!`. */
export type Command =
  /** Unexpanded words, with quotes. */
  | { readonly kind: 'simple'; readonly words: readonly string[]; readonly redirections: readonly Redirection[] }
  | { readonly kind: 'if'; readonly branches: readonly Branch[]; readonly otherwise: Script }
  | { readonly kind: 'not'; readonly command: Command }
  | { readonly kind: 'pipe'; readonly commands: readonly Command[] };

/** Redirection of a command's output or, with `2>` and `2>>`, of its errors. */
export interface Redirection {
  readonly operator: string;
  readonly target: string;
}

export interface Branch {
  readonly condition: Script;
  readonly body: Script;
}

/** The command runs if the previous one ended as specified by `after`. */
export type Script = readonly { readonly command: Command; readonly after: 'any' | 'success' | 'failure' }[];

/** Thrown for syntax outside of this subset; such a container is assumed to run forever. */
export class UnsupportedScriptError extends Error {}

const MAX_LENGTH = 16_384;
const MAX_DEPTH = 20;
const TOKEN =
  // oxlint-disable-next-line fairway/linear-regexps -- of at most MAX_LENGTH characters, from where the last token ended; the first that is none ends it
  /[ \t]+|\\\n|#[^\n]*|(?<operator>\n|;;|;|&&|\|\||\||>>|2>&1|[12]?>|[&<(){}`])|(?<word>(?:'[^']*'|"(?:\\[^]|[^"\\])*"|\$\(\((?:[^()]|\([^()]*\))*\)\)|\$\([^()]*\)|\$\{[^{}]*\}|\\[^]|[^\s;&|<>(){}`'"\\])+)/y;
const RESERVED = new Set(['while', 'until', 'for', 'case', 'select', 'function', 'trap', 'do', 'done']);
const TERMINATORS = new Set(['then', 'elif', 'else', 'fi']);

type Token = { readonly operator: string } | { readonly word: string };

/** Throws UnsupportedScriptError. */
export function parseScript(text: string): Script {
  const reader = new TokenReader(tokensOf(text));
  const script = parseList(reader, 0);
  if (!reader.isDone) throw new UnsupportedScriptError();
  return script;
}

function tokensOf(text: string): readonly Token[] {
  if (text.length > MAX_LENGTH) throw new UnsupportedScriptError();
  const tokens: Token[] = [];
  TOKEN.lastIndex = 0;
  while (TOKEN.lastIndex < text.length) {
    const match = TOKEN.exec(text);
    if (match === null) throw new UnsupportedScriptError();
    const { operator, word } = match.groups ?? {};
    if (operator !== undefined) tokens.push({ operator: operator === '\n' ? ';' : operator });
    else if (word !== undefined) tokens.push({ word });
  }
  return tokens;
}

class TokenReader {
  readonly #tokens: readonly Token[];
  #at = 0;

  constructor(tokens: readonly Token[]) {
    this.#tokens = tokens;
  }

  get isDone(): boolean {
    return this.#at >= this.#tokens.length;
  }

  /** The next token, if it is a word. */
  get word(): string | undefined {
    const token = this.#tokens[this.#at];
    return token !== undefined && 'word' in token ? token.word : undefined;
  }

  get operator(): string | undefined {
    const token = this.#tokens[this.#at];
    return token !== undefined && 'operator' in token ? token.operator : undefined;
  }

  skip(): void {
    this.#at++;
  }

  take(word: string): void {
    if (this.word !== word) throw new UnsupportedScriptError();
    this.skip();
  }
}

/** Parses up to a terminating word, which is not consumed. */
function parseList(reader: TokenReader, depth: number): Script {
  if (depth > MAX_DEPTH) throw new UnsupportedScriptError();
  const script: { command: Command; after: 'any' | 'success' | 'failure' }[] = [];
  let after: 'any' | 'success' | 'failure' = 'any';
  for (;;) {
    while (reader.operator === ';') reader.skip();
    if (reader.isDone || TERMINATORS.has(reader.word ?? '')) return script;
    script.push({ command: parsePipe(reader, depth), after });
    const { operator } = reader;
    if (operator === '&&' || operator === '||' || operator === ';') reader.skip();
    else if (operator !== undefined) throw new UnsupportedScriptError();
    after = operator === '&&' ? 'success' : operator === '||' ? 'failure' : 'any';
  }
}

function parsePipe(reader: TokenReader, depth: number): Command {
  const commands = [parseCommand(reader, depth)];
  while (reader.operator === '|') {
    reader.skip();
    commands.push(parseCommand(reader, depth));
  }
  const [only] = commands;
  return commands.length === 1 && only !== undefined ? only : { kind: 'pipe', commands };
}

function parseCommand(reader: TokenReader, depth: number): Command {
  const { word } = reader;
  if (word === 'if') return parseIf(reader, depth);
  if (word === '!') {
    if (depth > MAX_DEPTH) throw new UnsupportedScriptError();
    reader.skip();
    return { kind: 'not', command: parseCommand(reader, depth + 1) };
  }
  if (word !== undefined && RESERVED.has(word)) throw new UnsupportedScriptError();
  return parseSimple(reader);
}

function parseIf(reader: TokenReader, depth: number): Command {
  const branches: Branch[] = [];
  do {
    reader.skip();
    const condition = parseList(reader, depth + 1);
    reader.take('then');
    branches.push({ condition, body: parseList(reader, depth + 1) });
  } while (reader.word === 'elif');
  let otherwise: Script = [];
  if (reader.word === 'else') {
    reader.skip();
    otherwise = parseList(reader, depth + 1);
  }
  reader.take('fi');
  return { kind: 'if', branches, otherwise };
}

function parseSimple(reader: TokenReader): Command {
  const words: string[] = [];
  const redirections: Redirection[] = [];
  for (;;) {
    const { word, operator = '' } = reader;
    if (word !== undefined) {
      words.push(word);
      reader.skip();
      continue;
    }
    if (operator === '2>&1') {
      reader.skip();
      continue;
    }
    if (!/^[12]?>{1,2}$/.test(operator)) break;
    reader.skip();
    if (reader.word === undefined) throw new UnsupportedScriptError();
    redirections.push({ operator, target: reader.word });
    reader.skip();
  }
  if (words.length === 0) throw new UnsupportedScriptError();
  return { kind: 'simple', words, redirections };
}
