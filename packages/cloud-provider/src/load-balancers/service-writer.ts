import { isDeepStrictEqual } from 'node:util';
import { ignoreGone } from '@fairway/kube/client/ignore-gone';
import { type ConditionState, setCondition } from '@fairway/kube/controller/conditions';
import { removeFinalizer } from '@fairway/kube/controller/finalizers';
import type { LoadBalancerIngress, Service, ServiceStatus } from '@fairway/kube/kinds/generated/types';
import { Services } from '@fairway/kube/kinds/resources';
import { ofTenant } from '@fairway/tenancy/connection/tenant-problem';
import { ANNOTATION } from './annotation-names.ts';
import type { ServicePlace } from './service-scope.ts';
import { CLEANUP_FINALIZER } from './tenant-services.ts';

/** Of `status.conditions` of a Service: whether its load balancer is as it asks. */
const READY = 'fairway.dev/LoadBalancerReady';

/** Which load balancer is the Service's own, beside the annotation that may also name another one: what a copy of a Service says of it is not believed. */
export const OWN_ID_ANNOTATION = 'fairway.dev/load-balancer-id';

/** What is said of a load balancer that works. */
export interface Served {
  readonly loadBalancerID: string;
  /** Whether it was made for the Service. */
  readonly isOwn: boolean;
  readonly address: string;
  readonly ingress: readonly LoadBalancerIngress[];
  /** What is not as the Service asks although it works. */
  readonly problem?: string | undefined;
}

/** Notes on the Service which load balancer it has and where it is reached. Writes nothing that is there already. */
export async function tellServed(
  scope: ServicePlace,
  { loadBalancerID, isOwn, address, ingress, problem }: Served,
  nowMs: number,
): Promise<void> {
  const wanted = {
    [ANNOTATION.loadBalancerID]: loadBalancerID,
    [ANNOTATION.address]: address,
    [OWN_ID_ANNOTATION]: isOwn ? loadBalancerID : null,
  };
  await writeAnnotations(scope, wanted);
  const condition: ConditionState =
    problem === undefined
      ? { type: READY, status: 'True', reason: 'AsExpected', message: '' }
      : { type: READY, status: 'False', reason: 'ConfigurationInvalid', message: problem };
  await writeStatus(scope, { loadBalancer: { ingress: [...ingress] } }, condition, nowMs);
}

/** Whether the last thing that was told of the Service's load balancer is that it is as asked. */
export function isServed({ status }: Service): boolean {
  return status?.conditions?.some((each) => each.type === READY && each.status === 'True') ?? false;
}

/** Notes why the load balancer is not as the Service asks. Where it is reached stays. */
export async function tellProblem(
  scope: ServicePlace,
  { reason, message }: { readonly reason: string; readonly message: string },
  nowMs: number,
): Promise<void> {
  await writeStatus(scope, {}, { type: READY, status: 'False', reason, message }, nowMs);
}

/** Takes away all that was noted, the finalizer last. */
export async function tellGone(scope: ServicePlace): Promise<void> {
  const { service, tenant } = scope;
  if (service.metadata.deletionTimestamp === undefined) {
    await writeAnnotations(scope, {
      [ANNOTATION.loadBalancerID]: null,
      [ANNOTATION.address]: null,
      [OWN_ID_ANNOTATION]: null,
    });
    const conditions = service.status?.conditions?.filter(({ type }) => type !== READY) ?? [];
    if (service.status?.loadBalancer?.ingress || conditions.length !== (service.status?.conditions?.length ?? 0)) {
      await patchStatus(scope, { loadBalancer: { ingress: null }, conditions });
    }
  }
  const client = tenant.client.resource(Services);
  const { name = '', namespace = '' } = service.metadata;
  const current = await ofTenant(client.get(name, { namespace }));
  if (current.metadata.uid === service.metadata.uid)
    await ofTenant(removeFinalizer(client, current, CLEANUP_FINALIZER));
}

async function writeAnnotations(scope: ServicePlace, wanted: Readonly<Record<string, string | null>>): Promise<void> {
  const { metadata } = scope.service;
  const present = metadata.annotations ?? {};
  const changed = Object.entries(wanted).filter(([name, value]) => (present[name] ?? null) !== value);
  if (changed.length === 0) return;
  const value = { metadata: { uid: metadata.uid, annotations: Object.fromEntries(changed) } };
  await patch(scope, value, {});
}

async function writeStatus(
  scope: ServicePlace,
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

function patchStatus(scope: ServicePlace, status: object): Promise<void> {
  return patch(scope, { metadata: { uid: scope.service.metadata.uid }, status }, { subresource: 'status' });
}

async function patch(
  { service, tenant, signal }: ServicePlace,
  value: object,
  options: { subresource?: string },
): Promise<void> {
  const { name = '', namespace = '' } = service.metadata;
  const client = tenant.client.resource<Service>(Services);
  await ofTenant(ignoreGone(client.patch(name, { type: 'merge', value }, { namespace, signal, ...options })));
}
