import { TypeError as CelTypeError, ParseError } from '@marcbachmann/cel-js';
import { countCosts } from './cel-costs.ts';
import { environmentFor } from './cel-environment.ts';
import { allowAnyHas } from './cel-has.ts';
import { unusableKeys } from './cel-type-check.ts';
import type { Schema, ValidationRule } from './schema.ts';

/** Rules in well-known definitions have up to 2,000 characters. */
const MAX_RULE_CHARS = 10_000;

type Program = (context: { self: unknown; oldSelf?: unknown }) => unknown;

/** A compiled rule of a schema, or its compile error. */
export interface CompiledRule {
  readonly rule: ValidationRule;
  readonly program: Program | undefined;
  readonly messageProgram: Program | undefined;
  /** Whether it uses the old value, and therefore only runs on updates. */
  readonly usesOldSelf: boolean;
  /** Why `rule` or `messageExpression` cannot be compiled. */
  readonly error: string | undefined;
  readonly messageError: string | undefined;
}

const compiledRules = new WeakMap<Schema, readonly CompiledRule[]>();

/** The rules of one level of a schema, compiled on first use. */
export function compileRules(schema: Schema): readonly CompiledRule[] {
  let rules = compiledRules.get(schema);
  if (rules === undefined) {
    rules = (schema['x-kubernetes-validations'] ?? []).map((rule) => compileRule(rule, schema));
    compiledRules.set(schema, rules);
  }
  return rules;
}

function compileRule(rule: ValidationRule, schema: Schema): CompiledRule {
  const main = compile(rule.rule, schema, rule, 'bool');
  const message =
    rule.messageExpression === undefined ? undefined : compile(rule.messageExpression, schema, rule, 'string');
  return {
    rule,
    program: main.program,
    messageProgram: message?.program,
    usesOldSelf: main.usesOldSelf,
    error: main.error,
    messageError: message?.error,
  };
}

interface CompilationResult {
  readonly program: Program | undefined;
  readonly usesOldSelf: boolean;
  readonly error: string | undefined;
}

function compile(
  text: string,
  schema: Schema,
  rule: ValidationRule,
  expectedType: 'bool' | 'string',
): CompilationResult {
  try {
    if (text.length > MAX_RULE_CHARS) {
      return failed(`the expression has ${text.length} characters, the limit is ${MAX_RULE_CHARS}`);
    }
    const keyProblem = unusableKeys(text, ['self', 'oldSelf']);
    if (keyProblem !== undefined) return failed(`compilation failed: ERROR: ${keyProblem}`);
    const program = environmentFor(selfTypeOf(schema), rule.optionalOldSelf === true).parse(text);
    allowAnyHas(program.ast);
    const checked = program.check();
    if (checked.error !== undefined) return failed(`compilation failed: ERROR: ${reasonOf(checked.error)}`);
    if (checked.type !== expectedType && checked.type !== 'dyn') {
      return failed(expectedType === 'bool' ? 'must evaluate to a bool' : 'must evaluate to a string');
    }
    countCosts(program.ast);
    return { program: program as Program, usesOldSelf: usesVariable(program.ast, 'oldSelf'), error: undefined };
  } catch (error) {
    if (error instanceof ParseError || error instanceof CelTypeError || error instanceof RangeError) {
      return failed(`compilation failed: ERROR: ${reasonOf(error)}`);
    }
    throw error;
  }
}

/** A RangeError means a stack overflow. */
function reasonOf(error: Error): string {
  return 'summary' in error ? String(error.summary) : 'the expression nests too deeply';
}

function failed(error: string): CompilationResult {
  return { program: undefined, usesOldSelf: false, error };
}

function selfTypeOf(schema: Schema): string {
  if (schema['x-kubernetes-int-or-string']) return 'dyn';
  switch (schema.type) {
    case 'boolean':
      return 'bool';
    case 'integer':
      return 'int';
    case 'number':
      return 'double';
    case 'string':
      return schema.format === undefined ? 'string' : 'dyn';
    case 'array':
    case 'object':
    case undefined:
      break;
  }
  return 'dyn';
}

/** Whether an expression refers to a variable anywhere. */
function usesVariable(node: unknown, variable: string): boolean {
  if (Array.isArray(node)) return node.some((part) => usesVariable(part, variable));
  if (typeof node !== 'object' || node === null || !('op' in node) || !('args' in node)) return false;
  return node.op === 'id' ? node.args === variable : usesVariable(node.args, variable);
}
