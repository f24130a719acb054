import { type AST, RegExpParser } from '@eslint-community/regexpp';

/** A position in an expression that matches one character. */
export interface Position {
  /** The position's source text. */
  readonly text: string;
  /** A bit for each of `characters` that the position matches. */
  readonly takes: bigint;
  /** Positions that may match the next character, with the number of paths to them: 1, or 2 for several paths. */
  next: ReadonlyMap<number, number>;
  /** Whether the expression has matched after this position, so that there is no backtracking. */
  isEnd: boolean;
}

/**
 * An automaton without empty steps. Position 0 is the search: an expression without `^` is tried from each character.
 */
export type Automaton = readonly Position[];

interface Step {
  readonly to: number;
  /** An assertion, which may fail. */
  readonly mayFail: boolean;
  /** The step is `^`: it matches only before the first character. */
  readonly atStart: boolean;
}

/** Repetitions up to this number count as bounded; larger ones as unbounded. */
const MAX_BOUNDED = 256;
/** Number of copies into which a bounded repetition is expanded: enough to preserve the order of positions. */
const MAX_COPIES = 3;
/** Limit for the epsilon closure of one state. */
const MAX_VISITS = 4;

/** The automaton for `pattern` with `flags`. Throws a SyntaxError if `pattern` is invalid. */
export function automatonOf(pattern: string, flags: string): Automaton {
  const parsed = new RegExpParser({ ecmaVersion: 2025 }).parsePattern(pattern, 0, pattern.length, {
    unicode: flags.includes('u'),
    unicodeSets: flags.includes('v'),
  });
  return new Builder(pattern, flags).automaton(parsed);
}

class Builder {
  readonly #flags: string;
  readonly #characters: readonly string[];
  readonly #all: bigint;
  readonly #steps: Step[][] = [];
  readonly #taking: ({ readonly text: string; readonly takes: bigint; readonly to: number } | undefined)[] = [];

  constructor(pattern: string, flags: string) {
    this.#flags = flags;
    this.#characters = charactersFor(pattern);
    this.#all = (1n << BigInt(this.#characters.length)) - 1n;
  }

  automaton(pattern: AST.Pattern): Automaton {
    const start = this.#state();
    const end = this.#anyOf(pattern.alternatives, start);
    const closures = new Map<string, { positions: Map<number, number>; isEnd: boolean }>();
    const closure = (from: number, isFirst: boolean) => {
      const key = `${from}${isFirst}`;
      const known = closures.get(key) ?? this.#closure(from, end, isFirst);
      closures.set(key, known);
      return known;
    };
    const numbers = new Map<number, number>();
    const positions: Position[] = [{ text: '', takes: this.#all, next: new Map(), isEnd: false }];
    const follow = (from: number, isFirst: boolean): Map<number, number> => {
      const next = new Map<number, number>();
      for (const [state, ways] of closure(from, isFirst).positions) next.set(place(state), ways);
      return next;
    };
    const place = (state: number): number => {
      const known = numbers.get(state);
      const taking = this.#taking[state];
      if (known !== undefined || taking === undefined) return known ?? 0;
      const { isEnd } = closure(taking.to, false);
      const position: Position = { text: taking.text, takes: taking.takes, next: new Map(), isEnd };
      const number = positions.push(position) - 1;
      numbers.set(state, number);
      position.next = follow(taking.to, false);
      return number;
    };
    const search = positions[0];
    if (search === undefined) return positions;
    // Positions reachable only from the first character belong to the automaton too.
    follow(start, true);
    search.next = new Map([[0, 1], ...follow(start, false)]);
    return positions;
  }

  #state(): number {
    this.#steps.push([]);
    return this.#taking.push(undefined) - 1;
  }

  #step(from: number, to: number, { mayFail = false, atStart = false } = {}): void {
    this.#steps[from]?.push({ to, mayFail, atStart });
  }

  #anyOf(alternatives: readonly AST.Alternative[], from: number): number {
    const end = this.#state();
    for (const { elements } of alternatives) {
      const start = this.#state();
      this.#step(from, start);
      this.#step(
        elements.reduce((at, element) => this.#element(element, at), start),
        end,
      );
    }
    return end;
  }

  #element(element: AST.Element, from: number): number {
    switch (element.type) {
      case 'Group':
      case 'CapturingGroup':
        return this.#anyOf(element.alternatives, from);
      case 'Quantifier':
        return this.#repeated(element, from);
      case 'Assertion':
        return this.#assertion(element, from);
      case 'Backreference':
        return this.#loop(from, true, (start) => this.#take(element.raw, this.#all, start));
      case 'Character':
      case 'CharacterSet':
      case 'CharacterClass':
      case 'ExpressionCharacterClass':
        return this.#take(element.raw, this.#taken(element.raw), from);
      default:
        element satisfies never;
        throw new SyntaxError('an element of an unknown kind');
    }
  }

  #take(text: string, takes: bigint, from: number): number {
    const [start, to] = [this.#state(), this.#state()];
    this.#step(from, start);
    this.#taking[start] = { text, takes, to };
    return to;
  }

  #repeated({ min, max, element }: AST.Quantifier, from: number): number {
    const appendElement = (start: number) => this.#element(element, start);
    // A nested repetition has more paths than iterations.
    const isLoop = max > (isVariable(element) ? 1 : MAX_BOUNDED);
    let at = from;
    for (let copies = Math.min(isLoop ? min - 1 : min, MAX_COPIES); copies > 0; copies--) at = appendElement(at);
    if (isLoop) return this.#loop(at, min === 0, appendElement);
    const end = this.#state();
    this.#step(at, end);
    for (let copies = Math.min(max - min, MAX_COPIES); copies > 0; copies--) {
      at = appendElement(at);
      this.#step(at, end);
    }
    return end;
  }

  #loop(from: number, mayBeNone: boolean, body: (start: number) => number): number {
    const [start, end] = [this.#state(), this.#state()];
    this.#step(from, start);
    if (mayBeNone) this.#step(from, end);
    const after = body(start);
    this.#step(after, start);
    this.#step(after, end);
    return end;
  }

  /** Lookarounds are traversed as well, without a continuation. */
  #assertion(assertion: AST.Assertion, from: number): number {
    const end = this.#state();
    const isStart = assertion.kind === 'start' && !this.#flags.includes('m');
    this.#step(from, end, { mayFail: !isStart, atStart: isStart });
    if (assertion.kind === 'lookahead') this.#anyOf(assertion.alternatives, from);
    // A lookbehind scans backwards from each character where it is tried.
    else if (assertion.kind === 'lookbehind' && assertion.alternatives.some(isUnbounded))
      this.#loop(from, false, (start) => this.#take(assertion.raw, this.#all, start));
    return end;
  }

  #taken(raw: string): bigint {
    const expression = new RegExp(`^(?:${raw})$`, this.#flags.replace(/[gmyd]/g, ''));
    return this.#characters.reduce((mask, char, i) => (expression.test(char) ? mask | (1n << BigInt(i)) : mask), 0n);
  }

  #closure(from: number, end: number, isFirst: boolean): { positions: Map<number, number>; isEnd: boolean } {
    const positions = new Map<number, number>();
    const visits = new Map<string, number>();
    /** Visits to each state on the current path: a repetition may iterate again without matching a character. */
    const path = new Map<number, number>();
    let isEnd = false;
    const visit = (state: number, mayFail: boolean): void => {
      const key = `${state}${mayFail}`;
      const times = visits.get(key) ?? 0;
      const onPath = path.get(state) ?? 0;
      if (onPath === 2 || times === MAX_VISITS) return;
      visits.set(key, times + 1);
      path.set(state, onPath + 1);
      if (state === end && !mayFail) isEnd = true;
      if (this.#taking[state]) positions.set(state, Math.min(2, (positions.get(state) ?? 0) + 1));
      for (const step of this.#steps[state] ?? []) {
        if (isFirst || !step.atStart) visit(step.to, mayFail || step.mayFail);
      }
      path.set(state, onPath);
    };
    visit(from, false);
    return { positions, isEnd };
  }
}

function isVariable(node: AST.Node): boolean {
  if (node.type === 'Quantifier') return node.max > node.min || isVariable(node.element);
  if (node.type === 'Group' || node.type === 'CapturingGroup')
    return node.alternatives.some(({ elements }) => elements.some(isVariable));
  return false;
}

function isUnbounded(node: AST.Node): boolean {
  if (node.type === 'Quantifier') return node.max > MAX_BOUNDED || isUnbounded(node.element);
  if (node.type === 'Alternative') return node.elements.some(isUnbounded);
  if (node.type === 'Group' || node.type === 'CapturingGroup') return node.alternatives.some(isUnbounded);
  return false;
}

/** One character of each kind that classes distinguish, plus the characters in the expression and their neighbours. */
function charactersFor(pattern: string): readonly string[] {
  const codes = new Set(Array.from({ length: 128 }, (_, code) => code));
  for (const code of [0xa0, 0xb5, 0xe9, 0x17f, 0x3b1, 0x212a, 0x2028, 0x4e2d, 0xfeff]) codes.add(code);
  for (const char of pattern) {
    const code = char.codePointAt(0) ?? 0;
    if (code >= 128) for (const near of [code - 1, code, code + 1]) codes.add(near);
  }
  for (const [, hex = ''] of pattern.matchAll(/\\(?:u\{?|x)([0-9a-fA-F]{2,6})/g)) {
    const code = Number.parseInt(hex, 16);
    for (const near of [code - 1, code, code + 1]) if (near >= 0 && near <= 0xffff) codes.add(near);
  }
  return [...codes].map((code) => String.fromCodePoint(code));
}
