import type { KubeClient } from '@fairway/kube/client/kube-client';
import { controllerRef } from '@fairway/kube/controller/owners';
import type { ControllerRevision, PodTemplateSpec } from '@fairway/kube/kinds/generated/types';
import { ControllerRevisions, DaemonSets } from '@fairway/kube/kinds/resources';
import { isApiError } from '@fairway/kube/object/api-error';
import { canonicalJson, jsonEqual } from '@fairway/kube/object/json';
import type { KubeObject, ResourceType } from '@fairway/kube/object/meta';
import { hashOf } from './template-hash.ts';

const HASH_LABEL = 'controller.kubernetes.io/hash';
const DAEMON_SET_HASH_LABEL = 'controller-revision-hash';

/**
 * The data of a ControllerRevision: a strategic merge patch that restores the template (`kubectl rollout undo`). Its
 * keys are sorted as in Go, since clients compare the bytes.
 */
function revisionData(template: PodTemplateSpec): Record<string, unknown> {
  return JSON.parse(canonicalJson({ spec: { template: { ...template, $patch: 'replace' } } })) as Record<
    string,
    unknown
  >;
}

export function templateOf({ data }: ControllerRevision): PodTemplateSpec | undefined {
  const spec = data?.['spec'] as { template?: PodTemplateSpec & { $patch?: string } } | undefined;
  if (spec?.template === undefined) return undefined;
  const { $patch: _, ...template } = spec.template;
  return template;
}

export function hashOfRevision({ metadata }: ControllerRevision): string {
  return metadata.labels?.[DAEMON_SET_HASH_LABEL] ?? metadata.labels?.[HASH_LABEL] ?? '';
}

/** The revision of the owner's current template: the matching one with the highest number, or a new one. */
export async function ensureRevision(
  client: KubeClient,
  owner: KubeObject & { spec: { template: PodTemplateSpec } },
  type: ResourceType,
  known: readonly ControllerRevision[],
): Promise<ControllerRevision> {
  const data = revisionData(owner.spec.template);
  const revisions = client.resource(ControllerRevisions);
  const highest = Math.max(0, ...known.map(({ revision }) => revision));
  const same = known.find((revision) => jsonEqual(revision.data, data));
  if (same) return same.revision === highest ? same : revisions.update({ ...same, revision: highest + 1 });
  const { name = '', namespace = '' } = owner.metadata;
  for (let collisions = 0; ; collisions++) {
    const hash = hashOf(owner.spec.template, collisions);
    const revision: ControllerRevision = {
      apiVersion: 'apps/v1',
      kind: 'ControllerRevision',
      metadata: {
        name: `${name}-${hash}`,
        namespace,
        labels: {
          ...owner.spec.template.metadata?.labels,
          [type.kind === DaemonSets.kind ? DAEMON_SET_HASH_LABEL : HASH_LABEL]: hash,
        },
        ...(owner.metadata.annotations && { annotations: { ...owner.metadata.annotations } }),
        ownerReferences: [controllerRef(owner, type)],
      },
      data,
      revision: highest + 1,
    };
    try {
      return await revisions.create(revision);
    } catch (error) {
      if (!isApiError(error, 'AlreadyExists')) throw error;
      const taken = await revisions.get(revision.metadata.name ?? '', { namespace });
      if (jsonEqual(taken.data, data)) return taken;
    }
  }
}

/** Deletes the oldest unused revisions beyond revisionHistoryLimit. */
export async function truncateRevisions(
  client: KubeClient,
  known: readonly ControllerRevision[],
  live: ReadonlySet<string>,
  limit: number,
): Promise<void> {
  const idle = known
    .filter(({ metadata }) => !live.has(metadata.name ?? ''))
    .sort((left, right) => left.revision - right.revision);
  for (const { metadata } of idle.slice(0, Math.max(0, idle.length - limit))) {
    try {
      await client.resource(ControllerRevisions).delete(metadata.name ?? '', { namespace: metadata.namespace ?? '' });
    } catch (error) {
      if (!isApiError(error, 'NotFound')) throw error;
    }
  }
}
