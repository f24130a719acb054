import type { CustomSubresource, SubresourceRequest } from '@fairway/apiserver/server/resource';
import { formatTime } from '@fairway/base/clock';
import { KubeClient } from '@fairway/kube/client/kube-client';
import type { Eviction, Pod, PodDisruptionBudget } from '@fairway/kube/kinds/generated/types';
import { PodDisruptionBudgets, Pods } from '@fairway/kube/kinds/resources';
import { ApiError, badRequest, forbidden, isApiError, tooManyRequests } from '@fairway/kube/object/api-error';
import { compileLabelSelector, matchesLabels } from '@fairway/kube/object/selector';
import { recordDisruption } from '../controllers/disrupt-pod.ts';
import { isPodFinished, isPodReady } from '../controllers/pods.ts';

/** Maximum number of evictions in progress per budget; more must wait for the disruption controller. */
const MAX_DISRUPTED_PODS = 2000;
const RETRY_SECONDS = 10;
const MAX_ATTEMPTS = 10;
const VIOLATION_MESSAGE = "Cannot evict pod as it would violate the pod's disruption budget.";

/** `pods/eviction`: a deletion that checks the pod's disruption budget first (pkg/registry/core/pod/storage/eviction.go). */
export const podEviction: CustomSubresource = {
  kind: { group: 'policy', version: 'v1', kind: 'Eviction' },
  schema: { $ref: 'io.k8s.api.policy.v1.Eviction' },
  async create(request) {
    const eviction = request.body as Eviction;
    const pod = request.parent as Pod;
    const { name } = eviction.metadata;
    if (name && name !== request.name) throw badRequest('name in URL does not match name in Eviction object');
    const client = new KubeClient(request.loopback(), { userAgent: 'kube-apiserver' });
    const dryRun = request.dryRun || (eviction.deleteOptions?.dryRun?.length ?? 0) > 0;
    if (!skipsBudget(pod)) await checkBudget(client, request, pod, dryRun);
    await evict(client, request, pod, eviction, dryRun);
    const success = { apiVersion: 'v1', kind: 'Status', metadata: {}, status: 'Success', code: 201 };
    return success;
  },
};

/** Pods that are not running or are already terminating don't count in any budget. */
function skipsBudget(pod: Pod): boolean {
  return isPodFinished(pod) || pod.status?.phase === 'Pending' || pod.metadata.deletionTimestamp !== undefined;
}

async function checkBudget(client: KubeClient, request: SubresourceRequest, pod: Pod, dryRun: boolean): Promise<void> {
  const [budget, ...others] = budgetsOf(request, pod);
  if (budget === undefined) return;
  if (others.length > 0) {
    const message = 'This pod has more than one PodDisruptionBudget, which the eviction subresource does not support.';
    throw new ApiError(500, 'InternalError', message);
  }
  for (let attempt = 1; ; attempt++) {
    const { namespace } = request;
    const fresh = await client.resource(PodDisruptionBudgets).get(budget.metadata.name ?? '', { namespace });
    if (isUnhealthyAllowed(fresh, pod)) return;
    const taken = consumeDisruption(fresh, request);
    if (dryRun) return;
    try {
      await client.resource(PodDisruptionBudgets).updateStatus(taken);
      return;
    } catch (error) {
      if (!isApiError(error, 'Conflict')) throw error;
      if (attempt === MAX_ATTEMPTS) throw violationError('the budget keeps changing', RETRY_SECONDS);
    }
  }
}

function budgetsOf({ access, namespace }: SubresourceRequest, pod: Pod): PodDisruptionBudget[] {
  const budgets = access?.reader.list(PodDisruptionBudgets, namespace) ?? [];
  return budgets.filter(
    ({ spec }) => spec.selector && matchesLabels(compileLabelSelector(spec.selector), pod.metadata.labels ?? {}),
  );
}

/** An unready pod may be evicted if the budget is met without it, or if unhealthyPodEvictionPolicy allows it. */
function isUnhealthyAllowed({ spec, status }: PodDisruptionBudget, pod: Pod): boolean {
  if (isPodReady(pod)) return false;
  if (spec.unhealthyPodEvictionPolicy === 'AlwaysAllow') return true;
  const { currentHealthy = 0, desiredHealthy = 0 } = status ?? {};
  return desiredHealthy > 0 && currentHealthy >= desiredHealthy;
}

function consumeDisruption(budget: PodDisruptionBudget, { name, nowMs }: SubresourceRequest): PodDisruptionBudget {
  const { status = {}, metadata } = budget;
  const { disruptionsAllowed = 0, disruptedPods = {}, desiredHealthy = 0, currentHealthy = 0 } = status;
  const budgetName = metadata.name ?? '';
  if ((status.observedGeneration ?? 0) < (metadata.generation ?? 0)) {
    throw violationError(`The disruption budget ${budgetName} is still being processed by the server.`, RETRY_SECONDS);
  }
  const subject = { group: 'policy', resource: 'poddisruptionbudgets', name: budgetName };
  if (disruptionsAllowed < 0) throw forbidden(subject, 'pdb disruptions allowed is negative');
  if (Object.keys(disruptedPods).length > MAX_DISRUPTED_PODS) {
    throw forbidden(subject, 'DisruptedPods map too big - too many evictions not confirmed by PDB controller');
  }
  if (disruptionsAllowed === 0) {
    const needs = `needs ${desiredHealthy} healthy pods and has ${currentHealthy} currently`;
    throw violationError(`The disruption budget ${budgetName} ${needs}`);
  }
  const disrupted = { ...disruptedPods, [name]: formatTime(nowMs) };
  return { ...budget, status: { ...status, disruptionsAllowed: disruptionsAllowed - 1, disruptedPods: disrupted } };
}

/** Clients retry automatically if the response has Retry-After: for an eviction denied by a budget, they must decide themselves. */
function violationError(message: string, retrySeconds?: number): ApiError {
  return tooManyRequests(VIOLATION_MESSAGE, retrySeconds, [{ reason: 'DisruptionBudget', message }]);
}

async function evict(
  client: KubeClient,
  request: SubresourceRequest,
  pod: Pod,
  { deleteOptions }: Eviction,
  dryRun: boolean,
): Promise<void> {
  const { name, namespace, nowMs } = request;
  const { uid } = pod.metadata;
  if (!dryRun && pod.metadata.deletionTimestamp === undefined) {
    await recordDisruption(client, pod, 'EvictionByEvictionAPI', 'Eviction API: evicting', nowMs);
  }
  const expectedUid = deleteOptions?.preconditions?.uid ?? uid;
  await client.resource(Pods).delete(name, {
    namespace,
    dryRun,
    ...(expectedUid !== undefined && { uid: expectedUid }),
    ...(deleteOptions?.preconditions?.resourceVersion && {
      resourceVersion: deleteOptions.preconditions.resourceVersion,
    }),
    ...(deleteOptions?.gracePeriodSeconds !== undefined && { gracePeriodSeconds: deleteOptions.gracePeriodSeconds }),
  });
}
