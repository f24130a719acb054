import type { Deployment, PodTemplateSpec, ReplicaSet } from '@fairway/kube/kinds/generated/types';
import { jsonEqual } from '@fairway/kube/object/json';

export const REVISION_ANNOTATION = 'deployment.kubernetes.io/revision';
export const REVISION_HISTORY_ANNOTATION = 'deployment.kubernetes.io/revision-history';
export const DESIRED_REPLICAS_ANNOTATION = 'deployment.kubernetes.io/desired-replicas';
export const MAX_REPLICAS_ANNOTATION = 'deployment.kubernetes.io/max-replicas';
export const TEMPLATE_HASH_LABEL = 'pod-template-hash';

/** Annotations that a Deployment does not copy to its ReplicaSets. */
const UNCOPIED_ANNOTATIONS = new Set([
  'kubectl.kubernetes.io/last-applied-configuration',
  REVISION_ANNOTATION,
  REVISION_HISTORY_ANNOTATION,
  DESIRED_REPLICAS_ANNOTATION,
  MAX_REPLICAS_ANNOTATION,
  'deprecated.deployment.rollback.to',
]);

/** The set whose template equals the Deployment's; the oldest if there are several. */
export function findNewSet({ spec }: Deployment, sets: readonly ReplicaSet[]): ReplicaSet | undefined {
  return [...sets].sort(byAge).find((set) => isSameTemplate(set.spec.template, spec.template));
}

export function byAge(left: ReplicaSet, right: ReplicaSet): number {
  const [a, b] = [left.metadata.creationTimestamp ?? '', right.metadata.creationTimestamp ?? ''];
  if (a !== b) return a < b ? -1 : 1;
  return (left.metadata.name ?? '') < (right.metadata.name ?? '') ? -1 : 1;
}

/** Equality of templates, ignoring pod-template-hash. */
export function isSameTemplate(left: PodTemplateSpec | undefined, right: PodTemplateSpec | undefined): boolean {
  return jsonEqual(withoutHash(left), withoutHash(right));
}

function withoutHash(template: PodTemplateSpec | undefined): object {
  const { [TEMPLATE_HASH_LABEL]: _, ...labels } = template?.metadata?.labels ?? {};
  const { creationTimestamp: _time, ...metadata } = template?.metadata ?? {};
  return { ...template, metadata: { ...metadata, labels } };
}

/** The number of a set's revision; 0 if it has none. Numbers may reach 2^63, and adopted sets have their own. */
export function revisionOf(set: ReplicaSet): bigint {
  return revisionIn(set.metadata.annotations?.[REVISION_ANNOTATION]);
}

function revisionIn(text = ''): bigint {
  return /^\d{1,19}$/.test(text) ? BigInt(text) : 0n;
}

export function nextRevision(sets: readonly ReplicaSet[]): bigint {
  return sets.map(revisionOf).reduce((highest, revision) => (revision > highest ? revision : highest), 0n) + 1n;
}

export function byRevision(left: ReplicaSet, right: ReplicaSet): number {
  const [a, b] = [revisionOf(left), revisionOf(right)];
  if (a === b) return 0;
  return a < b ? -1 : 1;
}

/** Annotations for the newest set: the Deployment's, and the revision with its history. */
export function newSetAnnotations(
  deployment: Deployment,
  set: ReplicaSet | undefined,
  revision: bigint,
): Record<string, string> {
  const annotations = { ...set?.metadata.annotations };
  for (const [name, value] of Object.entries(deployment.metadata.annotations ?? {})) {
    if (!UNCOPIED_ANNOTATIONS.has(name)) annotations[name] = value;
  }
  const before = annotations[REVISION_ANNOTATION];
  if (revisionIn(before) >= revision) return annotations;
  annotations[REVISION_ANNOTATION] = String(revision);
  if (before !== undefined) {
    const history = annotations[REVISION_HISTORY_ANNOTATION];
    annotations[REVISION_HISTORY_ANNOTATION] = history === undefined ? before : `${history},${before}`;
  }
  return annotations;
}
