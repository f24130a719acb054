import { ParseError } from '@marcbachmann/cel-js';
import { environmentWith } from './cel-environment.ts';
import { type CelIssue, describeIssues } from './cel-issues.ts';
import { Signatures } from './cel-signatures.ts';
import {
  BOOL,
  type CelType,
  DYN,
  INT,
  joinTypes,
  listOf,
  mapOf,
  NULL,
  nameOf,
  optionalOf,
  parseCelType,
  STRING,
  simpleType,
} from './cel-types.ts';

/** A node of the library's syntax tree, without expanded macros. */
interface Node {
  readonly op: string;
  readonly args: unknown;
  readonly pos: number;
  readonly start: number;
  readonly end: number;
}

type Scope = ReadonlyMap<string, CelType>;

/** An expression that can be checked against different variable types. */
export class TypedExpression {
  readonly #text: string;
  readonly #root: Node | undefined;

  /** An unparsable expression is not checked here: compilation reports it. */
  constructor(text: string) {
    this.#text = text;
    try {
      this.#root = library().parse(text).ast as unknown as Node;
    } catch (error) {
      if (!(error instanceof ParseError || error instanceof RangeError)) throw error;
      this.#root = undefined;
    }
  }

  /** See the function `unusableKeys`. */
  keyProblem(variables: Scope): string | undefined {
    if (this.#root === undefined) return undefined;
    const check = new Check(this.#text);
    try {
      check.typeOf(this.#root, variables);
      return check.keyProblem;
    } catch (error) {
      if (error instanceof RangeError) return 'the expression nests too deeply';
      throw error;
    }
  }

  /** The expression's type, and its errors in cel-go's wording ('' if it has no errors). */
  check(variables: Scope): { readonly type: CelType; readonly problem: string } {
    if (this.#root === undefined) return { type: DYN, problem: '' };
    const check = new Check(this.#text);
    try {
      const type = check.typeOf(this.#root, variables);
      return { type, problem: describeIssues(this.#text, check.issues) };
    } catch (error) {
      // Stack overflow: such an expression is too deep to run.
      if (error instanceof RangeError) return { type: DYN, problem: '' };
      throw error;
    }
  }
}

/**
 * Why an expression's map keys are invalid for any variables; undefined if they are valid. Must be called before the
 * CEL library's check, which formats types: nested `{v: v}` double the length of the type at each level.
 */
export function unusableKeys(text: string, variables: readonly string[]): string | undefined {
  return new TypedExpression(text).keyProblem(new Map(variables.map((name) => [name, DYN])));
}

function library() {
  return environmentWith(['authorizer']);
}

const operators = Signatures.forOperators();
let functions: Signatures | undefined;
let constants: Scope | undefined;

function functionsOfLibrary(): Signatures {
  functions ??= Signatures.of(library());
  return functions;
}

/** Names available to expressions in addition to variables: types and namespaces of functions. */
function constantsOfLibrary(): Scope {
  constants ??= new Map(
    library()
      .getDefinitions()
      .variables.map(({ name, type }) => [name, parseCelType(type)]),
  );
  return constants;
}

/** Fields of types without a schema. */
const FIELD_TYPES: Readonly<Record<string, CelType | undefined>> = {
  'Authorizer.requestResource': simpleType('ResourceCheck'),
};

const QUANTIFIERS = new Set(['all', 'exists', 'exists_one']);

/** One pass over an expression. Invalid parts become dynamic, so no error is reported twice. */
class Check {
  readonly issues: CelIssue[] = [];
  keyProblem: string | undefined;
  readonly #text: string;

  constructor(text: string) {
    this.#text = text;
  }

  typeOf(node: Node, scope: Scope): CelType {
    const { op } = node;
    switch (op) {
      case 'value':
        return typeOfLiteral(node.args);
      case 'id':
        return this.#variable(node, scope);
      case '.':
      case '.?':
        return this.#field(node, scope);
      case '[]':
      case '[?]':
        return this.#index(node, scope);
      case 'call':
        return this.#call(node, scope);
      case 'rcall':
        return this.#method(node, scope);
      case 'list':
        return listOf(this.#commonType(node.args as Node[], scope));
      case 'map': {
        const entries = node.args as (readonly [Node, Node])[];
        const values = entries.map(([, value]) => value);
        return mapOf(this.#keys(entries, scope), this.#commonType(values, scope));
      }
      case '?:':
        return this.#conditional(node, scope);
      case '!_':
      case '-_':
        return this.#operation(op.charAt(0), op, [node.args as Node], node.start, scope);
      default: {
        const [left, right] = node.args as readonly [Node, Node];
        const at = this.#positionBetween(left, right, op);
        return this.#operation(op, op === 'in' ? '@in' : `_${op}_`, [left, right], at, scope);
      }
    }
  }

  #variable(node: Node, scope: Scope): CelType {
    const name = node.args as string;
    const type = scope.get(name) ?? constantsOfLibrary().get(name);
    return type ?? this.#wrong(node.start, `undeclared reference to '${name}' (in container '')`);
  }

  #field(node: Node, scope: Scope): CelType {
    const [operand, name] = node.args as readonly [Node, string];
    const type = this.#member(this.typeOf(operand, scope), name, this.#positionBefore(node.pos, '.'));
    return node.op === '.?' ? optionalOf(type) : type;
  }

  #member(type: CelType, name: string, at: number): CelType {
    if (type === DYN) return DYN;
    switch (type.kind) {
      case 'map':
        return type.value;
      case 'optional':
        return optionalOf(this.#member(type.value, name, at));
      case 'object':
        return type.field(name) ?? this.#wrong(at, `undefined field '${name}'`);
      case 'simple': {
        const field = FIELD_TYPES[`${type.name}.${name}`];
        if (field !== undefined) return field;
        break;
      }
      case 'list':
      case 'param':
        break;
    }
    return this.#wrong(at, `type '${nameOf(type)}' does not support field selection`);
  }

  #index(node: Node, scope: Scope): CelType {
    const [operand, key] = node.args as readonly [Node, Node];
    const at = this.#positionBetween(operand, key, '[');
    const type = this.typeOf(operand, scope);
    const keyType = this.typeOf(key, scope);
    const item = this.#item(type, keyType, key, at);
    return node.op === '[?]' ? optionalOf(item) : item;
  }

  #item(type: CelType, keyType: CelType, key: Node, at: number): CelType {
    if (type === DYN) return DYN;
    const isKey = (expected: CelType) => joinTypes(expected, keyType) !== undefined;
    if (type.kind === 'optional') return optionalOf(this.#item(type.value, keyType, key, at));
    if (type.kind === 'list' && isKey(INT)) return type.item;
    if (type.kind === 'map' && isKey(type.key)) return type.value;
    if (type.kind === 'object' && isKey(STRING)) {
      if (key.op !== 'value') return DYN;
      return type.field(key.args as string) ?? this.#wrong(at, `undefined field '${String(key.args)}'`);
    }
    return this.#noOverload(at, '_[_]', `(${nameOf(type)}, ${nameOf(keyType)})`);
  }

  #call(node: Node, scope: Scope): CelType {
    const [name, operands] = node.args as readonly [string, readonly Node[]];
    const at = this.#positionAfter(node.start, '(');
    const [selection] = operands;
    if (name === 'has' && selection?.op === '.') {
      // `has` tests for optional fields; using it on an undeclared field is an error.
      const [operand, field] = selection.args as readonly [Node, string];
      this.#member(this.typeOf(operand, scope), field, at);
      return BOOL;
    }
    if (!functionsOfLibrary().has(name)) {
      for (const operand of operands) this.typeOf(operand, scope);
      return this.#wrong(at, `undeclared reference to '${name}' (in container '')`);
    }
    const types = operands.map((operand) => this.typeOf(operand, scope));
    return functionsOfLibrary().resultOf(name, types) ?? this.#noOverload(at, name, `(${namesOf(types)})`);
  }

  #method(node: Node, scope: Scope): CelType {
    const [name, receiver, operands] = node.args as readonly [string, Node, readonly Node[]];
    const [first, second, third] = operands;
    if (first?.op === 'id' && second !== undefined) {
      const variable = first.args as string;
      if (name === 'bind' && third !== undefined && receiver.op === 'id' && receiver.args === 'cel') {
        return this.typeOf(third, new Map([...scope, [variable, this.typeOf(second, scope)]]));
      }
      if (QUANTIFIERS.has(name) || name === 'map' || name === 'filter') {
        return this.#comprehension(name, receiver, variable, second, third, scope);
      }
    }
    const type = this.typeOf(receiver, scope);
    const types = operands.map((operand) => this.typeOf(operand, scope));
    const result = alternative(name, type, types) ?? functionsOfLibrary().resultOf(name, [type, ...types], true);
    const at = this.#positionAfter(receiver.end, '(');
    return result ?? this.#noOverload(at, name, `${nameOf(type)}.(${namesOf(types)})`);
  }

  #comprehension(
    name: string,
    receiver: Node,
    variable: string,
    second: Node,
    third: Node | undefined,
    scope: Scope,
  ): CelType {
    const range = this.typeOf(receiver, scope);
    const inner = new Map([...scope, [variable, this.#itemsOf(range, receiver)]]);
    const isMapping = name === 'map';
    if (isMapping && third === undefined) return listOf(this.typeOf(second, inner));
    const condition = this.typeOf(second, inner);
    if (joinTypes(BOOL, condition) === undefined) {
      this.#wrong(second.start, `expected type 'bool' but found '${nameOf(condition)}'`);
    }
    if (isMapping && third !== undefined) return listOf(this.typeOf(third, inner));
    return name === 'filter' ? listOf(inner.get(variable) ?? DYN) : BOOL;
  }

  #itemsOf(range: CelType, receiver: Node): CelType {
    if (range === DYN) return DYN;
    if (range.kind === 'list') return range.item;
    if (range.kind === 'map') return range.key;
    if (range.kind === 'object') return STRING;
    const words = `expression of type '${nameOf(range)}' cannot be range of a comprehension (must be list, map, or dynamic)`;
    return this.#wrong(receiver.start, words);
  }

  #conditional(node: Node, scope: Scope): CelType {
    const [condition, yes, no] = node.args as readonly [Node, Node, Node];
    const types = [condition, yes, no].map((each) => this.typeOf(each, scope));
    const [tested = DYN, left = DYN, right = DYN] = types;
    const type = joinTypes(BOOL, tested) && joinTypes(left, right);
    return type ?? this.#noOverload(this.#positionBetween(condition, yes, '?'), '_?_:_', `(${namesOf(types)})`);
  }

  #operation(op: string, name: string, operands: readonly Node[], at: number, scope: Scope): CelType {
    const types = operands.map((operand) => this.typeOf(operand, scope));
    return operators.resultOf(op, types) ?? this.#noOverload(at, name, `(${namesOf(types)})`);
  }

  #keys(entries: readonly (readonly [Node, Node])[], scope: Scope): CelType {
    const types = entries.map(([key]) => this.typeOf(key, scope));
    const unusable = types.findIndex(({ kind }) => kind !== 'simple');
    const [key] = entries[unusable] ?? [];
    if (key === undefined) return commonOf(types);
    this.keyProblem ??= `unsupported key type: ${nameOf(types[unusable] ?? DYN)}`;
    return this.#wrong(key.start, this.keyProblem);
  }

  /** The common type of all nodes. */
  #commonType(nodes: readonly Node[], scope: Scope): CelType {
    return commonOf(nodes.map((each) => this.typeOf(each, scope)));
  }

  #noOverload(at: number, name: string, operands: string): CelType {
    return this.#wrong(at, `found no matching overload for '${name}' applied to '${operands}'`);
  }

  #wrong(at: number, message: string): CelType {
    this.issues.push({ at, message });
    return DYN;
  }

  /** Position of an operator. */
  #positionBetween(left: Node, right: Node, operator: string): number {
    const at = this.#text.indexOf(operator, left.end);
    return at === -1 || at > right.start ? left.start : at;
  }

  #positionBefore(position: number, token: string): number {
    const at = this.#text.lastIndexOf(token, position - 1);
    return at === -1 ? position : at;
  }

  #positionAfter(position: number, token: string): number {
    const at = this.#text.indexOf(token, position);
    return at === -1 ? position : at;
  }
}

/** For `or` and `orValue`, which the library implements as macros. */
function alternative(name: string, type: CelType, [other]: readonly CelType[]): CelType | undefined {
  if (other === undefined || (name !== 'or' && name !== 'orValue')) return undefined;
  if (type === DYN) return DYN;
  if (type.kind !== 'optional') return undefined;
  return name === 'or' ? joinTypes(type, other) : joinTypes(type.value, other);
}

function commonOf([first, ...others]: readonly CelType[]): CelType {
  return others.reduce<CelType>((type, other) => joinTypes(type, other) ?? DYN, first ?? DYN);
}

function namesOf(types: readonly CelType[]): string {
  return types.map(nameOf).join(', ');
}

function typeOfLiteral(value: unknown): CelType {
  if (value === null) return NULL;
  if (value instanceof Uint8Array) return simpleType('bytes');
  // The only other object that a literal can be is an unsigned integer.
  return LITERAL_TYPES[typeof value] ?? simpleType('uint');
}

const LITERAL_TYPES: Readonly<Record<string, CelType | undefined>> = {
  string: STRING,
  bigint: INT,
  number: simpleType('double'),
  boolean: BOOL,
};
