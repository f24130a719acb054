import {
  type CountedRequest,
  clusterRequests,
  machineRequests,
  nodePoolRequests,
  releaseRequests,
} from '@fairway/api/admission/counted-requests';
import { replayWarnings } from '@fairway/api/admission/replayed-requests';
import { requestTimeErrors } from '@fairway/api/admission/request-times';
import { GROUP } from '@fairway/api/group';
import { type Cluster, clusters } from '@fairway/api/kinds/cluster';
import { type KubernetesRelease, kubernetesReleases } from '@fairway/api/kinds/kubernetes-release';
import { type Machine, machines } from '@fairway/api/kinds/machine';
import { type NodePool, nodePools } from '@fairway/api/kinds/node-pool';
import type { AdmissionRequest } from '@fairway/apiserver/server/admission';
import type { Clock } from '@fairway/base/clock';
import { invalid } from '@fairway/kube/object/field-error';
import type { StoredFacts } from './stored-facts.ts';

interface Options {
  readonly stored: StoredFacts;
  readonly clock: Clock;
}

/**
 * Validates one-time requests, such as annotations, on existing objects, whether or not the spec changes too. Never
 * queries the cloud.
 */
export async function validateRequests({ stored, clock }: Options, request: AdmissionRequest): Promise<void> {
  const { resource, operation, subresource, name } = request;
  if (operation !== 'UPDATE' || subresource !== '' || resource.group !== GROUP) return;
  const requests = (await requestsOf(stored, request)).filter(({ value, before }) => value !== before);
  const errors = requestTimeErrors(requests, clock.now());
  const kind = [clusters, nodePools, machines, kubernetesReleases].find(({ plural }) => plural === resource.plural);
  if (kind && errors.length > 0) throw invalid(kind, name, errors);
  for (const warning of replayWarnings(requests)) request.warn(warning);
}

async function requestsOf(
  stored: StoredFacts,
  { resource, object, oldObject, namespace }: AdmissionRequest,
): Promise<readonly CountedRequest[]> {
  switch (resource.plural) {
    case clusters.plural:
      return clusterRequests(object as Cluster, oldObject as Cluster);
    case nodePools.plural:
      return nodePoolRequests(object as NodePool, oldObject as NodePool);
    case kubernetesReleases.plural:
      return releaseRequests(object as KubernetesRelease, oldObject as KubernetesRelease);
    case machines.plural: {
      const machine = object as Machine;
      const requests = machineRequests(machine, oldObject as Machine, undefined);
      if (requests.every(({ value, before }) => value === before)) return requests;
      const pools = await stored.nodePools(namespace);
      const pool = pools.find(({ metadata }) => metadata.name === machine.spec.nodePoolName);
      return machineRequests(machine, oldObject as Machine, pool);
    }
    default:
      return [];
  }
}
