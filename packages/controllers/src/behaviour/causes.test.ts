import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ConditionReason } from '@fairway/api/conditions';
import { cloudCredentials } from '@fairway/api/kinds/cloud-credential';
import { clusters } from '@fairway/api/kinds/cluster';
import { kubernetesReleases } from '@fairway/api/kinds/kubernetes-release';
import { machines } from '@fairway/api/kinds/machine';
import { nodePools } from '@fairway/api/kinds/node-pool';
import { plans } from '@fairway/api/kinds/plan';
import { findCondition } from '@fairway/kube/controller/conditions';
import { Events } from '@fairway/kube/kinds/resources';
import type { Condition, KubeObject, ResourceType } from '@fairway/kube/object/meta';
import { describe, expect, test } from 'vitest';
import { CAUSES } from '../testing/causes/all.ts';
import { bringAbout } from '../testing/causes/bring-about.ts';
import { renderCauses } from '../testing/causes/render.ts';
import { renderTroubleshooting } from '../testing/causes/render-troubleshooting.ts';
import { UNLISTED_REASONS } from '../testing/causes/unlisted.ts';
import { isWait, WAITS } from '../testing/causes/waits.ts';
import { TEAM } from '../testing/test-fairway.ts';

/** The fields shared by all kinds with causes. */
interface ObjectWithCauses extends KubeObject {
  readonly status?: { readonly phase?: string | undefined; readonly conditions?: readonly Condition[] | undefined };
}

/** Replaces values that differ between runs with the table's placeholders. */
function template(text: string): string {
  return text
    .replaceAll(/(?<=choose one of )[\d., ()]+/g, '{versions}')
    .replaceAll(/\b2\d{3}-\d\d-\d\dT[\d:.]+Z/g, '{time}')
    .replaceAll(/\bhttps:\/\/[\w.-]+:\d+/g, '{url}')
    .replaceAll(/\b127\.0\.0\.1:\d+/g, '{host}')
    .replaceAll(/\b[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}\b/g, '{id}')
    .replaceAll(/\b[\da-f]{32}\b/g, '{id}')
    .replaceAll(/\bdemo-(general|odd|apart)-[a-z\d]+\b/g, '{machine}')
    .replaceAll(/\w{3}, \d\d \w{3} \d{4} [\d:]{8} GMT/g, '{time}');
}

describe('reported causes', () => {
  test.each(CAUSES)('$cause: $kind, $reason', async (cause) => {
    await using scenario = await bringAbout(cause);
    const { fairway } = scenario;

    const type: ResourceType<ObjectWithCauses> = {
      CloudCredential: cloudCredentials,
      Cluster: clusters,
      NodePool: nodePools,
      Machine: machines,
      Plan: plans,
      KubernetesRelease: kubernetesReleases,
    }[cause.kind];
    const { items } = await fairway.client.resource(type).list(type.namespaced ? { namespace: TEAM } : {});
    const objectReports = items.map(({ status }) => {
      const condition = findCondition(status?.conditions, cause.condition ?? 'Ready');
      return { phase: status?.phase, reason: condition?.reason, message: template(condition?.message ?? '') };
    });
    const { items: events } = await fairway.client.resource(Events).list({ namespace: TEAM });
    const warnings = events.filter(({ type }) => type === 'Warning');
    const eventReports = warnings.map(({ involvedObject, reason, message }) => ({
      kind: involvedObject?.kind,
      reason,
      message: template(message ?? ''),
    }));

    expect(objectReports).toContainEqual({ phase: cause.phase, reason: cause.reason, message: cause.message });
    expect(eventReports).toEqual(expect.arrayContaining(cause.event ? [cause.event] : []));
  });
});

describe('each reason of a condition', () => {
  const reported = new Set(CAUSES.flatMap(({ reason, event }): readonly string[] => [reason, event?.reason ?? reason]));

  test.each(Object.keys(ConditionReason))('%s has a row in the table, or a reason for having none', (reason) => {
    expect(reported.has(reason)).toBe(UNLISTED_REASONS[reason as ConditionReason] === undefined);
  });
});

describe('each wait during a deletion or start', () => {
  const named = new Set(WAITS.map(({ cause }) => cause));

  test.each(WAITS)(
    '$of of a $object, $heldBy: has exactly one cause, which is itself tested',
    ({ of, cause: name }) => {
      const [cause, ...others] = CAUSES.filter((each) => each.cause === name);

      expect(others).toEqual([]);
      expect(cause?.reason).toBeDefined();
      // If the Cluster is being deleted, the Cluster itself reports it, with an Event.
      const isOfCluster = of === 'deletion' && cause?.phase === 'Deleting';
      expect(!isOfCluster || cause?.event?.kind === 'Cluster').toBe(true);
    },
  );

  test.each(CAUSES.filter(isWait))('$cause: is listed', ({ cause }) => {
    expect(named).toContain(cause);
  });
});

test('no cause is listed twice', () => {
  expect(new Set(CAUSES.map(({ cause }) => cause)).size).toBe(CAUSES.length);
});

test.each([
  ['docs/operators/causes.md', renderCauses],
  ['docs/troubleshooting.md', renderTroubleshooting],
])('%s is up to date (npm run generate:causes)', (page, render) => {
  const stored = readFileSync(join(import.meta.dirname, '../../../..', page), 'utf8');

  expect(stored).toBe(render(CAUSES));
});
