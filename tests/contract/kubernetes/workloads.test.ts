import type { Endpoints, Job, Pod, ReplicationController } from '@fairway/kube/kinds/generated/types';
import {
  EndpointSlices,
  Endpoints as EndpointsResource,
  Jobs,
  Pods,
  ReplicationControllers,
  ResourceQuotas,
  Services,
} from '@fairway/kube/kinds/resources';
import { eventually, eventuallyObject } from '@fairway/kube/testing/eventually';
import { beforeEach, expect, it } from 'vitest';
import { describeServers } from './targets.ts';

/** Without a token, because a new account's token may not exist yet. */
const POD_SPEC = { automountServiceAccountToken: false, containers: [{ name: 'main', image: 'a' }] };

describeServers('controllers', (server, target) => {
  let namespace: string;
  beforeEach(async () => {
    namespace = await server().namespace();
  });

  function controller(replicas: number): ReplicationController {
    const labels = { app: 'web' };
    return {
      metadata: { name: 'web', namespace },
      spec: { replicas, selector: labels, template: { metadata: { labels }, spec: POD_SPEC } },
    };
  }

  function waitForPods(matches: (pods: readonly Pod[]) => boolean) {
    return eventually(server().client.resource(Pods), { namespace }, matches);
  }

  it('keep a ReplicationController at its number of pods, and adopt and release pods', async () => {
    const pods = server().client.resource(Pods);
    const own = { name: 'own', namespace, labels: { app: 'web' } };
    await pods.create({ metadata: own, spec: POD_SPEC });
    await server().client.resource(ReplicationControllers).create(controller(2));
    const isOwned = ({ metadata }: Pod) => metadata.ownerReferences?.[0]?.kind === 'ReplicationController';
    await waitForPods((all) => all.length === 2 && all.every(isOwned));
    await pods.patch('own', { type: 'merge', value: { metadata: { labels: { app: null } } } }, { namespace });
    const threePods = await waitForPods((all) => all.filter(isOwned).length === 2 && all.length === 3);
    expect(threePods.find(({ metadata }) => metadata.name === 'own')?.metadata.ownerReferences).toBeUndefined();

    const scale = `/api/v1/namespaces/${namespace}/replicationcontrollers/web/scale`;
    const { json } = await server().raw('PATCH', scale, {
      headers: { 'content-type': 'application/merge-patch+json' },
      body: { spec: { replicas: 1 } },
    });
    expect([json.spec['replicas'], json.status['selector']]).toEqual([1, 'app=web']);
    await waitForPods((all) => all.filter(({ metadata }) => isOwned({ metadata } as Pod)).length === 1);
  });

  it('report that a quota blocks pods of a ReplicationController', async () => {
    const controllers = server().client.resource(ReplicationControllers);
    const quota = { metadata: { name: 'few', namespace }, spec: { hard: { pods: '1', services: '0' } } };
    await server().client.resource(ResourceQuotas).create(quota);
    const where = { namespace, name: 'few' };
    await eventuallyObject(server().client.resource(ResourceQuotas), where, ({ status }) => status?.used !== undefined);
    // Admission reads quotas from its own cache.
    const service = { metadata: { name: 'one', namespace }, spec: { ports: [{ port: 80 }] } };
    const services = server().client.resource(Services);
    const refusal = () => services.create(service, { dryRun: true }).then(() => 'none', String);
    await expect.poll(refusal).toContain('exceeded quota: few');
    await controllers.create(controller(2));
    const failureOf = ({ status }: ReplicationController) =>
      status?.conditions?.find(({ type }) => type === 'ReplicaFailure');
    const web = { namespace, name: 'web' };
    const failed = await eventuallyObject(controllers, web, (one) => failureOf(one) !== undefined);
    expect(failureOf(failed)).toMatchObject({ status: 'True', reason: 'FailedCreate' });
    expect(failureOf(failed)?.message).toContain('exceeded quota: few');
    await controllers.patch('web', { type: 'merge', value: { spec: { replicas: 1 } } }, { namespace });
    await eventuallyObject(controllers, web, (one) => failureOf(one) === undefined);
  });

  // EndpointSlices have been in v1 since 1.21.
  it.skipIf(target.minor < 21)('mirror the Endpoints of a Service without a selector', async () => {
    const endpoints = server().client.resource(EndpointsResource);
    await server()
      .client.resource(Services)
      .create({ metadata: { name: 'outside', namespace }, spec: { ports: [{ port: 80 }] } });
    const desired: Endpoints = {
      metadata: { name: 'outside', namespace, labels: { mine: 'yes' } },
      subsets: [
        {
          addresses: [{ ip: '10.1.2.3' }],
          notReadyAddresses: [{ ip: '10.1.2.4' }],
          ports: [{ name: 'web', port: 8080 }],
        },
      ],
    };
    await endpoints.create(desired);
    const waitForMirrored = (addresses: readonly (readonly [string, boolean])[]) =>
      eventually(server().client.resource(EndpointSlices), { namespace }, (slices) => {
        const found = slices.flatMap(({ endpoints }) => endpoints ?? []);
        const seen = new Map(found.map((one) => [one.addresses[0] ?? '', one.conditions?.ready ?? false]));
        expect(seen).toEqual(new Map(addresses));
        return true;
      });
    const [slice] = await waitForMirrored([
      ['10.1.2.3', true],
      ['10.1.2.4', false],
    ]);
    expect(slice).toMatchObject({
      metadata: {
        labels: {
          mine: 'yes',
          'kubernetes.io/service-name': 'outside',
          'endpointslice.kubernetes.io/managed-by': 'endpointslicemirroring-controller.k8s.io',
        },
        ownerReferences: [{ kind: 'Endpoints', name: 'outside' }],
      },
      addressType: 'IPv4',
      ports: [{ name: 'web', port: 8080, protocol: 'TCP' }],
    });
    await endpoints.patch(
      'outside',
      {
        type: 'merge',
        value: { subsets: [{ addresses: [{ ip: '10.9.9.9' }], ports: [{ name: 'web', port: 8080 }] }] },
      },
      { namespace },
    );
    await waitForMirrored([['10.9.9.9', true]]);
    await endpoints.delete('outside', { namespace });
    await waitForMirrored([]);
  });

  it.skipIf(target.minor < 33)('orphan the pods of a Job that is deleted without a propagation policy', async () => {
    const template = { spec: { ...POD_SPEC, restartPolicy: 'Never' } };
    await server()
      .client.resource(Jobs)
      .create({ metadata: { name: 'work', namespace }, spec: { template } });
    await waitForPods(([pod]) => pod?.metadata.finalizers?.length === 1);
    const { headers } = await server().raw('DELETE', `/apis/batch/v1/namespaces/${namespace}/jobs/work`);

    expect(headers['warning']).toContain('child pods are preserved by default when jobs are deleted');
    const [left] = await waitForPods(
      ([pod]) => pod?.metadata.ownerReferences === undefined && pod?.metadata.finalizers === undefined,
    );
    expect(left?.metadata.deletionTimestamp).toBeUndefined();
  });

  it.skipIf(target.minor < 33).each([
    { action: 'FailJob', condition: 'Failed', reason: 'PodFailurePolicy', indexes: '' },
    { action: 'FailIndex', condition: 'Failed', reason: 'FailedIndexes', indexes: '0' },
  ])('apply $action to a Job according to its failure policy', async ({ action, condition, reason, indexes }) => {
    const jobs = server().client.resource(Jobs);
    const spec: Job['spec'] = {
      completionMode: 'Indexed',
      completions: 1,
      backoffLimitPerIndex: 3,
      podFailurePolicy: { rules: [{ action, onExitCodes: { operator: 'In', values: [42] } }] },
      template: { spec: { ...POD_SPEC, restartPolicy: 'Never' } },
    };
    await jobs.create({ metadata: { name: 'work', namespace }, spec });
    const [pod] = await waitForPods((all) => all.length === 1);
    const terminated = { exitCode: 42, startedAt: '2026-01-01T00:00:00Z', finishedAt: '2026-01-01T00:00:01Z' };
    const container = { name: 'main', image: 'a', imageID: 'a', ready: false, restartCount: 0, state: { terminated } };
    const value = { status: { phase: 'Failed', containerStatuses: [container] } };
    await server()
      .client.resource(Pods)
      .patch(pod?.metadata.name ?? '', { type: 'merge', value }, { namespace, subresource: 'status' });
    const where = { namespace, name: 'work' };
    const ended = await eventuallyObject(
      jobs,
      where,
      ({ status }) => status?.conditions?.some(({ type }) => type === condition) ?? false,
    );
    expect(ended.status?.conditions?.find(({ type }) => type === condition)).toMatchObject({ status: 'True', reason });
    expect(ended.status).toMatchObject({ failed: 1, failedIndexes: indexes });
  });
});
