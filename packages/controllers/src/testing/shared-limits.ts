import { type Plan, type PlanSpec, plans } from '@fairway/api/kinds/plan';
import { aPlan } from '@fairway/api/testing/objects';
import { findCondition } from '@fairway/kube/controller/conditions';
import type { Condition } from '@fairway/kube/object/meta';
import { eventually } from '@fairway/kube/testing/eventually';
import type { TestFairway } from './test-fairway.ts';

/** Only the limits that a test adds. */
export const NO_LIMITS: Partial<PlanSpec> = {
  cni: { default: 'canal', allowed: ['canal', 'cilium', 'none'] },
  kubeProxy: { default: 'iptables', allowed: ['iptables', 'ipvs', 'nftables', 'none'] },
  allowed: undefined,
  storage: undefined,
  maxDrainTimeout: undefined,
};

/** Limits of several kinds, with a note. */
export const LIMITS: Partial<PlanSpec> = {
  cni: { default: 'canal', allowed: ['canal'] },
  kubernetes: { newest: '1.35' },
  allowed: { features: ['Hibernation'] },
  storage: { accessModes: ['ReadWriteOnce'], tenantClasses: 'Refused' },
  limitNotes: [{ limit: 'kubernetes', value: '', enforcement: 'Refuse', reason: 'not certified yet' }],
};

/** Creates the shipped plan `free` under another name, with these limits only. */
export function createPlan(fairway: TestFairway, name: string, spec: Partial<PlanSpec> = {}): Promise<Plan> {
  return fairway.create(plans, aPlan({ ...NO_LIMITS, ...spec }, { name }));
}

export function changePlan(fairway: TestFairway, name: string, spec: object): Promise<Plan> {
  return fairway.client.resource(plans).patch(name, { type: 'merge', value: { spec } });
}

/** Waits for a state of a plan. */
export async function planWhen(fairway: TestFairway, name: string, check: (plan: Plan) => boolean): Promise<Plan> {
  const selection = { fieldSelector: `metadata.name=${name}` };
  const [found] = await eventually(
    fairway.client.resource(plans),
    selection,
    ([plan]) => plan !== undefined && check(plan),
    { clock: fairway.clock },
  );
  return found as Plan;
}

/** The condition Ready, if it is about the current spec. */
export function readyCondition({ status, metadata }: Plan): Condition | undefined {
  const condition = findCondition(status?.conditions, 'Ready');
  return condition?.observedGeneration === metadata.generation ? condition : undefined;
}

export function isPlanReady(plan: Plan): boolean {
  return readyCondition(plan)?.status === 'True';
}

/** The limits of a plan, in the form of `LIMITS`; without objects and lists that no longer limit anything. */
export function limitsOf({ spec: { cni, kubernetes, allowed, storage, limitNotes } }: Plan): Partial<PlanSpec> {
  const limits = { cni, kubernetes, allowed, storage, limitNotes };
  return Object.fromEntries(Object.entries(limits).filter(([, value]) => !NO_LIMIT.has(JSON.stringify(value))));
}

const NO_LIMIT: ReadonlySet<string | undefined> = new Set([undefined, '{}', '[]', '{"tenantClasses":"Allowed"}']);
