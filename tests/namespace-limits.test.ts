import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { API_VERSION } from '@fairway/api/group';
import { cloudCredentials } from '@fairway/api/kinds/cloud-credential';
import type { KubeClient } from '@fairway/kube/client/kube-client';
import { ConfigMaps, Namespaces, ResourceQuotas, Secrets, Services } from '@fairway/kube/kinds/resources';
import { eventuallyObject } from '@fairway/kube/testing/eventually';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { findBinaries } from './contract/kubernetes/binaries.ts';
import { type ManagementCluster, startManagementCluster } from './management/management-cluster.ts';
import { RunningReplica } from './management-gateway/running-replica.ts';

const NAME = 'fairway-namespace-limits';
const LONG_WAIT = { deadlineMs: 300_000 };
const LIMITS = `limits:
  maxSecretsPerNamespace: 5
  maxConfigMapsPerNamespace: 1
  maxCloudCredentialsPerNamespace: 3
`;
const WRITERS = Array.from({ length: 20 }, (_, index) => `writer-${index}`);
const releases = findBinaries();
const NONE = { version: '(skipped: there is no kube-apiserver at hand)' };

describe.skipIf(releases.length === 0).each(releases.length > 0 ? releases : [NONE as (typeof releases)[number]])(
  'namespace limits in front of kube-apiserver $version',
  (binaries) => {
    let cluster: ManagementCluster;
    let admin: KubeClient;
    let replica: RunningReplica;

    beforeAll(async () => {
      // Before 1.24, kube-apiserver creates a Secret in each namespace, which a new quota's count may miss.
      cluster = await startManagementCluster(binaries, { withoutControllers: ['serviceaccount-token'] });
      admin = cluster.adminClient();
      const config = join(cluster.folder, 'fairway.yaml');
      await writeFile(config, LIMITS);
      const options = ['--no-gateway', '--config', config];
      replica = await RunningReplica.start(cluster.kubeconfigs.controllers, join(cluster.folder, 'home'), ...options);
    });
    afterAll(async () => {
      await replica?.[Symbol.asyncDispose]();
      admin?.close();
      await cluster?.[Symbol.asyncDispose]();
    });

    function makeNamespace(name: string, annotations: Record<string, string> = {}): Promise<unknown> {
      return admin.resource(Namespaces).create({ metadata: { name, annotations }, spec: {} });
    }

    /** Resolves when the quota counts exactly these resources. */
    async function waitForUsage(namespace: string, resources: readonly string[]): Promise<void> {
      await eventuallyObject(
        admin.resource(ResourceQuotas),
        { name: NAME, namespace },
        ({ status }) =>
          Object.keys(status?.used ?? {})
            .sort()
            .join() === [...resources].sort().join(),
        LONG_WAIT,
      );
    }

    /** Resolves when admission, which reads quotas from its own cache, has also seen these counts. */
    async function isEnforced(quota: string, exceedLimit: () => Promise<unknown>): Promise<void> {
      const refusal = () => exceedLimit().then(() => 'none', String);
      await expect.poll(refusal, { timeout: LONG_WAIT.deadlineMs }).toMatch(`exceeded quota: ${quota}`);
    }

    /** The result of concurrent writers: how many writes are admitted, and why the others are not. */
    async function writeConcurrently(write: (name: string) => Promise<unknown>) {
      const outcomes = await Promise.allSettled(WRITERS.map(write));
      const reasons = outcomes.flatMap((outcome) => (outcome.status === 'rejected' ? [String(outcome.reason)] : []));
      return { stored: outcomes.length - reasons.length, reasons };
    }

    const secret = (namespace: string) => (name: string) =>
      admin.resource(Secrets).create({ metadata: { name, namespace } });
    const ALL = [
      'clusters.fairway.dev',
      'nodepools.fairway.dev',
      'cloudcredentials.fairway.dev',
      'secrets',
      'configmaps',
    ];
    const counts = ALL.map((resource) => `count/${resource}`);

    test("are exact in a project's namespace, even for concurrent writers", async () => {
      await makeNamespace('red', { 'fairway.dev/project-id': 'red' });
      await waitForUsage('red', counts);
      await isEnforced(NAME, () =>
        admin.resource(ConfigMaps).create({ metadata: { generateName: 'one-too-many-', namespace: 'red' } }),
      );

      const secrets = await writeConcurrently(secret('red'));
      const credentials = await writeConcurrently((name) =>
        admin.resource(cloudCredentials).create({
          apiVersion: API_VERSION,
          kind: cloudCredentials.kind,
          metadata: { name, namespace: 'red', annotations: { 'fairway.dev/paused': 'true' } },
          spec: { cloud: 'simulator', secretRef: { name }, reclaimPolicy: 'Retain' },
        }),
      );

      expect(secrets.stored).toBe(5);
      expect(secrets.reasons.at(-1)).toMatch(`exceeded quota: ${NAME}, requested: count/secrets=1`);
      expect(credentials.stored).toBe(3);
      expect(credentials.reasons.at(-1)).toMatch('requested: count/cloudcredentials.fairway.dev=1');
    });

    test('omit resources that an operator’s quota limits, and limit them again once that quota is deleted', async () => {
      await makeNamespace('blue', { 'fairway.dev/cloud': 'simulator' });
      await waitForUsage('blue', counts);
      const own = { name: 'operators', namespace: 'blue' };
      await admin
        .resource(ResourceQuotas)
        .create({ metadata: own, spec: { hard: { 'count/secrets': '15', services: '0' } } });
      await waitForUsage(
        'blue',
        counts.filter((name) => name !== 'count/secrets'),
      );
      await eventuallyObject(
        admin.resource(ResourceQuotas),
        own,
        ({ status }) => status?.used !== undefined,
        LONG_WAIT,
      );
      const service = { metadata: { name: 'one-too-many', namespace: 'blue' }, spec: { ports: [{ port: 80 }] } };
      await isEnforced(own.name, () => admin.resource(Services).create(service, { dryRun: true }));

      await writeConcurrently(secret('blue'));

      expect((await admin.resource(Secrets).list({ namespace: 'blue' })).items).toHaveLength(15);

      await admin.resource(ResourceQuotas).delete('operators', { namespace: 'blue' });
      await waitForUsage('blue', counts);
    });
  },
);
