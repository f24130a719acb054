import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ConditionReason } from '@fairway/api/conditions';
import { cloudCredentials } from '@fairway/api/kinds/cloud-credential';
import { clusters } from '@fairway/api/kinds/cluster';
import { kubernetesReleases } from '@fairway/api/kinds/kubernetes-release';
import { machines } from '@fairway/api/kinds/machine';
import { nodePools } from '@fairway/api/kinds/node-pool';
import { plans } from '@fairway/api/kinds/plan';
import { seededRandom } from '@fairway/base/testing/seeded-random';
import { findCondition } from '@fairway/kube/controller/conditions';
import { Events } from '@fairway/kube/kinds/resources';
import type { Condition, KubeObject, ResourceType } from '@fairway/kube/object/meta';
import { describe, expect, test } from 'vitest';
import { CAUSES } from '../testing/causes/all.ts';
import type { Cause, Steps } from '../testing/causes/cause.ts';
import { renderCauses } from '../testing/causes/render.ts';
import { UNLISTED } from '../testing/causes/unlisted.ts';
import { LASTING_CAUSES, SwitchedFaults } from '../testing/lasting-causes.ts';
import { SteppingClock } from '../testing/stepping-clock.ts';
import { TEAM, TestFairway } from '../testing/test-fairway.ts';

const SEED = 4_242;

/** What all kinds have that tell of causes. */
interface Told extends KubeObject {
  readonly status?: { readonly phase?: string | undefined; readonly conditions?: readonly Condition[] | undefined };
}

function stepsOf({ by }: Cause): Steps {
  if (typeof by !== 'string') return by;
  const lasting = LASTING_CAUSES.find(({ cause }) => cause === by);
  if (lasting === undefined) throw new Error(`there is no lasting cause ${by}`);
  const { begin, ask, nodesJoin } = lasting;
  const isNew = lasting.from === 'nothing';
  return {
    from: isNew ? 'nothing' : 'a cluster',
    begin,
    ...(nodesJoin === false && { nodesJoin }),
    ...(!isNew && { ask: ask ?? ((fairway) => fairway.patch(nodePools, 'general', { spec: { replicas: 4 } })) }),
  };
}

/** What differs from one run to the next, as the table writes it. */
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

describe('what people are told', () => {
  test.each(CAUSES)('$cause: $kind, $reason', async (cause) => {
    const steps = stepsOf(cause);
    const clock = new SteppingClock();
    const faults = new SwitchedFaults();
    const joining = steps.nodesJoin === false ? { nodesJoin: false } : {};
    const cloud = steps.cloud === undefined ? {} : { cloud: steps.cloud };
    const random = seededRandom(SEED);
    await using fairway = await TestFairway.start({ clock, random, ...faults.options, ...joining, ...cloud });
    if (steps.from === 'a cluster') {
      await clock.during(fairway.readyCluster({ replicas: 1 }));
      await clock.pass(20_000);
    }

    await steps.begin(fairway, faults);
    if (steps.ask) await steps.ask(fairway);
    else if (steps.from === 'nothing') {
      await fairway.createCluster();
      await fairway.createPool({ replicas: 1 });
    }
    if (steps.afterwards) {
      await clock.pass(20_000);
      await steps.afterwards(fairway);
    }
    await clock.pass(cause.afterMs ?? 20_000);

    const type: ResourceType<Told> = {
      CloudCredential: cloudCredentials,
      Cluster: clusters,
      NodePool: nodePools,
      Machine: machines,
      Plan: plans,
      KubernetesRelease: kubernetesReleases,
    }[cause.kind];
    const { items } = await fairway.client.resource(type).list(type.namespaced ? { namespace: TEAM } : {});
    const told = items.map(({ status }) => {
      const condition = findCondition(status?.conditions, cause.condition ?? 'Ready');
      return { phase: status?.phase, reason: condition?.reason, message: template(condition?.message ?? '') };
    });
    const { items: events } = await fairway.client.resource(Events).list({ namespace: TEAM });
    const said = events.map(({ involvedObject, reason, message }) => ({
      kind: involvedObject?.kind,
      reason,
      message: template(message ?? ''),
    }));

    expect(told).toContainEqual({ phase: cause.phase, reason: cause.reason, message: cause.message });
    expect(said).toEqual(expect.arrayContaining(cause.event ? [cause.event] : []));
  });
});

describe('each reason of a condition', () => {
  const told = new Set(CAUSES.flatMap(({ reason, event }): readonly string[] => [reason, event?.reason ?? reason]));

  test.each(Object.keys(ConditionReason))('%s has a row in the table, or a word why it has none', (reason) => {
    expect(told.has(reason)).toBe(UNLISTED[reason as ConditionReason] === undefined);
  });
});

test('no cause is listed twice', () => {
  expect(new Set(CAUSES.map(({ cause }) => cause)).size).toBe(CAUSES.length);
});

test('docs/operators/causes.md says the same (npm run generate:causes)', () => {
  const stored = readFileSync(join(import.meta.dirname, '../../../../docs/operators/causes.md'), 'utf8');

  expect(stored).toBe(renderCauses(CAUSES));
});
