import type { Authorizer } from '@fairway/apiserver/auth/user';
import { CelAuthorizer } from '@fairway/apiserver/schema/cel-authorizer';
import { type CelBudget, CelCostError } from '@fairway/apiserver/schema/cel-budget';
import { type CelExpression, celValue } from '@fairway/apiserver/schema/cel-expression';
import type { AdmissionRequest } from '@fairway/apiserver/server/admission';
import { ServedResource } from '@fairway/apiserver/server/served-resource';
import type { KubeObject } from '@fairway/kube/object/meta';
import { kindIn, resourceIn } from './request-kind.ts';

/** Inputs to expressions in addition to the request. */
export interface PolicyContext {
  /** Checks user permissions. */
  readonly authorizer: Authorizer;
  /** Cost budget for the request. */
  readonly namespace?: KubeObject | undefined;
  readonly params?: KubeObject | undefined;
}

/** The variables of expressions, each computed and charged on first use. */
export class PolicyValues {
  /** The policy's variables. */
  readonly variables: Record<string, unknown> = {};
  readonly #request: AdmissionRequest;
  readonly #context: PolicyContext;
  readonly #budget: CelBudget;
  readonly #cachedValues = new Map<string, unknown>();

  constructor(request: AdmissionRequest, context: PolicyContext, budget: CelBudget) {
    this.#request = request;
    this.#context = context;
    this.#budget = budget;
  }

  /** Adds a policy variable. It is computed at most once, on first use; a failure is thrown at each use. */
  define(name: string, compute: () => unknown): void {
    let computed: { readonly value: unknown } | undefined;
    const get = () => {
      try {
        computed ??= { value: compute() };
        return computed.value;
      } catch (error) {
        if (error instanceof CelCostError) throw error;
        throw new Error(`composited variable "${name}" fails to evaluate: ${reasonOf(error)}`, { cause: error });
      }
    };
    Object.defineProperty(this.variables, name, { enumerable: true, configurable: true, get });
  }

  get object(): unknown {
    return this.#cached('object', () => this.#request.object);
  }

  get oldObject(): unknown {
    return this.#cached('oldObject', () => this.#request.oldObject);
  }

  get namespaceObject(): unknown {
    return this.#cached('namespaceObject', () => this.#context.namespace);
  }

  get params(): unknown {
    return this.#cached('params', () => this.#context.params);
  }

  get request(): unknown {
    return this.#cached('request', () => describe(this.#request));
  }

  get authorizer(): CelAuthorizer {
    const { resource, subresource, namespace, name, user } = this.#request;
    const { group, version, plural } = resource;
    const about = { group, version, resource: plural, subresource, namespace, name };
    return new CelAuthorizer(this.#context.authorizer, user, about);
  }

  #cached(name: string, source: () => unknown): unknown {
    let value = this.#cachedValues.get(name);
    if (value === undefined) {
      value = celValue(source(), this.#budget);
      this.#cachedValues.set(name, value);
    }
    return value;
  }
}

/** The variable `request`, like the request in an AdmissionReview. */
function describe(request: AdmissionRequest): object {
  const { resource, subresource, operation, user, dryRun, name, namespace, write } = request;
  const served = ServedResource.of(resource);
  const { username, uid = '', groups, extra = {} } = user;
  return {
    kind: kindIn(served, subresource),
    resource: resourceIn(served),
    subResource: subresource,
    requestKind: kindIn(served, subresource),
    requestResource: resourceIn(served),
    requestSubResource: subresource,
    name,
    namespace,
    operation,
    userInfo: { username, uid, groups, extra },
    dryRun,
    options: operation === 'CONNECT' ? null : (write?.options() ?? null),
  };
}

/** The message of an error, or its one-line summary if it has one. */
function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return 'summary' in error ? String(error.summary) : error.message;
}

export function run(expression: CelExpression, values: PolicyValues, budget: CelBudget): unknown {
  if (expression.error !== undefined) throw new Error(expression.error);
  return expression.run(values, budget);
}
