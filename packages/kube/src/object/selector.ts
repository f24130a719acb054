import { badRequest } from './api-error.ts';
import { labelValueErrors, qualifiedNameErrors } from './names.ts';

/** `metav1.LabelSelector`. */
export interface LabelSelector {
  readonly matchLabels?: Readonly<Record<string, string>>;
  readonly matchExpressions?: readonly LabelSelectorRequirement[];
}

export interface LabelSelectorRequirement {
  readonly key: string;
  readonly operator: string;
  readonly values?: readonly string[];
}

type Operator = 'in' | 'notin' | '=' | '==' | '!=' | 'gt' | 'lt' | 'exists' | '!';

/** One condition of a label selector. */
export interface Requirement {
  readonly key: string;
  readonly operator: Operator;
  /** Sorted, without duplicates. */
  readonly values: readonly string[];
}

type Labels = Readonly<Record<string, string>> | undefined;

/** A compiled label selector: an object must meet every requirement. */
export interface LabelMatcher {
  readonly requirements: readonly Requirement[];
  /** True for the selector of a null LabelSelector, which matches no object. */
  readonly matchesNothing: boolean;
}

const EVERYTHING: LabelMatcher = { requirements: [], matchesNothing: false };
const NOTHING: LabelMatcher = { requirements: [], matchesNothing: true };
const BINARY_OPERATORS = 'in, notin, =, ==, !=, gt, lt';
const INTEGER = /^[-+]?\d+$/;

export function matchesLabels(matcher: LabelMatcher, labels: Labels): boolean {
  if (matcher.matchesNothing) return false;
  for (const requirement of matcher.requirements) {
    if (!matchesRequirement(requirement, labels)) return false;
  }
  return true;
}

/**
 * Compiles a LabelSelector object. A missing selector matches nothing, an empty selector everything. Throws BadRequest.
 */
export function compileLabelSelector(selector: LabelSelector | null | undefined): LabelMatcher {
  if (selector == null) return NOTHING;
  const requirements = Object.entries(selector.matchLabels ?? {}).map(([key, value]) => requirement(key, '=', [value]));
  for (const { key, operator, values = [] } of selector.matchExpressions ?? []) {
    requirements.push(requirement(key, operatorOf(operator), values));
  }
  return requirements.length === 0 ? EVERYTHING : { requirements: sorted(requirements), matchesNothing: false };
}

/** Parses a `labelSelector`: `app=web,tier in (a,b),!legacy`. Throws BadRequest with apimachinery's messages. */
export function parseLabelSelector(text: string): LabelMatcher {
  if (text.trim() === '') return EVERYTHING;
  return { requirements: sorted(new Parser(text).parse()), matchesNothing: false };
}

/** The text that parses to the same selector, as in `status.selector` of the scale subresource. */
export function formatLabelMatcher(matcher: LabelMatcher): string {
  return matcher.requirements.map(formatRequirement).join(',');
}

function formatRequirement({ key, operator, values }: Requirement): string {
  switch (operator) {
    case 'exists':
      return key;
    case '!':
      return `!${key}`;
    case 'in':
    case 'notin':
      return `${key} ${operator} (${values.join(',')})`;
    case 'gt':
      return `${key}>${values.join()}`;
    case 'lt':
      return `${key}<${values.join()}`;
    case '=':
    case '==':
    case '!=':
      break;
  }
  return `${key}${operator}${values.join()}`;
}

function matchesRequirement({ key, operator, values }: Requirement, labels: Labels): boolean {
  const value = labels !== undefined && Object.hasOwn(labels, key) ? labels[key] : undefined;
  switch (operator) {
    case 'in':
    case '=':
    case '==':
      return value !== undefined && values.includes(value);
    case 'notin':
    case '!=':
      return value === undefined || !values.includes(value);
    case 'exists':
      return value !== undefined;
    case '!':
      return value === undefined;
    case 'gt':
    case 'lt':
      break;
  }
  return (
    value !== undefined && INTEGER.test(value) && satisfiesComparison(operator, BigInt(value), BigInt(values[0] ?? 0))
  );
}

function satisfiesComparison(operator: 'gt' | 'lt', value: bigint, limit: bigint): boolean {
  return operator === 'gt' ? value > limit : value < limit;
}

function operatorOf(name: string): Operator {
  switch (name) {
    case 'In':
      return 'in';
    case 'NotIn':
      return 'notin';
    case 'Exists':
      return 'exists';
    case 'DoesNotExist':
      return '!';
    default:
      throw badRequest(`${JSON.stringify(name)} is not a valid label selector operator`);
  }
}

function requirement(key: string, operator: Operator, values: readonly string[]): Requirement {
  const keyErrors = qualifiedNameErrors(key);
  if (keyErrors.length > 0) throw badRequest(`key: Invalid value: ${JSON.stringify(key)}: ${keyErrors.join('; ')}`);
  const countProblem = countError(operator, values);
  if (countProblem !== undefined) throw badRequest(`values: Invalid value: ${JSON.stringify(values)}: ${countProblem}`);
  for (const [index, value] of values.entries()) {
    if ((operator === 'gt' || operator === 'lt') && !INTEGER.test(value)) {
      const detail = "for 'Gt', 'Lt' operators, the value must be an integer";
      throw badRequest(`values[${index}]: Invalid value: ${JSON.stringify(value)}: ${detail}`);
    }
    const errors = labelValueErrors(value);
    if (errors.length > 0) {
      throw badRequest(`values[${index}][${key}]: Invalid value: ${JSON.stringify(value)}: ${errors.join('; ')}`);
    }
  }
  return { key, operator, values: [...new Set(values)].sort() };
}

function countError(operator: Operator, { length }: readonly string[]): string | undefined {
  switch (operator) {
    case 'in':
    case 'notin':
      return length === 0 ? "for 'in', 'notin' operators, values set can't be empty" : undefined;
    case '=':
    case '==':
    case '!=':
      return length === 1 ? undefined : 'exact-match compatibility requires one single value';
    case 'exists':
    case '!':
      return length === 0 ? undefined : 'values set must be empty for exists and does not exist';
    case 'gt':
    case 'lt':
      break;
  }
  return length === 1 ? undefined : "for 'Gt', 'Lt' operators, exactly one value is required";
}

function sorted(requirements: Requirement[]): Requirement[] {
  return requirements.sort((left, right) => (left.key < right.key ? -1 : Number(left.key > right.key)));
}

interface Token {
  readonly kind: 'word' | 'symbol' | 'end' | 'error';
  readonly text: string;
}

const SPECIAL = new Set('=!(),><');
const SYMBOLS = new Set([')', ',', '!', '==', '=', '>', '<', '!=', '(']);
const END: Token = { kind: 'end', text: '' };

function tokensOf(text: string): Token[] {
  const tokens: Token[] = [];
  for (const [run] of text.matchAll(/[=!(),><]+|[^=!(),><\s]+/g)) {
    if (!SPECIAL.has(run.charAt(0))) {
      tokens.push({ kind: 'word', text: run });
      continue;
    }
    let rest = run;
    while (rest !== '') {
      const symbol = [rest.slice(0, 2), rest.slice(0, 1)].find((candidate) => SYMBOLS.has(candidate)) ?? rest;
      tokens.push({ kind: 'symbol', text: symbol });
      rest = rest.slice(symbol.length);
    }
  }
  return tokens;
}

/** Recursive descent over the grammar in the comment of apimachinery's `labels.Parse`. */
class Parser {
  readonly #tokens: Token[];
  #position = 0;

  constructor(text: string) {
    this.#tokens = tokensOf(text);
  }

  parse(): Requirement[] {
    const requirements: Requirement[] = [];
    for (;;) {
      const next = this.#peek();
      if (next.kind === 'end') return requirements;
      if (next.kind !== 'word' && next.text !== '!') {
        throw badRequest(`found '${next.text}', expected: !, identifier, or 'end of string'`);
      }
      requirements.push(this.#requirement());
      const separator = this.#consume();
      if (separator.kind === 'end') return requirements;
      if (separator.text !== ',') throw badRequest(`found '${separator.text}', expected: ',' or 'end of string'`);
      const nextToken = this.#peek();
      if (nextToken.kind !== 'word' && nextToken.text !== '!') {
        throw badRequest(`found '${nextToken.text}', expected: identifier after ','`);
      }
    }
  }

  #requirement(): Requirement {
    const negated = this.#peek().text === '!' && this.#consume() !== END;
    const key = this.#consume();
    if (key.kind !== 'word') throw requirementError(`found '${key.text}', expected: identifier`);
    const keyErrors = qualifiedNameErrors(key.text);
    if (keyErrors.length > 0) {
      throw requirementError(`<nil>: Invalid value: ${JSON.stringify(key.text)}: ${keyErrors.join('; ')}`);
    }
    const next = this.#peek();
    if (negated) return requirement(key.text, '!', []);
    if (next.kind === 'end' || next.text === ',') return requirement(key.text, 'exists', []);
    const operator = this.#operator();
    const values = operator === 'in' || operator === 'notin' ? this.#set() : [this.#exactValue()];
    try {
      return requirement(key.text, operator, values);
    } catch (error) {
      throw requirementError((error as Error).message);
    }
  }

  #operator(): Operator {
    const { text } = this.#consume();
    switch (text) {
      case 'in':
      case 'notin':
      case '=':
      case '==':
      case '!=':
        return text;
      case '>':
        return 'gt';
      case '<':
        return 'lt';
      default:
        throw requirementError(`found '${text}', expected: ${BINARY_OPERATORS}`);
    }
  }

  #exactValue(): string {
    const next = this.#peek();
    if (next.kind === 'end' || next.text === ',') return '';
    this.#consume();
    if (next.kind !== 'word') throw requirementError(`found '${next.text}', expected: identifier`);
    return next.text;
  }

  /** `(a,b)`; values may be empty: `(,a)` and `()` contain the empty value. */
  #set(): string[] {
    const open = this.#consume();
    if (open.text !== '(') throw requirementError(`found '${open.text}' expected: '('`);
    const values: string[] = [];
    let current = '';
    for (;;) {
      const { kind, text } = this.#consume();
      if (kind === 'word' && current === '') current = text;
      else if (text === ',' || text === ')') {
        values.push(current);
        current = '';
        if (text === ')') return values;
      } else throw requirementError(`found '${text}', expected: ',' or ')'`);
    }
  }

  #peek(): Token {
    return this.#tokens[this.#position] ?? END;
  }

  #consume(): Token {
    const token = this.#peek();
    this.#position++;
    return token;
  }
}

function requirementError(detail: string): Error {
  return badRequest(`unable to parse requirement: ${detail}`);
}
