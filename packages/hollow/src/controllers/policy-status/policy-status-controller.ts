import { setImmediate } from 'node:timers/promises';
import type { ResourceDefinition } from '@fairway/apiserver/server/resource';
import { Controller } from '@fairway/kube/controller/controller';
import type { ReconcileContext, Result } from '@fairway/kube/controller/result';
import type {
  ExpressionWarning,
  ValidatingAdmissionPolicy,
  ValidatingAdmissionPolicyStatus,
} from '@fairway/kube/kinds/generated/types';
import { ValidatingAdmissionPolicies } from '@fairway/kube/kinds/resources';
import { jsonEqual } from '@fairway/kube/object/json';
import type { ControllerContext } from '../context.ts';
import { expressionWarnings } from './expression-warnings.ts';
import { kindsOfPolicy, type PolicyKinds } from './matched-kinds.ts';

/** Size of a slice, a few milliseconds: other work runs before the next slice. */
const SLICE_CHARS = 10_000;
/** Burst of checks without a pause, and the average rate beyond it: about half of a CPU. */
const BURST_CHARS = 100_000;
const CHARS_PER_MS = 1000;

/** The result for a policy and its dependencies. */
interface CheckedPolicy {
  readonly generation: number;
  readonly schemas: readonly ResourceDefinition['schema'][];
  readonly warnings: readonly ExpressionWarning[];
  /** Size of the checked expressions. */
  readonly chars: number;
}

/**
 * Type-checks the expressions of ValidatingAdmissionPolicies and writes `status.typeChecking` (pkg/controller/validatingadmissionpolicystatus), again
 * when a matched kind changes.
 */
export function policyStatusController(context: ControllerContext): Controller {
  const { client, informers, kinds, clock, random, log } = context;
  const policies = informers.informer(ValidatingAdmissionPolicies);
  const checked = new Map<string, CheckedPolicy>();

  async function reconcile(key: string, { signal }: ReconcileContext): Promise<Result> {
    const policy = policies.get(key);
    if (policy === undefined || policy.metadata.deletionTimestamp !== undefined) {
      checked.delete(key);
      return {};
    }
    const found = kindsOfPolicy(policy, kinds);
    const known = checked.get(key);
    const state = known !== undefined && isCheckOf(known, policy, found) ? known : await check(policy, found);
    checked.set(key, state);
    const status = statusOf(policy, state);
    if (!jsonEqual(status, policy.status)) {
      await client.resource(ValidatingAdmissionPolicies).updateStatus({ ...policy, status });
    }
    if (state !== known && state.chars > BURST_CHARS) await clock.sleep(state.chars / CHARS_PER_MS, signal);
    return {};
  }

  const controller = new Controller({ name: 'validatingadmissionpolicy-status', reconcile, clock, random, log });
  kinds.onChange(() => {
    for (const key of checked.keys()) controller.enqueue(key);
  });
  return controller.watch(policies);
}

function isCheckOf(state: CheckedPolicy, policy: ValidatingAdmissionPolicy, found: PolicyKinds): boolean {
  const schemas = schemasOf(found);
  return (
    state.generation === generationOf(policy) &&
    state.schemas.length === schemas.length &&
    state.schemas.every((schema, index) => schema === schemas[index])
  );
}

function schemasOf({ matched, params }: PolicyKinds): ResourceDefinition['schema'][] {
  return [...matched, ...(params === undefined ? [] : [params])].map(({ schema }) => schema);
}

function generationOf({ metadata }: ValidatingAdmissionPolicy): number {
  return metadata.generation ?? 0;
}

function statusOf(
  { status }: ValidatingAdmissionPolicy,
  { generation, warnings }: CheckedPolicy,
): ValidatingAdmissionPolicyStatus {
  const typeChecking = warnings.length === 0 ? {} : { expressionWarnings: [...warnings] };
  return { ...status, observedGeneration: generation, typeChecking };
}

/** Checks a policy and yields to the event loop after each slice. */
async function check(policy: ValidatingAdmissionPolicy, found: PolicyKinds): Promise<CheckedPolicy> {
  const steps = expressionWarnings(policy, found);
  let chars = 0;
  let slice = 0;
  for (;;) {
    const step = steps.next();
    if (step.done) return { generation: generationOf(policy), schemas: schemasOf(found), warnings: step.value, chars };
    chars += step.value;
    slice += step.value;
    if (slice < SLICE_CHARS) continue;
    slice = 0;
    await setImmediate();
  }
}
