import { isDeepStrictEqual } from 'node:util';
import { NODE_POOL_LABEL } from '@fairway/api/group';
import type { NodeTemplate } from '@fairway/api/kinds/node-pool';
import type { NodeTaint, TenantNode } from '../tenant/node.ts';

/** On a tenant's Node: what Fairway put there, so that what the pool no longer asks for can go and what others put there can stay. */
export const APPLIED_TEMPLATE_ANNOTATION = 'fairway.dev/applied-template';

interface Applied {
  readonly labels: readonly string[];
  readonly annotations: readonly string[];
  readonly taints: readonly string[];
  readonly unschedulable: boolean;
}

const NOTHING_APPLIED: Applied = { labels: [], annotations: [], taints: [], unschedulable: false };

/** A JSON merge patch for a Node. */
export interface NodePatch {
  readonly metadata: {
    readonly resourceVersion: string | undefined;
    readonly labels: Readonly<Record<string, string | null>>;
    readonly annotations: Readonly<Record<string, string | null>>;
  };
  readonly spec?: { readonly taints?: readonly NodeTaint[]; readonly unschedulable?: boolean | null };
}

/**
 * What brings a node in line with its pool's template: three-way, between what was applied, what is there and what is wished for.
 * Undefined when nothing is to be done. A merge patch replaces the taints whole, hence its resourceVersion.
 */
export function templatePatch(node: TenantNode, poolName: string, template: NodeTemplate): NodePatch | undefined {
  const applied = appliedOf(node);
  const wantedLabels = { ...template.metadata.labels, [NODE_POOL_LABEL]: poolName };
  const wantedAnnotations = template.metadata.annotations ?? {};
  const wantedTaints = (template.spec.taints ?? []).map(({ key, value, effect }): NodeTaint => {
    return { key, effect, ...(value !== undefined && { value }) };
  });
  const next: Applied = {
    labels: Object.keys(wantedLabels).sort(),
    annotations: Object.keys(wantedAnnotations).sort(),
    taints: wantedTaints.map(taintKey).sort(),
    unschedulable: template.spec.unschedulable,
  };
  const labels = mapPatch(node.metadata.labels ?? {}, applied.labels, wantedLabels);
  const annotations = mapPatch(node.metadata.annotations ?? {}, applied.annotations, wantedAnnotations);
  if (!isDeepStrictEqual(applied, next)) annotations[APPLIED_TEMPLATE_ANNOTATION] = JSON.stringify(next);
  const taints = mergeTaints(node.spec?.taints ?? [], applied.taints, wantedTaints);
  const unschedulable = cordonPatch(node, applied.unschedulable, next.unschedulable);
  const spec = { ...(taints && { taints }), ...(unschedulable !== undefined && { unschedulable }) };
  const isSame = Object.keys(labels).length + Object.keys(annotations).length + Object.keys(spec).length === 0;
  if (isSame) return undefined;
  return {
    metadata: { resourceVersion: node.metadata.resourceVersion, labels, annotations },
    ...(Object.keys(spec).length > 0 && { spec }),
  };
}

function appliedOf(node: TenantNode): Applied {
  const text = node.metadata.annotations?.[APPLIED_TEMPLATE_ANNOTATION];
  if (text === undefined) return NOTHING_APPLIED;
  try {
    return { ...NOTHING_APPLIED, ...(JSON.parse(text) as Partial<Applied>) };
  } catch {
    // The tenant changed it; from here on it is known again.
    return NOTHING_APPLIED;
  }
}

function mapPatch(
  present: Readonly<Record<string, string>>,
  applied: readonly string[],
  wanted: Readonly<Record<string, string>>,
): Record<string, string | null> {
  const patch: Record<string, string | null> = {};
  for (const key of applied) if (wanted[key] === undefined && present[key] !== undefined) patch[key] = null;
  for (const [key, value] of Object.entries(wanted)) if (present[key] !== value) patch[key] = value;
  return patch;
}

/** The whole list of taints where it must change; taints of others (node lifecycle, cloud provider, the tenant) stay in place. */
function mergeTaints(
  present: readonly NodeTaint[],
  applied: readonly string[],
  wanted: readonly NodeTaint[],
): readonly NodeTaint[] | undefined {
  const wantedKeys = new Map(wanted.map((taint) => [taintKey(taint), taint]));
  const kept = present.filter((taint) => !applied.includes(taintKey(taint)) || wantedKeys.has(taintKey(taint)));
  const next = kept.map((taint) => {
    const wish = wantedKeys.get(taintKey(taint));
    return wish && (wish.value ?? '') !== (taint.value ?? '') ? { ...wish } : taint;
  });
  for (const [key, taint] of wantedKeys) if (!present.some((other) => taintKey(other) === key)) next.push({ ...taint });
  return isDeepStrictEqual(next, present) ? undefined : next;
}

/** A taint is the same while key and effect are. */
function taintKey({ key, effect }: { readonly key: string; readonly effect: string }): string {
  return `${key}:${effect}`;
}

/** Cordons what the pool wants cordoned, and uncordons only what it had cordoned itself: a drain of the tenant's stays. */
function cordonPatch(node: TenantNode, applied: boolean, wanted: boolean): boolean | null | undefined {
  const isCordoned = node.spec?.unschedulable === true;
  if (wanted) return isCordoned ? undefined : true;
  return applied && isCordoned ? null : undefined;
}
