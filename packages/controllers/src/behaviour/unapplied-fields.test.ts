import { clusterWarnings } from '@fairway/api/admission/admit-cluster';
import { describeUnapplied, unappliedPlanFields } from '@fairway/api/domain/unapplied-fields';
import { clusters } from '@fairway/api/kinds/cluster';
import { nodePools } from '@fairway/api/kinds/node-pool';
import { type Plan, plans } from '@fairway/api/kinds/plan';
import { aCluster, aPlan } from '@fairway/api/testing/objects';
import { ONE_COPY } from '@fairway/control-plane/runtime';
import { findCondition } from '@fairway/kube/controller/conditions';
import type { Condition } from '@fairway/kube/object/meta';
import { eventually } from '@fairway/kube/testing/eventually';
import { describe, expect, test } from 'vitest';
import { planConditions } from '../cluster/plan-conditions.ts';
import { TEAM, TestFairway } from '../testing/test-fairway.ts';

/** All fields without effect, in combinations that no single cluster could have. */
const requestedSpec = () => {
  const resources = {
    limits: { cpu: '1', memory: '1Gi' },
    requests: { cpu: '100m', memory: '64Mi' },
  };
  return aCluster({
    cni: {
      type: 'cilium',
      cilium: {
        clusterID: 7,
        clusterMesh: { enabled: true, apiServer: { serviceType: 'NodePort', nodePort: 31_000 } },
        hubble: {
          enabled: true,
          relay: { enabled: true },
          ui: { enabled: true, backendResources: resources, frontendResources: resources },
        },
      },
    },
    apiServer: {
      oidc: { issuerURL: 'https://id.example.org', clientID: 'kubernetes', signingAlgorithms: ['ES256', 'RS256'] },
    },
  });
};

describe('a cluster reports fields without effect, on write and as long as they are set', () => {
  const reported = () => {
    const plan = aPlan().spec;
    const { FieldsApplied } = planConditions(requestedSpec(), { plan, spread: ONE_COPY });
    return { warnings: clusterWarnings(requestedSpec()).join('\n'), condition: FieldsApplied };
  };

  test.each([
    'spec.cni.cilium.clusterID (7)',
    'spec.cni.cilium.clusterMesh.enabled (true)',
    'spec.cni.cilium.clusterMesh.apiServer.serviceType (NodePort)',
    'spec.cni.cilium.clusterMesh.apiServer.nodePort (31000)',
    'spec.cni.cilium.hubble.enabled (true)',
    'spec.cni.cilium.hubble.relay.enabled (true)',
    'spec.cni.cilium.hubble.ui.enabled (true)',
    'spec.cni.cilium.hubble.ui.backendResources.limits.cpu (1)',
    'spec.cni.cilium.hubble.ui.backendResources.limits.memory (1Gi)',
    'spec.cni.cilium.hubble.ui.backendResources.requests.cpu (100m)',
    'spec.cni.cilium.hubble.ui.backendResources.requests.memory (64Mi)',
    'spec.cni.cilium.hubble.ui.frontendResources.limits.cpu (1)',
    'spec.cni.cilium.hubble.ui.frontendResources.limits.memory (1Gi)',
    'spec.cni.cilium.hubble.ui.frontendResources.requests.cpu (100m)',
    'spec.cni.cilium.hubble.ui.frontendResources.requests.memory (64Mi)',
    'spec.apiServer.oidc.signingAlgorithms (ES256, RS256)',
  ])('%s', (field) => {
    const { warnings, condition } = reported();

    expect(warnings).toContain(`${field}: ignored by this release: `);
    expect(condition).toMatchObject({ type: 'FieldsApplied', status: 'False', reason: 'NotImplemented' });
    expect(condition?.message).toContain(field);
  });

  test.each([
    { cni: 'canal', allowed: ['canal'] },
    { cni: 'cilium', allowed: ['cilium'] },
  ] as const)(
    'the pod network $cni that an earlier release left to its tenant, even if its plan includes it',
    ({ cni, allowed }) => {
      const plan = aPlan({ cni: { default: cni, allowed: [...allowed] } }).spec;
      const reported = (cniInstaller: 'Fairway' | 'Tenant') =>
        planConditions({ ...aCluster(), status: { cniInstaller } }, { plan, spread: ONE_COPY }).FieldsApplied;

      expect(reported('Fairway')).toBeUndefined();
      expect(reported('Tenant')?.message).toBe(
        `accepted, but ignored by this release: spec.cni.type (${cni}): the cluster was created by a release of Fairway that did not install it, and keeps the pod network that you installed; after a reset Fairway installs it`,
      );
      expect(clusterWarnings(aCluster())).toEqual([]);
    },
  );

  test('settings of a pod network that its tenant has installed', () => {
    const { spec } = aCluster({ cni: { type: 'cilium', cilium: { clusterID: 8 } } });
    const cluster = { ...aCluster(), spec, status: { cniInstaller: 'Tenant' as const } };

    expect(clusterWarnings(cluster)).toContain(
      'spec.cni.cilium.clusterID (8): ignored by this release: Fairway did not install the pod network of this cluster: set it in that installation',
    );
  });

  test('nothing if it has no such fields', () => {
    const cluster = aCluster({ cni: { type: 'none' } });

    expect(planConditions(cluster, { plan: aPlan().spec, spread: ONE_COPY })).toEqual({
      ControlPlaneHighlyAvailable: undefined,
      FieldsApplied: undefined,
    });
  });

  test('warnings appear only for fields that are newly set', () => {
    const changed = aCluster({ cni: { type: 'cilium', cilium: { clusterID: 8 } } });

    expect(clusterWarnings(changed, requestedSpec())).toEqual([
      'spec.cni.cilium.clusterID (8): ignored by this release: Fairway installs Cilium without a cluster mesh and without Hubble',
    ]);
  });
});

describe('a cluster with its own autoscaler', () => {
  test.each([
    {
      servesAutoscalers: false,
      reportedText: /spec\.autoscaler\.mode \(External\): this Fairway does not serve external autoscalers/,
    },
    { servesAutoscalers: true, reportedText: /^$/ },
  ])(
    'reports the mode External unless external autoscalers are served (served: $servesAutoscalers)',
    ({ servesAutoscalers, reportedText }) => {
      const options = { autoscaler: { mode: 'External' as const }, cni: { type: 'none' as const } };
      const cluster = aCluster(options);
      const { FieldsApplied } = planConditions(cluster, { plan: aPlan().spec, spread: ONE_COPY, servesAutoscalers });

      expect(FieldsApplied?.message ?? '').toMatch(reportedText);
    },
  );
});

describe('a plan also reports fields without effect', () => {
  test.each(['spec.etcd.topology (Shared)', 'spec.network.ipFamilies (IPv6, DualStack)'])('%s', (field) => {
    const plan = aPlan();
    const network = { ...plan.spec.network, ipFamilies: ['IPv4' as const, 'IPv6' as const, 'DualStack' as const] };

    expect(describeUnapplied(unappliedPlanFields(aPlan({ network })))).toContain(field);
  });
});

describe('in a running Fairway', () => {
  const conditionOf = (object: { status?: { conditions?: Condition[] | undefined } } | undefined, type: string) =>
    findCondition(object?.status?.conditions, type);

  test('cluster and plan report fields without effect in addition to Ready, and a pool drops the message of an earlier release', async () => {
    await using fairway = await TestFairway.start();
    const cni = { cilium: { hubble: { enabled: true } } };
    const demo = await fairway.readyCluster({ replicas: 1 }, { plan: 'standard', cni });
    const [plan] = await eventually(fairway.client.resource(plans), { fieldSelector: 'metadata.name=free' }, ([free]) =>
      Boolean(conditionOf(free, 'FieldsApplied')),
    );
    const conditionState = { type: 'FieldsApplied', status: 'False' as const, reason: 'NotImplemented', message: '' };
    const conditions = [{ ...conditionState, lastTransitionTime: '2026-01-01T00:00:00Z' }];
    const outdatedStatus = { type: 'merge' as const, value: { status: { conditions } } };
    await fairway.client
      .resource(nodePools)
      .patch('general', outdatedStatus, { namespace: TEAM, subresource: 'status' });
    await fairway.until(nodePools, ([each]) => conditionOf(each, 'FieldsApplied') === undefined);

    const notImplemented = { status: 'False', reason: 'NotImplemented' };
    expect(conditionOf(demo, 'FieldsApplied')).toMatchObject(notImplemented);
    expect(conditionOf(plan as Plan, 'FieldsApplied')).toMatchObject(notImplemented);
  });

  test('a cluster whose plan promises several control-plane replicas reports that it has one', async () => {
    await using fairway = await TestFairway.start();
    await fairway.createCluster({ plan: 'standard' });

    const [cluster] = await fairway.until(clusters, ([each]) => conditionOf(each, 'Ready')?.status === 'True');

    expect(conditionOf(cluster, 'ControlPlaneHighlyAvailable')).toMatchObject({
      status: 'False',
      reason: 'SingleReplica',
      message:
        'plan "standard" promises a control plane with 3 replicas across several zones, but this Fairway runs 1 in 1 zone: the API server is unavailable whenever its machine is',
    });
  });
});

describe('the control planes that a plan promises', () => {
  const conditionFor = (topology: 'SingleZone' | 'MultiZone', replicas: number, spread: typeof ONE_COPY) => {
    const plan = aPlan({ controlPlane: { topology, replicas } }).spec;
    return planConditions(aCluster(), { plan, spread })['ControlPlaneHighlyAvailable']?.status;
  };

  test.each([
    { topology: 'SingleZone' as const, replicas: 1, spread: ONE_COPY, expectedMessage: undefined },
    { topology: 'SingleZone' as const, replicas: 3, spread: ONE_COPY, expectedMessage: 'False' },
    { topology: 'SingleZone' as const, replicas: 3, spread: { replicas: 3, zones: 1 }, expectedMessage: 'True' },
    { topology: 'MultiZone' as const, replicas: 3, spread: { replicas: 3, zones: 1 }, expectedMessage: 'False' },
    { topology: 'MultiZone' as const, replicas: 3, spread: { replicas: 3, zones: 3 }, expectedMessage: 'True' },
  ])('$replicas in $topology with $spread: $expectedMessage', ({ topology, replicas, spread, expectedMessage }) => {
    expect(conditionFor(topology, replicas, spread)).toBe(expectedMessage);
  });
});
