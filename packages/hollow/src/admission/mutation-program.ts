import { builtinDefinitions } from '@fairway/apiserver/kinds/definitions';
import { PARAMETERIZED_VARIABLES, POLICY_VARIABLES } from '@fairway/apiserver/kinds/registration/policy-variables';
import { applyJsonPatch } from '@fairway/apiserver/patch/json-patch';
import { mergeTyped } from '@fairway/apiserver/patch/merge-typed';
import { type CelExpression, compileExpression } from '@fairway/apiserver/schema/cel-expression';
import { objectLiteralsAsMaps } from '@fairway/apiserver/schema/cel-object-literals';
import { objectSchemaOf } from '@fairway/apiserver/schema/resolve';
import type { AdmissionRequest, WriteInProgress } from '@fairway/apiserver/server/admission';
import type { MutatingAdmissionPolicy } from '@fairway/kube/kinds/generated/types';
import { ApiError } from '@fairway/kube/object/api-error';
import { isJsonObject, jsonEqual } from '@fairway/kube/object/json';
import type { Json, KubeObject } from '@fairway/kube/object/meta';
import { budgetOf } from './policy-program.ts';
import { type PolicyContext, PolicyValues, run } from './policy-values.ts';

interface CompiledMutation {
  readonly patchType: string;
  readonly expression: CelExpression;
}

/** The expressions in a MutatingAdmissionPolicy, compiled once. */
export class MutationProgram {
  readonly #conditions: readonly CelExpression[];
  readonly #variables: readonly (readonly [name: string, expression: CelExpression])[];
  readonly #mutations: readonly CompiledMutation[];

  constructor({ spec }: MutatingAdmissionPolicy) {
    const variables = spec.paramKind === undefined ? POLICY_VARIABLES : PARAMETERIZED_VARIABLES;
    const compile = (text: string) => compileExpression(objectLiteralsAsMaps(text), variables);
    this.#conditions = (spec.matchConditions ?? []).map(({ expression }) => compile(expression));
    this.#variables = (spec.variables ?? []).map(({ name, expression }) => [name, compile(expression)]);
    this.#mutations = (spec.mutations ?? []).map(({ patchType, applyConfiguration, jsonPatch }) => ({
      patchType,
      expression: compile(applyConfiguration?.expression ?? jsonPatch?.expression ?? ''),
    }));
  }

  /** Applies the mutations in order and returns whether they changed anything. Throws if an expression fails or a patch does not apply. */
  apply(request: AdmissionRequest, write: WriteInProgress, context: PolicyContext): boolean {
    const budget = budgetOf(request);
    let isChanged = false;
    const seen = (): PolicyValues => {
      const values = new PolicyValues(request, context, budget);
      for (const [name, expression] of this.#variables) values.define(name, () => run(expression, values, budget));
      return values;
    };
    const first = new PolicyValues(request, context, budget);
    if (!this.#conditions.every((condition) => run(condition, first, budget) === true)) return false;
    for (const { patchType, expression } of this.#mutations) {
      const { object } = request;
      if (object === undefined) return isChanged;
      const result = jsonOf(run(expression, seen(), budget));
      const before = structuredClone(object);
      write.replaceObject(patchType === 'JSONPatch' ? applyPatch(object, result) : merged(request, object, result));
      isChanged ||= !jsonEqual(before, object);
    }
    return isChanged;
  }
}

function applyPatch(object: KubeObject, operations: Json): KubeObject {
  try {
    return applyJsonPatch(object as unknown as Json, operations) as unknown as KubeObject;
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    throw new Error(`JSON Patch: ${error.causes[0]?.message ?? error.message}`, { cause: error });
  }
}

/** Merges the expression's result into the object as an apply would: lists are merged by their keys. */
function merged({ resource }: AdmissionRequest, object: KubeObject, configuration: Json): KubeObject {
  if (!isJsonObject(configuration)) throw new Error('unsupported return type from ApplyConfiguration expression');
  const definitions = builtinDefinitions();
  const schema = objectSchemaOf(resource.schema, definitions);
  return mergeTyped(schema, object as unknown as Json, configuration, definitions) as unknown as KubeObject;
}

/** A CEL result as JSON. */
function jsonOf(value: unknown): Json {
  if (value === null || typeof value === 'string' || typeof value === 'boolean' || typeof value === 'number')
    return value;
  if (typeof value === 'bigint') return Number(value);
  if (Array.isArray(value)) return value.map(jsonOf);
  const entries = value instanceof Map ? [...value] : isPlain(value) ? Object.entries(value) : undefined;
  if (entries === undefined) throw new Error('the expression evaluated to a type that could not marshal to JSON');
  return Object.fromEntries(entries.map(([key, member]) => [String(key), jsonOf(member)]));
}

function isPlain(value: unknown): value is object {
  if (typeof value !== 'object' || value === null) return false;
  return value.constructor === Object || value.constructor === undefined;
}
