import type { NodeTemplate } from '@fairway/api/kinds/node-pool';
import type { NodeTaint, TenantNode } from '@fairway/tenancy/connection/node';
import { describe, expect, test } from 'vitest';
import {
  desiredTemplate,
  OLD_APPLIED_TEMPLATE_ANNOTATION,
  templatePatch as patchOf,
  recordOf,
  unionOf,
} from './template-patch.ts';

const lifecycleTaint: NodeTaint = { key: 'node.kubernetes.io/not-ready', effect: 'NoSchedule' };

function template(options: {
  labels?: Record<string, string>;
  taints?: NodeTemplate['spec']['taints'];
  finalizers?: string[];
  unschedulable?: boolean;
}): NodeTemplate {
  const { labels = {}, finalizers = [], taints = [], unschedulable = false } = options;
  return { metadata: { labels, finalizers }, spec: { taints, unschedulable } };
}

/**
 * The patch for a node in pool `general` to which `applied` may have been applied, and the record that exists after a
 * restart.
 */
function templatePatch(node: TenantNode, applied: NodeTemplate | undefined, desired: NodeTemplate) {
  const next = desiredTemplate('general', desired);
  const before = applied && recordOf(desiredTemplate('general', applied));
  return patchOf(node, unionOf(before, recordOf(next)), next);
}

/** A node to which a template was applied, and which the tenant may have changed since. */
function nodeWith(
  applied: NodeTemplate,
  changes: Partial<TenantNode['spec']> & { labels?: Record<string, string> } = {},
): TenantNode {
  const bare: TenantNode = { metadata: { name: 'n1', resourceVersion: '7' }, spec: { taints: [lifecycleTaint] } };
  const patch = templatePatch(bare, undefined, applied);
  const { labels, ...spec } = changes;
  return {
    metadata: {
      ...bare.metadata,
      labels: { ...(patch?.metadata.labels as Record<string, string>), ...labels },
      annotations: patch?.metadata.annotations as Record<string, string>,
    },
    spec: {
      taints: patch?.spec?.taints ?? [lifecycleTaint],
      ...(patch?.spec?.unschedulable === true && { unschedulable: true }),
      ...spec,
    },
  };
}

describe('the patch of a node', () => {
  test('is undefined if the node has what its pool specifies', () => {
    const desired = template({
      labels: { tier: 'web' },
      taints: [{ key: 'gpu', effect: 'NoSchedule' }],
      unschedulable: true,
    });

    expect(templatePatch(nodeWith(desired), desired, desired)).toBeUndefined();
  });

  test('adds labels and taints to those set by others on a new node', () => {
    const bare: TenantNode = { metadata: { name: 'n1', resourceVersion: '7' }, spec: { taints: [lifecycleTaint] } };

    const patch = templatePatch(
      bare,
      undefined,
      template({ labels: { tier: 'web' }, taints: [{ key: 'gpu', effect: 'NoSchedule' }] }),
    );

    expect(patch?.metadata.resourceVersion).toBe('7');
    expect(patch?.metadata.labels).toEqual({ tier: 'web', 'fairway.dev/node-pool': 'general' });
    expect(patch?.spec?.taints).toEqual([lifecycleTaint, { key: 'gpu', effect: 'NoSchedule' }]);
  });

  test('removes what the pool no longer specifies and keeps what the tenant added', () => {
    const before = template({ labels: { tier: 'web', old: 'x' }, taints: [{ key: 'gpu', effect: 'NoSchedule' }] });
    const node = nodeWith(before, { labels: { mine: 'y' } });

    const patch = templatePatch(node, before, template({ labels: { tier: 'web' } }));

    expect(patch?.metadata.labels).toEqual({ old: null });
    expect(patch?.spec?.taints).toEqual([lifecycleTaint]);
  });

  test('adds and removes the pool’s finalizers, and keeps others', () => {
    const others = ['example.com/storage'];
    const requestedTemplate = template({ finalizers: ['example.com/inventory'] });
    const bare: TenantNode = { metadata: { name: 'n1', resourceVersion: '7', finalizers: others } };
    const both = [...others, 'example.com/inventory'];
    const held: TenantNode = { metadata: { ...bare.metadata, finalizers: both } };

    expect(templatePatch(bare, undefined, requestedTemplate)?.metadata.finalizers).toEqual(both);
    expect(templatePatch(held, requestedTemplate, requestedTemplate)?.metadata.finalizers).toBeUndefined();
    expect(templatePatch(held, requestedTemplate, template({}))?.metadata.finalizers).toEqual(others);
  });

  test('does not add a finalizer to a node being deleted, because its API server would reject it', () => {
    const metadata = { name: 'n1', resourceVersion: '7', deletionTimestamp: '2026-01-01T00:00:00Z' };

    const patch = templatePatch({ metadata }, undefined, template({ finalizers: ['example.com/inventory'] }));

    expect(patch?.metadata.finalizers).toBeUndefined();
  });

  test('restores a label that the tenant changed', () => {
    const desired = template({ labels: { tier: 'web' } });

    expect(templatePatch(nodeWith(desired, { labels: { tier: 'db' } }), desired, desired)?.metadata.labels).toEqual({
      tier: 'web',
    });
  });

  test('ignores the record on the node, because a kubelet may write it, and removes only that record', () => {
    const desired = template({ labels: { tier: 'web' } });
    const node = nodeWith(desired, { labels: { 'node-restriction.kubernetes.io/tenant': 'a' } });
    const claim = {
      labels: ['node-restriction.kubernetes.io/tenant'],
      annotations: ['mine'],
      taints: ['node.kubernetes.io/not-ready:NoSchedule'],
      unschedulable: true,
    };
    const annotations = { mine: 'x', [OLD_APPLIED_TEMPLATE_ANNOTATION]: JSON.stringify(claim) };

    const patch = templatePatch({ ...node, metadata: { ...node.metadata, annotations } }, desired, desired);

    expect(patch).toEqual({
      metadata: { resourceVersion: '7', labels: {}, annotations: { [OLD_APPLIED_TEMPLATE_ANNOTATION]: null } },
    });
  });
});

describe('the cordon of a node', () => {
  test.each([
    { was: false, wanted: true, isCordoned: false, patch: true, reason: 'the pool requests it' },
    { was: true, wanted: false, isCordoned: true, patch: null, reason: 'the pool no longer requests it' },
    { was: false, wanted: false, isCordoned: true, patch: undefined, reason: 'the tenant drains the node' },
    { was: true, wanted: true, isCordoned: true, patch: undefined, reason: 'it exists already' },
  ])('$reason', ({ was, wanted, isCordoned, patch }) => {
    const node = nodeWith(template({ unschedulable: was }), { unschedulable: isCordoned });

    const applied = template({ unschedulable: was });
    expect(templatePatch(node, applied, template({ unschedulable: wanted }))?.spec?.unschedulable).toBe(patch);
  });
});
