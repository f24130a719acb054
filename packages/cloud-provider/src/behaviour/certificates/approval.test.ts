import { PAUSED_ANNOTATION } from '@fairway/api/group';
import { type Cluster, clusters } from '@fairway/api/kinds/cluster';
import { machines } from '@fairway/api/kinds/machine';
import { SIGNERS } from '@fairway/apiserver/auth/certificates/signers';
import type { UserInfo } from '@fairway/apiserver/auth/user';
import { NODE_BOOTSTRAPPERS_GROUP } from '@fairway/control-plane/bootstrap/bootstrap-token';
import { NODE_INFO } from '@fairway/controllers/testing/test-control-planes';
import { TEAM, TestFairway } from '@fairway/controllers/testing/test-fairway';
import type { CertificateSigningRequest } from '@fairway/kube/kinds/generated/types';
import { CertificateSigningRequests } from '@fairway/kube/kinds/resources';
import { createCertificateRequest } from '@fairway/kube/pki/certificate-request';
import { generateKeyPair } from '@fairway/kube/pki/key-pair';
import { eventually } from '@fairway/kube/testing/eventually';
import { tenantNodes } from '@fairway/tenancy/connection/node';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createCloudProvider } from '../../start.ts';

const keys = await generateKeyPair();

/** A machine whose server runs but has not joined yet, with its bootstrap token. */
interface Victim {
  readonly name: string;
  readonly clusterUid: string;
  readonly address: string;
  readonly token: UserInfo;
}

describe('kubelet CSRs', () => {
  let fairway: TestFairway;
  let ownVictim: Victim;
  let sibling: Victim;
  let other: Victim;

  beforeAll(async () => {
    fairway = await TestFairway.start({ nodesJoin: false, runnables: (parts) => createCloudProvider(parts) });
    await fairway.createCluster();
    await fairway.createPool({ replicas: 2 });
    await fairway.createCluster({ network: { nodesCIDR: '10.99.0.0/24' } }, 'second');
    await fairway.createPool({ replicas: 1, clusterName: 'second' }, 'second');
    const isUp = (all: readonly { status?: { serverStatus?: string; address?: string } }[]) =>
      all.length === 3 && all.every(({ status }) => status?.serverStatus === 'ACTIVE' && status.address !== undefined);
    const all = await fairway.until(machines, (found) => isUp(found as Parameters<typeof isUp>[0]));
    const victims = await Promise.all(all.map((machine) => victimOf(machine.metadata.name ?? '')));
    [ownVictim, sibling] = victims.filter(({ name }) => name.startsWith('demo-')) as [Victim, Victim];
    [other] = victims.filter(({ name }) => name.startsWith('second-')) as [Victim];
  });
  afterAll(() => fairway[Symbol.asyncDispose]());

  async function victimOf(name: string): Promise<Victim> {
    const machine = await fairway.client.resource(machines).get(name, { namespace: TEAM });
    const cluster = await fairway.clusterOf(machine);
    const tokenID = await fairway.process.bootstrapper.tokenID(cluster, machine);
    return {
      name,
      clusterUid: cluster.metadata.uid ?? '',
      address: machine.status?.address ?? '',
      token: {
        username: `system:bootstrap:${tokenID}`,
        groups: ['system:bootstrappers', NODE_BOOTSTRAPPERS_GROUP, 'system:authenticated'],
      },
    };
  }

  interface RequestInput {
    readonly cluster: Victim;
    readonly user: UserInfo;
    readonly signerName?: string;
    readonly commonName: string;
    readonly organizations?: readonly string[];
    readonly dnsNames?: readonly string[];
    readonly ipAddresses?: readonly string[];
    readonly emailAddresses?: readonly string[];
    readonly uris?: readonly string[];
  }

  let sequence = 0;
  async function decision(input: RequestInput): Promise<{ type: string; message: string }> {
    const { cluster, user, signerName = SIGNERS.kubeletClient, organizations = ['system:nodes'] } = input;
    const { commonName, dnsNames = [], ipAddresses = [], emailAddresses = [], uris = [] } = input;
    const names = { dnsNames, ipAddresses, emailAddresses, uris };
    const pem = await createCertificateRequest({ keys, commonName, organizations, ...names });
    const name = `csr-${++sequence}`;
    const requests = fairway.runtime.client(cluster.clusterUid, user).resource(CertificateSigningRequests);
    await requests.create({
      apiVersion: 'certificates.k8s.io/v1',
      kind: 'CertificateSigningRequest',
      metadata: { name },
      spec: {
        request: Buffer.from(pem).toString('base64'),
        signerName,
        usages:
          signerName === SIGNERS.kubeletClient
            ? ['digital signature', 'client auth']
            : ['digital signature', 'server auth'],
      },
    } satisfies CertificateSigningRequest);
    const asFairway = fairway.runtime.client(cluster.clusterUid).resource(CertificateSigningRequests);
    const [decidedCsr] = await eventually(
      asFairway,
      { fieldSelector: `metadata.name=${name}` },
      ([csr]) => (csr?.status?.conditions?.length ?? 0) > 0,
    );
    const [condition] = decidedCsr?.status?.conditions ?? [];
    return { type: condition?.type ?? '', message: condition?.message ?? '' };
  }

  const nodeUser = (name: string): UserInfo => ({
    username: `system:node:${name}`,
    groups: ['system:nodes', 'system:authenticated'],
  });
  const otherUser: UserInfo = { username: 'mallory', groups: ['system:authenticated'] };

  const cases: readonly { who: string; input: () => RequestInput; type: 'Approved' | 'Denied'; message: RegExp }[] = [
    {
      who: 'the server itself, with its token',
      input: () => ({ cluster: ownVictim, user: ownVictim.token, commonName: `system:node:${ownVictim.name}` }),
      type: 'Approved',
      message: /its own bootstrap token/,
    },
    {
      who: 'a stranger with a stolen token, as a machine that does not exist',
      input: () => ({ cluster: ownVictim, user: ownVictim.token, commonName: 'system:node:mallory' }),
      type: 'Denied',
      message: /no machine mallory/,
    },
    {
      who: "a stranger with a stolen token, as another machine's node",
      input: () => ({ cluster: ownVictim, user: ownVictim.token, commonName: `system:node:${sibling.name}` }),
      type: 'Denied',
      message: /neither node .* nor the holder/,
    },
    {
      who: 'a user without any token',
      input: () => ({ cluster: ownVictim, user: otherUser, commonName: `system:node:${ownVictim.name}` }),
      type: 'Denied',
      message: /mallory is neither/,
    },
    {
      who: "a second cluster's node, in this cluster",
      input: () => ({ cluster: ownVictim, user: other.token, commonName: `system:node:${other.name}` }),
      type: 'Denied',
      message: /the cluster has no machine/,
    },
    {
      who: "a second cluster's token, as this cluster's node",
      input: () => ({ cluster: ownVictim, user: other.token, commonName: `system:node:${ownVictim.name}` }),
      type: 'Denied',
      message: /neither node .* nor the holder/,
    },
    {
      who: 'the token, as an administrator',
      input: () => ({
        cluster: ownVictim,
        user: ownVictim.token,
        commonName: 'kubernetes-admin',
        organizations: ['system:masters'],
      }),
      type: 'Denied',
      message: /the subject is not a node/,
    },
    {
      who: 'the token, as a node that is also in system:masters',
      input: () => ({
        cluster: ownVictim,
        user: ownVictim.token,
        commonName: `system:node:${ownVictim.name}`,
        organizations: ['system:nodes', 'system:masters'],
      }),
      type: 'Denied',
      message: /only organization must be system:nodes/,
    },
    {
      who: 'a node that renews its certificate',
      input: () => ({
        cluster: ownVictim,
        user: nodeUser(ownVictim.name),
        commonName: `system:node:${ownVictim.name}`,
      }),
      type: 'Approved',
      message: /renews/,
    },
    {
      who: 'a node, for serving at its own address',
      input: () => ({
        cluster: ownVictim,
        user: nodeUser(ownVictim.name),
        signerName: SIGNERS.kubeletServing,
        commonName: `system:node:${ownVictim.name}`,
        dnsNames: [ownVictim.name],
        ipAddresses: [ownVictim.address],
      }),
      type: 'Approved',
      message: /match the server/,
    },
    {
      who: "a node, for serving at another node's address",
      input: () => ({
        cluster: ownVictim,
        user: nodeUser(ownVictim.name),
        signerName: SIGNERS.kubeletServing,
        commonName: `system:node:${ownVictim.name}`,
        ipAddresses: [ownVictim.address, sibling.address],
      }),
      type: 'Denied',
      message: /is not an address of the server/,
    },
    {
      who: 'a node, for serving under a name that is not its own',
      input: () => ({
        cluster: ownVictim,
        user: nodeUser(ownVictim.name),
        signerName: SIGNERS.kubeletServing,
        commonName: `system:node:${ownVictim.name}`,
        dnsNames: ['kubernetes.default.svc'],
      }),
      type: 'Denied',
      message: /is not the name of the server/,
    },
    {
      who: "a node, for serving under another node's name",
      input: () => ({
        cluster: ownVictim,
        user: nodeUser(ownVictim.name),
        signerName: SIGNERS.kubeletServing,
        commonName: `system:node:${ownVictim.name}`,
        dnsNames: [ownVictim.name, sibling.name],
      }),
      type: 'Denied',
      message: /is not the name of the server/,
    },
    {
      who: 'a node, for serving at the address of the metadata service',
      input: () => ({
        cluster: ownVictim,
        user: nodeUser(ownVictim.name),
        signerName: SIGNERS.kubeletServing,
        commonName: `system:node:${ownVictim.name}`,
        ipAddresses: ['169.254.169.254'],
      }),
      type: 'Denied',
      message: /is not an address of the server/,
    },
    {
      who: 'a node, with a URI, which other systems treat as an identity',
      input: () => ({
        cluster: ownVictim,
        user: nodeUser(ownVictim.name),
        signerName: SIGNERS.kubeletServing,
        commonName: `system:node:${ownVictim.name}`,
        dnsNames: [ownVictim.name],
        uris: ['spiffe://cluster.local/ns/kube-system/sa/admin'],
      }),
      type: 'Denied',
      message: /must not name spiffe:/,
    },
    {
      who: 'the token, with an email address',
      input: () => ({
        cluster: ownVictim,
        user: ownVictim.token,
        commonName: `system:node:${ownVictim.name}`,
        emailAddresses: ['root@example.com'],
      }),
      type: 'Denied',
      message: /must not name root@example.com/,
    },
    {
      who: "a node, for another node's client certificate",
      input: () => ({ cluster: ownVictim, user: nodeUser(ownVictim.name), commonName: `system:node:${sibling.name}` }),
      type: 'Denied',
      message: /neither node .* nor the holder/,
    },
    {
      who: "a token, for a node's serving certificate",
      input: () => ({
        cluster: ownVictim,
        user: ownVictim.token,
        signerName: SIGNERS.kubeletServing,
        commonName: `system:node:${ownVictim.name}`,
        ipAddresses: [ownVictim.address],
      }),
      type: 'Denied',
      message: /requests a serving certificate/,
    },
  ];
  test.each(cases)('$who: $type', async ({ input, type, message }) => {
    expect(await decision(input())).toEqual({ type, message: expect.stringMatching(message) });
  });

  test('a node in a paused cluster gets its certificate only after the cluster resumes', async () => {
    const pause = (value: string | null) => ({ metadata: { annotations: { [PAUSED_ANNOTATION]: value } } });
    await fairway.patch(clusters, 'second', pause('true'));
    const isPaused = ([cluster]: readonly Cluster[]) =>
      cluster?.status?.conditions?.some(({ type, status }) => type === 'Paused' && status === 'True') === true;
    await fairway.until(clusters, isPaused, 'second');

    let isDecided = false;
    const otherInput = { cluster: other, user: other.token, commonName: `system:node:${other.name}` };
    const response = decision(otherInput).finally(() => {
      isDecided = true;
    });
    // The decision for the cluster that is not paused shows that enough time has passed.
    await decision({ cluster: ownVictim, user: ownVictim.token, commonName: `system:node:${ownVictim.name}` });
    const wasDecided = isDecided;
    await fairway.patch(clusters, 'second', pause(null));

    expect(wasDecided).toBe(false);
    expect(await response).toMatchObject({ type: 'Approved' });
  });

  describe('a server address set by a user', () => {
    const serving = (ipAddresses: readonly string[]) =>
      decision({
        cluster: ownVictim,
        user: nodeUser(ownVictim.name),
        signerName: SIGNERS.kubeletServing,
        commonName: `system:node:${ownVictim.name}`,
        ipAddresses,
      });
    const setAccess = async (accessIPv4: string) => {
      const { project } = fairway.process;
      const machine = await fairway.client.resource(machines).get(ownVictim.name, { namespace: TEAM });
      const path = `/servers/${machine.status?.serverID}`;
      const body = { server: { accessIPv4 } };
      await project.client.session.call({ service: 'compute', method: 'PUT', template: path, path, body });
      await project.cache.servers.refreshAfter(fairway.clock.now());
    };

    test('is allowed if it is outside the cluster', async () => {
      await setAccess('198.51.100.7');

      expect(await serving([ownVictim.address, '198.51.100.7'])).toMatchObject({ type: 'Approved' });
    });

    test('is refused if it belongs to another node', async () => {
      await setAccess(sibling.address);

      expect(await serving([ownVictim.address, sibling.address])).toMatchObject({ type: 'Denied' });
    });
  });

  test('refuses the token of a machine that has joined, even before the node is Ready and the token is deleted', async () => {
    const nodes = fairway.runtime.client(ownVictim.clusterUid).resource(tenantNodes);
    const nodeInfo = { ...NODE_INFO, kubeletVersion: 'v1.34.2', bootID: 'boot-1' };
    await nodes.create({ apiVersion: 'v1', kind: 'Node', metadata: { name: ownVictim.name } });
    const input = { cluster: ownVictim, user: ownVictim.token, commonName: `system:node:${ownVictim.name}` };
    const beforeRegistration = await decision(input);
    const status = {
      nodeInfo,
      conditions: [{ type: 'Ready', status: 'False', reason: 'KubeletNotReady', message: '' }],
    };
    await nodes.patch(ownVictim.name, { type: 'merge', value: { status } }, { subresource: 'status' });
    await fairway.until(machines, (all) =>
      all.some(
        ({ metadata, status: reportedStatus }) =>
          metadata.name === ownVictim.name && reportedStatus?.version !== undefined,
      ),
    );
    const joined = await decision(input);
    const renewal = await decision({ ...input, user: nodeUser(ownVictim.name) });

    expect(beforeRegistration).toMatchObject({ type: 'Approved' });
    expect(joined).toEqual({ type: 'Denied', message: expect.stringMatching(/has already joined/) });
    expect(renewal).toMatchObject({ type: 'Approved' });
  });

  test('refuses the token of a deleted server, even if another server elsewhere has its name', async () => {
    const { project } = fairway.process;
    const victim = await fairway.client.resource(machines).get(sibling.name, { namespace: TEAM });
    // Fairway would have created another machine by now, and that machine would own the token.
    const action = { kind: 'answer', status: 500 } as const;
    fairway.cloud.faults.add({ service: 'compute', method: 'POST', path: '/servers$', times: null, action });
    await project.client.compute.servers.delete(victim.status?.serverID ?? '');
    await project.cache.servers.refreshAfter(fairway.clock.now());

    const response = await decision({
      cluster: sibling,
      user: sibling.token,
      commonName: `system:node:${sibling.name}`,
    });

    expect(response).toMatchObject({ type: 'Denied' });
  });
});
