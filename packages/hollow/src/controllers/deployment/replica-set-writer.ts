import type { KubeClient } from '@fairway/kube/client/kube-client';
import { controllerRef, isControlledBy } from '@fairway/kube/controller/owners';
import type { EventRecorder } from '@fairway/kube/events/recorder';
import type { Deployment, ReplicaSet } from '@fairway/kube/kinds/generated/types';
import { Deployments, ReplicaSets } from '@fairway/kube/kinds/resources';
import { isApiError } from '@fairway/kube/object/api-error';
import { cloneJson, jsonEqual } from '@fairway/kube/object/json';
import { hashOf } from '../workloads/template-hash.ts';
import { desiredNewReplicas, rolloutLimits } from './replica-counts.ts';
import {
  DESIRED_REPLICAS_ANNOTATION,
  isSameTemplate,
  MAX_REPLICAS_ANNOTATION,
  newSetAnnotations,
  TEMPLATE_HASH_LABEL,
} from './revisions.ts';

/** Writes the ReplicaSets of a Deployment. */
export class ReplicaSetWriter {
  readonly #client: KubeClient;
  readonly #events: EventRecorder;

  constructor(client: KubeClient, events: EventRecorder) {
    this.#client = client;
    this.#events = events;
  }

  /** The ReplicaSet of the current template. Undefined on a name collision, which increments collisionCount. */
  async create(deployment: Deployment, old: readonly ReplicaSet[], revision: bigint): Promise<ReplicaSet | undefined> {
    const { name = '', namespace = '' } = deployment.metadata;
    const template = cloneJson(deployment.spec.template);
    const hash = hashOf(deployment.spec.template, deployment.status?.collisionCount ?? 0);
    template.metadata = { ...template.metadata, labels: { ...template.metadata?.labels, [TEMPLATE_HASH_LABEL]: hash } };
    const { selector, minReadySeconds } = deployment.spec;
    const set: ReplicaSet = {
      apiVersion: 'apps/v1',
      kind: 'ReplicaSet',
      metadata: {
        name: `${name}-${hash}`,
        namespace,
        labels: { ...template.metadata.labels },
        ownerReferences: [controllerRef(deployment, Deployments)],
      },
      spec: {
        replicas: 0,
        ...(minReadySeconds !== undefined && { minReadySeconds }),
        selector: { ...selector, matchLabels: { ...selector.matchLabels, [TEMPLATE_HASH_LABEL]: hash } },
        template,
      },
    };
    set.spec.replicas = desiredNewReplicas(deployment, [...old, set], set);
    set.metadata.annotations = {
      ...newSetAnnotations(deployment, undefined, revision),
      ...sizeAnnotations(deployment),
    };
    try {
      const created = await this.#client.resource(ReplicaSets).create(set);
      if (set.spec.replicas > 0) this.#recordScaled(deployment, created, 0, set.spec.replicas);
      return created;
    } catch (error) {
      if (!isApiError(error, 'AlreadyExists')) throw error;
      const taken = await this.#client.resource(ReplicaSets).get(set.metadata.name ?? '', { namespace });
      const isOwned =
        isControlledBy(taken, deployment) && isSameTemplate(taken.spec.template, deployment.spec.template);
      return isOwned ? taken : undefined;
    }
  }

  /** Scales the set and records desired-replicas on it, which later distinguishes scaling from a rollout. */
  async scale(deployment: Deployment, set: ReplicaSet, replicas: number): Promise<ReplicaSet> {
    const before = set.spec.replicas ?? 0;
    const annotations = { ...set.metadata.annotations, ...sizeAnnotations(deployment) };
    if (before === replicas && jsonEqual(annotations, set.metadata.annotations)) return set;
    const written = await this.#client
      .resource(ReplicaSets)
      .update({ ...set, metadata: { ...set.metadata, annotations }, spec: { ...set.spec, replicas } });
    if (before !== replicas) this.#recordScaled(deployment, set, before, replicas);
    return written;
  }

  /** Keeps annotations and minReadySeconds of the newest set in sync. */
  async refresh(deployment: Deployment, set: ReplicaSet, revision: bigint): Promise<ReplicaSet> {
    const annotations = newSetAnnotations(deployment, set, revision);
    const { minReadySeconds = 0 } = deployment.spec;
    const isSame =
      jsonEqual(annotations, set.metadata.annotations) && (set.spec.minReadySeconds ?? 0) === minReadySeconds;
    if (isSame) return set;
    return this.#client
      .resource(ReplicaSets)
      .update({ ...set, metadata: { ...set.metadata, annotations }, spec: { ...set.spec, minReadySeconds } });
  }

  async delete({ metadata }: ReplicaSet): Promise<void> {
    const { name = '', namespace = '', uid } = metadata;
    try {
      await this.#client
        .resource(ReplicaSets)
        .delete(name, { namespace, ...(uid !== undefined && { uid }), propagationPolicy: 'Background' });
    } catch (error) {
      if (!isApiError(error, 'NotFound', 'Conflict')) throw error;
    }
  }

  #recordScaled(deployment: Deployment, { metadata }: ReplicaSet, before: number, after: number): void {
    const verb = before < after ? 'up' : 'down';
    const message = `Scaled ${verb} replica set ${metadata.name} from ${before} to ${after}`;
    this.#events.normal(deployment, 'ScalingReplicaSet', message);
  }
}

function sizeAnnotations(deployment: Deployment): Record<string, string> {
  const { replicas = 1 } = deployment.spec;
  return {
    [DESIRED_REPLICAS_ANNOTATION]: String(replicas),
    [MAX_REPLICAS_ANNOTATION]: String(replicas + rolloutLimits(deployment).maxSurge),
  };
}
