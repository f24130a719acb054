import { isDeepStrictEqual } from 'node:util';
import { NODE_POOL_LABEL } from '@fairway/api/group';
import type { AppliedTemplate } from '@fairway/api/kinds/machine';
import type { NodeTemplate } from '@fairway/api/kinds/node-pool';
import type { NodeTaint, TenantNode } from '@fairway/tenancy/connection/node';

/**
 * The annotation in which earlier releases recorded the applied template on the Node itself. A kubelet may write it, so
 * it is never read: an attacker with a kubelet's credential could make Fairway remove taints and labels that keep other
 * workloads off the node.
 */
export const OLD_APPLIED_TEMPLATE_ANNOTATION = 'fairway.dev/applied-template';

const EMPTY_TEMPLATE: AppliedTemplate = { labels: [], annotations: [], taints: [], unschedulable: false };

/** A JSON merge patch for a Node. */
export interface NodePatch {
  readonly metadata: {
    readonly resourceVersion: string | undefined;
    readonly labels: Readonly<Record<string, string | null>>;
    readonly annotations: Readonly<Record<string, string | null>>;
    readonly finalizers?: readonly string[];
  };
  readonly spec?: { readonly taints?: readonly NodeTaint[]; readonly unschedulable?: boolean | null };
}

/** A pool's template as applied to a node. */
export interface DesiredNodeTemplate {
  readonly labels: Readonly<Record<string, string>>;
  readonly annotations: Readonly<Record<string, string>>;
  readonly finalizers: readonly string[];
  readonly taints: readonly NodeTaint[];
  readonly unschedulable: boolean;
}

export function desiredTemplate(poolName: string, { metadata, spec }: NodeTemplate): DesiredNodeTemplate {
  return {
    labels: { ...metadata.labels, [NODE_POOL_LABEL]: poolName },
    annotations: metadata.annotations ?? {},
    finalizers: metadata.finalizers ?? [],
    taints: (spec.taints ?? []).map(({ key, value, effect }) => ({
      key,
      effect,
      ...(value !== undefined && { value }),
    })),
    unschedulable: spec.unschedulable,
  };
}

/** The record of a node to which only `wanted` was applied. */
export function recordOf({
  labels,
  annotations,
  finalizers,
  taints,
  unschedulable,
}: DesiredNodeTemplate): AppliedTemplate {
  return {
    labels: Object.keys(labels).sort(),
    annotations: Object.keys(annotations).sort(),
    ...(finalizers.length > 0 && { finalizers: finalizers.toSorted() }),
    taints: taints.map(taintKey).sort(),
    unschedulable,
  };
}

/** The record of a node that may have either of two templates: written before the node is patched. */
export function unionOf(a: AppliedTemplate = EMPTY_TEMPLATE, b: AppliedTemplate): AppliedTemplate {
  const union = (one: readonly string[], other: readonly string[]) => [...new Set([...one, ...other])].sort();
  const finalizers = union(a.finalizers ?? [], b.finalizers ?? []);
  return {
    labels: union(a.labels, b.labels),
    annotations: union(a.annotations, b.annotations),
    ...(finalizers.length > 0 && { finalizers }),
    taints: union(a.taints, b.taints),
    unschedulable: a.unschedulable || b.unschedulable,
  };
}

/**
 * The patch that applies the pool's template to a node: a three-way merge of what may have been applied, the actual and
 * the desired state. Undefined if nothing needs to change. A merge patch replaces taints and finalizers as a whole, so
 * it contains the resourceVersion.
 */
export function templatePatch(
  node: TenantNode,
  applied: AppliedTemplate,
  desired: DesiredNodeTemplate,
): NodePatch | undefined {
  const { resourceVersion } = node.metadata;
  const present = node.metadata.annotations ?? {};
  const labels = mapPatch(node.metadata.labels ?? {}, applied.labels, desired.labels);
  const annotations = mapPatch(present, [...applied.annotations, OLD_APPLIED_TEMPLATE_ANNOTATION], desired.annotations);
  const finalizers = mergeFinalizers(node, applied.finalizers ?? [], desired.finalizers);
  const taints = mergeTaints(node.spec?.taints ?? [], applied.taints, desired.taints);
  const unschedulable = cordonPatch(node, applied.unschedulable, desired.unschedulable);
  const spec = { ...(taints && { taints }), ...(unschedulable !== undefined && { unschedulable }) };
  const changes = Object.keys(labels).length + Object.keys(annotations).length + Object.keys(spec).length;
  if (changes === 0 && finalizers === undefined) return undefined;
  const metadata = { resourceVersion, labels, annotations, ...(finalizers && { finalizers }) };
  return { metadata, ...(Object.keys(spec).length > 0 && { spec }) };
}

function mapPatch(
  present: Readonly<Record<string, string>>,
  applied: readonly string[],
  desired: Readonly<Record<string, string>>,
): Record<string, string | null> {
  const patch: Record<string, string | null> = {};
  for (const key of applied) if (desired[key] === undefined && present[key] !== undefined) patch[key] = null;
  for (const [key, value] of Object.entries(desired)) if (present[key] !== value) patch[key] = value;
  return patch;
}

/** The complete list if it needs to change, as with taints. A node that is being deleted accepts no new finalizers. */
function mergeFinalizers(
  { metadata }: TenantNode,
  applied: readonly string[],
  desired: readonly string[],
): readonly string[] | undefined {
  const present = metadata.finalizers ?? [];
  const kept = present.filter((key) => !applied.includes(key) || desired.includes(key));
  const added = metadata.deletionTimestamp === undefined ? desired.filter((key) => !present.includes(key)) : [];
  return kept.length === present.length && added.length === 0 ? undefined : [...kept, ...added];
}

/**
 * The complete list of taints if it needs to change; others' taints (node lifecycle, cloud provider, the tenant) are
 * retained.
 */
function mergeTaints(
  present: readonly NodeTaint[],
  applied: readonly string[],
  desiredTaints: readonly NodeTaint[],
): readonly NodeTaint[] | undefined {
  const desiredKeys = new Map(desiredTaints.map((taint) => [taintKey(taint), taint]));
  const kept = present.filter((taint) => !applied.includes(taintKey(taint)) || desiredKeys.has(taintKey(taint)));
  const next = kept.map((taint) => {
    const desired = desiredKeys.get(taintKey(taint));
    return desired && (desired.value ?? '') !== (taint.value ?? '') ? { ...desired } : taint;
  });
  for (const [key, taint] of desiredKeys)
    if (!present.some((other) => taintKey(other) === key)) next.push({ ...taint });
  return isDeepStrictEqual(next, present) ? undefined : next;
}

/** A taint is identified by key and effect. */
function taintKey({ key, effect }: { readonly key: string; readonly effect: string }): string {
  return `${key}:${effect}`;
}

/** Cordons nodes as the template specifies, and only uncordons nodes that it had cordoned: a tenant's own cordon is retained. */
function cordonPatch(node: TenantNode, applied: boolean, desired: boolean): boolean | null | undefined {
  const isCordoned = node.spec?.unschedulable === true;
  if (desired) return isCordoned ? undefined : true;
  return applied && isCordoned ? null : undefined;
}
