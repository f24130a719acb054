import type { Environment } from '@marcbachmann/cel-js';
import { type Bindings, type CelType, DYN, isAssignable, joinTypes, parseCelType, resolved } from './cel-types.ts';

/** One overload of a function or operator. The receiver of a method is its first operand. */
interface Signature {
  readonly operands: readonly CelType[];
  readonly result: CelType;
}

/** Overloads by name, number of operands, and kind: method or function. */
export class Signatures {
  readonly #byKey = new Map<string, Signature[]>();
  readonly #names = new Set<string>();

  /** Signatures of all functions in an environment. */
  static of(environment: Environment): Signatures {
    const signatures = new Signatures();
    for (const { name, receiverType, returnType, params } of environment.getDefinitions().functions) {
      const operands = params.map(({ type }) => type);
      // Macros have no signature.
      if (operands.includes('ast')) continue;
      const isMethod = receiverType !== null;
      signatures.#add(name, isMethod, isMethod ? [receiverType, ...operands] : operands, returnType);
    }
    return signatures;
  }

  /** Signatures of CEL's operators. */
  static forOperators(): Signatures {
    const signatures = new Signatures();
    for (const [operators, left, right, result] of OPERATORS) {
      for (const operator of operators.split(' ')) {
        signatures.#add(operator, false, right === undefined ? [left] : [left, right], result);
      }
    }
    return signatures;
  }

  has(name: string): boolean {
    return this.#names.has(name);
  }

  /** The result type of a call with these operands: dynamic if several overloads may apply; undefined if none does. */
  resultOf(name: string, operands: readonly CelType[], isMethod = false): CelType | undefined {
    let found: CelType | undefined;
    for (const { operands: declared, result } of this.#byKey.get(keyOf(name, operands.length, isMethod)) ?? []) {
      const bindings: Bindings = new Map();
      if (!declared.every((type, index) => isAssignable(type, operands[index] ?? DYN, bindings))) continue;
      const one = resolved(result, bindings);
      found = found === undefined ? one : (joinTypes(found, one) ?? DYN);
    }
    return found;
  }

  #add(name: string, isMethod: boolean, operands: readonly string[], result: string): void {
    const key = keyOf(name, operands.length, isMethod);
    const known = this.#byKey.get(key) ?? [];
    known.push({ operands: operands.map(parseCelType), result: parseCelType(result) });
    this.#byKey.set(key, known);
    this.#names.add(name);
  }
}

function keyOf(name: string, operands: number, isMethod: boolean): string {
  return `${isMethod ? '.' : ''}${name}/${operands}`;
}

type Operator = readonly [operators: string, left: string, right: string | undefined, result: string];

const TIME = 'google.protobuf.Timestamp';
const DURATION = 'google.protobuf.Duration';
const NUMBERS = ['int', 'uint', 'double'];
const COMPARISONS = '< <= > >=';

const OPERATORS: readonly Operator[] = [
  ['== !=', 'A', 'A', 'bool'],
  ['in', 'A', 'list<A>', 'bool'],
  ['in', 'A', 'map<A, B>', 'bool'],
  ['!', 'bool', undefined, 'bool'],
  ['-', 'int', undefined, 'int'],
  ['-', 'double', undefined, 'double'],
  ['-', DURATION, undefined, DURATION],
  ['&& ||', 'bool', 'bool', 'bool'],
  ...['bool', 'string', 'bytes', TIME, DURATION].map((type): Operator => [COMPARISONS, type, type, 'bool']),
  ...NUMBERS.flatMap((left) => NUMBERS.map((right): Operator => [COMPARISONS, left, right, 'bool'])),
  ...NUMBERS.map((type): Operator => ['+ - * /', type, type, type]),
  ...['int', 'uint'].map((type): Operator => ['%', type, type, type]),
  ...['string', 'bytes', 'list<A>'].map((type): Operator => ['+', type, type, type]),
  ['+ -', DURATION, DURATION, DURATION],
  ['+ -', TIME, DURATION, TIME],
  ['+', DURATION, TIME, TIME],
  ['-', TIME, TIME, DURATION],
];
