import { z } from 'zod';
import { SERVICE_NAMES } from '../service-list.ts';
import type { Service } from './api.ts';

/** `before` prevents the execution of the request; `after` affects only the response. */
const When = z.enum(['before', 'after']).default('before');

const Action = z.discriminatedUnion('kind', [
  /** Responds with an error in the service's format. */
  z.strictObject({
    kind: z.literal('answer'),
    status: z.int().min(400).max(599),
    message: z.string().optional(),
    retryAfterSeconds: z.number().min(0).optional(),
    when: When,
  }),
  /** Closes the connection without a response. */
  z.strictObject({ kind: z.literal('drop'), when: When }),
  /** Delays the response, on the cloud's clock. */
  z.strictObject({ kind: z.literal('delay'), delayMs: z.number().min(0), when: When }),
  /** Makes servers that are being built fail with this fault and go to ERROR. */
  z.strictObject({
    kind: z.literal('serverError'),
    message: z.string().default('Build of instance aborted: Failed to allocate the network(s), not rescheduling.'),
    code: z.int().default(500),
    /** Delay until the fault is recorded, while Nova already shows ERROR. */
    reportedAfterMs: z.number().min(0).default(0),
  }),
  /**
   * Makes the provider's pending work on a load balancer fail: the load balancer goes to ERROR, with everything that is
   * pending in its tree.
   */
  z.strictObject({ kind: z.literal('loadBalancerError') }),
  /**
   * Makes the back end's pending work on a volume or snapshot fail, which gives it the corresponding status, such as
   * `error` or `error_extending`.
   */
  z.strictObject({ kind: z.literal('volumeError'), step: z.enum(['create', 'delete', 'extend']).optional() }),
  /** Makes the back end's pending work on a share, snapshot or access rule fail, which gives it an error state. */
  z.strictObject({ kind: z.literal('shareError'), step: z.enum(['create', 'delete', 'extend', 'access']).optional() }),
  /** Makes health monitors report members as down: members with this address, or all members. */
  z.strictObject({ kind: z.literal('memberDown'), address: z.string().optional() }),
  /** Makes a flavor unschedulable, in one zone or in all zones. */
  z.strictObject({ kind: z.literal('outOfStock'), flavor: z.string(), zone: z.string().optional() }),
]);

/** What happens, to which calls, and how often. */
export const FaultRule = z.strictObject({
  service: z.enum(SERVICE_NAMES).optional(),
  method: z.string().optional(),
  /** Regular expression for the path, which includes the service's prefix but not the query. */
  path: z.string().optional(),
  /** ID or name of the project. */
  project: z.string().optional(),
  /** Number of the first matching call that is affected, counted from 1 since the rule was added. */
  nth: z.int().min(1).default(1),
  /** Number of calls to affect; null affects all calls from the nth on. */
  times: z.int().min(1).nullable().default(1),
  action: Action,
});
export type FaultRule = z.infer<typeof FaultRule>;
export type FaultInput = z.input<typeof FaultRule>;
export type FaultAction = z.infer<typeof Action>;
export type CallFault = Extract<FaultAction, { kind: 'answer' | 'drop' | 'delay' }>;
export type ServerFault = Extract<FaultAction, { kind: 'serverError' }>;

export interface ActiveFault extends FaultRule {
  readonly id: string;
  /** Number of calls that have matched so far. */
  readonly matched: number;
  /** Number of calls that have been affected so far. */
  readonly hits: number;
}

export interface Call {
  readonly service: Service['name'];
  readonly method: string;
  readonly path: string;
  readonly projectId: string;
  readonly projectName: string;
}

interface ArmedFault {
  readonly id: string;
  readonly rule: FaultRule;
  readonly path: RegExp | undefined;
  matched: number;
  hits: number;
}

/** The active fault rules. They are not part of the saved state. */
export class Faults {
  readonly #armed: ArmedFault[] = [];
  #sequence = 0;

  /** Adds a fault rule and returns its ID. Throws a ZodError or SyntaxError for an invalid rule. */
  add(input: FaultInput): string {
    const rule = FaultRule.parse(input);
    const id = `fault-${++this.#sequence}`;
    this.#armed.push({
      id,
      rule,
      path: rule.path === undefined ? undefined : new RegExp(rule.path),
      matched: 0,
      hits: 0,
    });
    return id;
  }

  remove(id: string): boolean {
    const index = this.#armed.findIndex((armed) => armed.id === id);
    if (index !== -1) this.#armed.splice(index, 1);
    return index !== -1;
  }

  clear(): void {
    this.#armed.length = 0;
  }

  list(): ActiveFault[] {
    return this.#armed.map(({ id, rule, matched, hits }) => ({ id, ...rule, matched, hits }));
  }

  /** The faults that affect this call; counts each of them. */
  matchCall(call: Call): CallFault[] {
    const faults: CallFault[] = [];
    for (const armed of this.#armed) {
      const { action } = armed.rule;
      if (isCallFault(action) && matchesCall(armed, call) && countHit(armed)) faults.push(action);
    }
    this.#removeExhausted();
    return faults;
  }

  /** The fault for a server that is being built in this project, if any; counts its use. */
  matchServer(projectId: string, projectName: string): ServerFault | undefined {
    return this.#matchProject('serverError', projectId, projectName);
  }

  /** Whether the work on a load balancer of this project fails; counts the fault's use. */
  matchLoadBalancer(projectId: string, projectName: string): boolean {
    return this.#matchProject('loadBalancerError', projectId, projectName) !== undefined;
  }

  /** Whether the work on a volume or snapshot of this project fails; counts the fault's use. */
  matchVolume(step: string, projectId: string, projectName: string): boolean {
    const matchesStep = (fault: { readonly step?: string | undefined }) => (fault.step ?? step) === step;
    return this.#matchProject('volumeError', projectId, projectName, matchesStep) !== undefined;
  }

  /** Whether the work on a share of this project fails; counts the fault's use. */
  matchShare(step: string, projectId: string, projectName: string): boolean {
    const matchesStep = (fault: { readonly step?: string | undefined }) => (fault.step ?? step) === step;
    return this.#matchProject('shareError', projectId, projectName, matchesStep) !== undefined;
  }

  #matchProject<K extends 'serverError' | 'loadBalancerError' | 'volumeError' | 'shareError'>(
    kind: K,
    projectId: string,
    projectName: string,
    isMatching: (action: Extract<FaultAction, { kind: K }>) => boolean = () => true,
  ): Extract<FaultAction, { kind: K }> | undefined {
    for (const armed of this.#armed) {
      const { action } = armed.rule;
      if (action.kind !== kind || !matchesProject(armed.rule, projectId, projectName)) continue;
      if (!isMatching(action as Extract<FaultAction, { kind: K }>)) continue;
      if (!countHit(armed)) continue;
      this.#removeExhausted();
      return action as Extract<FaultAction, { kind: K }>;
    }
    return undefined;
  }

  /** Whether a health monitor reports the member with this address as down. */
  isMemberDown(projectId: string, projectName: string, address: string): boolean {
    return this.#armed.some(
      ({ rule }) =>
        rule.action.kind === 'memberDown' &&
        matchesProject(rule, projectId, projectName) &&
        (rule.action.address === undefined || rule.action.address === address),
    );
  }

  isOutOfStock(flavorName: string, zone: string): boolean {
    return this.#armed.some(
      ({ rule: { action } }) =>
        action.kind === 'outOfStock' &&
        action.flavor === flavorName &&
        (action.zone === undefined || action.zone === zone),
    );
  }

  #removeExhausted(): void {
    for (let i = this.#armed.length - 1; i >= 0; i--) {
      const armed = this.#armed[i];
      if (armed !== undefined && armed.rule.times !== null && armed.hits >= armed.rule.times) this.#armed.splice(i, 1);
    }
  }
}

function isCallFault(action: FaultAction): action is CallFault {
  return action.kind === 'answer' || action.kind === 'drop' || action.kind === 'delay';
}

function matchesCall({ rule, path }: ArmedFault, call: Call): boolean {
  if (rule.service !== undefined && rule.service !== call.service) return false;
  if (rule.method !== undefined && rule.method.toUpperCase() !== call.method) return false;
  if (path !== undefined && !path.test(call.path)) return false;
  return matchesProject(rule, call.projectId, call.projectName);
}

function matchesProject({ project }: FaultRule, projectId: string, projectName: string): boolean {
  return project === undefined || project === projectId || project === projectName;
}

function countHit(armed: ArmedFault): boolean {
  armed.matched++;
  const { nth, times } = armed.rule;
  if (armed.matched < nth || (times !== null && armed.hits >= times)) return false;
  armed.hits++;
  return true;
}
