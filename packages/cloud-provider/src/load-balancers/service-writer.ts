import { isDeepStrictEqual } from 'node:util';
import { KEPT_ANNOTATIONS_ANNOTATION, OWN_ID_ANNOTATION } from '@fairway/api/limits/service-limits';
import { ignoreDeleted } from '@fairway/kube/client/ignore-not-found';
import { type ConditionState, setCondition } from '@fairway/kube/controller/conditions';
import { removeFinalizer } from '@fairway/kube/controller/finalizers';
import type { LoadBalancerIngress, Service, ServiceStatus } from '@fairway/kube/kinds/generated/types';
import { Services } from '@fairway/kube/kinds/resources';
import { wrapTenantError } from '@fairway/tenancy/connection/tenant-problem';
import { ANNOTATION } from './annotation-names.ts';
import { PLAN_LIMIT_REASON } from './service-refused.ts';
import type { ServiceWriteScope } from './service-scope.ts';
import { CLEANUP_FINALIZER } from './tenant-services.ts';

/** Type of the Service condition that reports whether the load balancer matches the spec. */
const READY_CONDITION = 'fairway.dev/LoadBalancerReady';

/** Status of a working load balancer. */
export interface ServedStatus {
  readonly loadBalancerID: string;
  /** Whether the load balancer was created for the Service. */
  readonly isOwn: boolean;
  readonly address: string;
  readonly ingress: readonly LoadBalancerIngress[];
  /** How the load balancer deviates from the spec even though it works. */
  readonly problem?: string | undefined;
}

/** Records the load balancer and its address on the Service. Writes nothing if unchanged. */
export async function patchServedStatus(
  scope: ServiceWriteScope,
  { loadBalancerID, isOwn, address, ingress, problem }: ServedStatus,
  nowMs: number,
): Promise<void> {
  const desired = {
    [ANNOTATION.loadBalancerID]: loadBalancerID,
    [ANNOTATION.address]: address,
    [OWN_ID_ANNOTATION]: isOwn ? loadBalancerID : null,
  };
  await writeAnnotations(scope, desired);
  await writeStatus(scope, { loadBalancer: { ingress: [...ingress] } }, servedCondition(scope, problem), nowMs);
}

function servedCondition({ limitProblem }: ServiceWriteScope, problem: string | undefined): ConditionState {
  const type = READY_CONDITION;
  if (problem !== undefined) return { type, status: 'False', reason: 'ConfigurationInvalid', message: problem };
  if (limitProblem !== undefined) return { type, status: 'False', reason: PLAN_LIMIT_REASON, message: limitProblem };
  return { type, status: 'True', reason: 'AsExpected', message: '' };
}

/** Records which refused annotations the load balancer keeps. Writes nothing if unchanged. */
export async function recordKeptAnnotations(scope: ServiceWriteScope, record: string | undefined): Promise<void> {
  await writeAnnotations(scope, { [KEPT_ANNOTATIONS_ANNOTATION]: record ?? null });
}

/** Whether the last reported status shows that the load balancer matches the spec. */
export function isServed({ status }: Service): boolean {
  return status?.conditions?.some((each) => each.type === READY_CONDITION && each.status === 'True') ?? false;
}

/** Records why the load balancer does not match the spec, and keeps the address. */
export async function patchProblemStatus(
  scope: ServiceWriteScope,
  { reason, message }: { readonly reason: string; readonly message: string },
  nowMs: number,
): Promise<void> {
  await writeStatus(scope, {}, { type: READY_CONDITION, status: 'False', reason, message }, nowMs);
}

/** Clears everything that was recorded on the Service, then removes the finalizer. */
export async function releaseService(scope: ServiceWriteScope): Promise<void> {
  const { service, tenant } = scope;
  if (service.metadata.deletionTimestamp === undefined) {
    await writeAnnotations(scope, {
      [ANNOTATION.loadBalancerID]: null,
      [ANNOTATION.address]: null,
      [OWN_ID_ANNOTATION]: null,
      [KEPT_ANNOTATIONS_ANNOTATION]: null,
    });
    const conditions = service.status?.conditions?.filter(({ type }) => type !== READY_CONDITION) ?? [];
    if (service.status?.loadBalancer?.ingress || conditions.length !== (service.status?.conditions?.length ?? 0)) {
      await patchStatus(scope, { loadBalancer: { ingress: null }, conditions });
    }
  }
  const client = tenant.client.resource(Services);
  const { name = '', namespace = '' } = service.metadata;
  const current = await wrapTenantError(client.get(name, { namespace }));
  if (current.metadata.uid === service.metadata.uid)
    await wrapTenantError(removeFinalizer(client, current, CLEANUP_FINALIZER));
}

async function writeAnnotations(
  scope: ServiceWriteScope,
  desired: Readonly<Record<string, string | null>>,
): Promise<void> {
  const { metadata } = scope.service;
  const present = metadata.annotations ?? {};
  const changed = Object.entries(desired).filter(([name, value]) => (present[name] ?? null) !== value);
  if (changed.length === 0) return;
  const value = { metadata: { uid: metadata.uid, annotations: Object.fromEntries(changed) } };
  await patch(scope, value, {});
}

async function writeStatus(
  scope: ServiceWriteScope,
  { loadBalancer }: Pick<ServiceStatus, 'loadBalancer'>,
  condition: ConditionState,
  nowMs: number,
): Promise<void> {
  const present = scope.service.status;
  const conditions = setCondition(present?.conditions, condition, nowMs);
  const changes = {
    ...(loadBalancer && !isDeepStrictEqual(loadBalancer, present?.loadBalancer) && { loadBalancer }),
    ...(conditions !== present?.conditions && { conditions }),
  };
  if (Object.keys(changes).length > 0) await patchStatus(scope, changes);
}

function patchStatus(scope: ServiceWriteScope, status: object): Promise<void> {
  return patch(scope, { metadata: { uid: scope.service.metadata.uid }, status }, { subresource: 'status' });
}

async function patch(
  { service, tenant, signal }: ServiceWriteScope,
  value: object,
  options: { subresource?: string },
): Promise<void> {
  const { name = '', namespace = '' } = service.metadata;
  const client = tenant.client.resource<Service>(Services);
  await wrapTenantError(ignoreDeleted(client.patch(name, { type: 'merge', value }, { namespace, signal, ...options })));
}
