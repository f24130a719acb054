import { isJsonArray, isJsonObject } from '@fairway/kube/object/json';

/**
 * Cost limits for rules in Kubernetes' units (k8s.io/apiserver/pkg/apis/cel): one per operation, per item that an
 * operation visits, and per ten characters.
 */
const MAX_RULE_COST = 1_000_000;
const MAX_OBJECT_COST = 10_000_000;
/**
 * Joint cost limit for all policies and conditions of one request: a policy is evaluated with each of its parameters,
 * of which there may be thousands.
 */
const MAX_REQUEST_COST = 20_000_000;

const CHARS_PER_UNIT = 10;

/** Thrown when a rule, or all rules of an object, exceed the cost limit. */
export class CelCostError extends Error {
  override readonly name = 'CelCostError';
  readonly of: 'rule' | 'object';

  constructor(of: 'rule' | 'object') {
    super(`operation cancelled: actual cost limit exceeded`);
    this.of = of;
  }
}

/** A limit shared by several budgets. */
export class CelAllowance {
  left = MAX_REQUEST_COST;
}

/** Counts the cost of one object's rules. */
export class CelBudget {
  readonly #allowance: CelAllowance | undefined;
  #left = MAX_OBJECT_COST;
  #ruleLeft = 0;
  #exceeded: CelCostError | undefined;

  constructor(allowance?: CelAllowance) {
    this.#allowance = allowance;
  }

  /**
   * Runs a rule, whose operations are charged to this budget. May be nested in another budget, whose limit is restored
   * afterwards. Throws a CelCostError.
   */
  run<T>(program: () => T): T {
    const outer = this.#ruleLeft;
    this.#ruleLeft = MAX_RULE_COST;
    try {
      const result = underBudget(this, program);
      // Evaluation continues after an error if the other side of an "or" may succeed.
      if (this.#exceeded !== undefined) throw this.#exceeded;
      return result;
    } finally {
      this.#ruleLeft = outer;
    }
  }

  /** Once the limit is exceeded, always throws the same error, because loops encounter it at each item. */
  charge(units: number): void {
    if (running === this) this.#ruleLeft -= units;
    this.#chargeObject(units);
  }

  /** Charges the conversion of a rule's value, which is not part of the rule's own cost. */
  chargeValue(value: unknown): void {
    this.#chargeObject(deepCost(value, this.#objectLeft));
  }

  #chargeObject(units: number): void {
    this.#left -= units;
    if (this.#allowance !== undefined) this.#allowance.left -= units;
    if (this.#objectLeft >= 0 && (running !== this || this.#ruleLeft >= 0)) return;
    this.#exceeded ??= new CelCostError(this.#objectLeft < 0 ? 'object' : 'rule');
    throw this.#exceeded;
  }

  get isExceeded(): boolean {
    return this.#exceeded !== undefined;
  }

  /** The remaining budget of the rule. */
  get left(): number {
    return Math.min(this.#ruleLeft, this.#objectLeft);
  }

  get #objectLeft(): number {
    return Math.min(this.#left, this.#allowance?.left ?? this.#left);
  }
}

/** Set while a rule runs; rules run without interruption, one at a time. */
let running: CelBudget | undefined;

function underBudget<T>(budget: CelBudget, program: () => T): T {
  const outer = running;
  running = budget;
  try {
    return program();
  } finally {
    running = outer;
  }
}

/** Charges the running rule. */
export function charge(units: number): void {
  running?.charge(units);
}

export function charsCost(chars: number): number {
  return Math.ceil(chars / CHARS_PER_UNIT);
}

/** Charges one unit for each nested value, and one for every ten characters of a string. */
export function chargeDeep(value: unknown): void {
  charge(deepCost(value, running?.left ?? Number.POSITIVE_INFINITY));
}

/** Stops as soon as the cost exceeds `limit`: a value with shared parts may not fit in memory when expanded. */
function deepCost(value: unknown, limit: number): number {
  if (typeof value === 'string' || value instanceof Uint8Array) return charsCost(value.length) + 1;
  let cost = 1;
  const parts = isJsonArray(value) ? value : isPlainObject(value) ? Object.values(value) : [];
  for (const part of parts) {
    if (cost > limit) break;
    cost += deepCost(part, limit - cost);
  }
  return cost;
}

function isPlainObject(value: unknown): value is object {
  return isJsonObject(value) && (value.constructor === Object || value.constructor === undefined);
}

/** One unit for a scalar, the number of items for a list, a tenth of the characters for a string. */
export function shallowCost(value: unknown): number {
  if (typeof value === 'string') return charsCost(value.length);
  if (value instanceof Uint8Array) return charsCost(value.length);
  return isJsonArray(value) ? value.length : 1;
}
