import type { Node, Pod, TokenRequest } from '@fairway/kube/kinds/generated/types';
import {
  CertificateSigningRequests,
  Leases,
  Nodes,
  PersistentVolumeClaims,
  PersistentVolumes,
  Pods,
  ServiceAccounts,
  VolumeAttachments,
} from '@fairway/kube/kinds/resources';
import { ApiError } from '@fairway/kube/object/api-error';
import type { KubeObject, ResourceType } from '@fairway/kube/object/meta';
import { createCertificateRequest } from '@fairway/kube/pki/certificate-request';
import { generateKeyPair, type KeyPair } from '@fairway/kube/pki/key-pair';
import { beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { AdmissionRequest } from '../server/admission.ts';
import { createNodeAuthorizer } from './node-authorizer.ts';
import { createNodeRestrictionPlugin } from './node-restriction.ts';
import { FakeObjectReader } from './object-reader-fake.ts';
import type { UserInfo } from './user.ts';

const n1: UserInfo = { username: 'system:node:n1', groups: ['system:nodes', 'system:authenticated'] };
let reader: FakeObjectReader;
let keys: KeyPair;

beforeAll(async () => {
  keys = await generateKeyPair();
});

/** A pod on n1 that references one object in every way that a pod can. */
const web: Pod = {
  metadata: { namespace: 'shop', name: 'web', uid: 'pod-1' },
  spec: {
    nodeName: 'n1',
    serviceAccountName: 'web',
    imagePullSecrets: [{ name: 's-pull' }],
    initContainers: [{ name: 'i', envFrom: [{ secretRef: { name: 's-init' } }, { configMapRef: { name: 'c-init' } }] }],
    containers: [
      {
        name: 'c',
        env: [
          { name: 'A', valueFrom: { secretKeyRef: { name: 's-env', key: 'k' } } },
          { name: 'B', valueFrom: { configMapKeyRef: { name: 'c-env', key: 'k' } } },
        ],
      },
    ],
    volumes: [
      { name: 'v1', secret: { secretName: 's-volume' } },
      { name: 'v2', configMap: { name: 'c-volume' } },
      {
        name: 'v3',
        projected: { sources: [{ secret: { name: 's-projected' } }, { configMap: { name: 'c-projected' } }] },
      },
      { name: 'v4', persistentVolumeClaim: { claimName: 'data' } },
      { name: 'scratch', ephemeral: { volumeClaimTemplate: { spec: {} } } },
      { name: 'v5', csi: { driver: 'd', nodePublishSecretRef: { name: 's-csi' } } },
    ],
  },
};
const podElsewhere: Pod = {
  metadata: { namespace: 'shop', name: 'db', uid: 'pod-2' },
  spec: {
    nodeName: 'n2',
    serviceAccountName: 'db',
    containers: [],
    volumes: [{ name: 'v', secret: { secretName: 's-db' } }],
  },
};
/** A mirror pod, written by the node itself: it must not grant access. */
const mirror: Pod = {
  metadata: { namespace: 'shop', name: 'm', annotations: { 'kubernetes.io/config.mirror': 'x' } },
  spec: { nodeName: 'n1', containers: [], volumes: [{ name: 'v', secret: { secretName: 's-mirror' } }] },
};

beforeEach(() => {
  reader = new FakeObjectReader();
  reader.put(Pods, web, podElsewhere, mirror);
  reader.put(Nodes, { metadata: { name: 'n1', uid: 'node-1' }, spec: {} });
  reader.put(
    PersistentVolumes,
    {
      metadata: { name: 'pv-1' },
      spec: {
        claimRef: { namespace: 'shop', name: 'data' },
        csi: { driver: 'd', volumeHandle: 'h', nodeStageSecretRef: { namespace: 'infra', name: 's-stage' } },
      },
    },
    { metadata: { name: 'pv-2' }, spec: { claimRef: { namespace: 'shop', name: 'other' } } },
  );
  const attachment = (name: string, nodeName: string) => ({
    metadata: { name },
    spec: { attacher: 'd', nodeName, source: {} },
  });
  reader.put(VolumeAttachments, attachment('va-1', 'n1'), attachment('va-2', 'n2'));
});

describe('the node authorizer', () => {
  const mayAccess = async (
    verb: string,
    path: string,
    namespace = 'shop',
    extra: { fieldSelector?: string; group?: string } = {},
  ) => {
    const [kind = '', name = '', subresource = ''] = path.split('/');
    const [resource = '', ...group] = kind.split('.');
    const attributes = {
      user: n1,
      verb,
      group: group.join('.'),
      version: 'v1',
      resource,
      subresource,
      namespace,
      name,
      ...extra,
    };
    return (await createNodeAuthorizer(reader).authorize(attributes)).allowed;
  };

  test.each<[string, string, boolean]>([
    ...['s-pull', 's-init', 's-env', 's-volume', 's-projected', 's-csi'].map(
      (name) => ['get', `secrets/${name}`, true] as [string, string, boolean],
    ),
    ...['c-init', 'c-env', 'c-volume', 'c-projected'].map(
      (name) => ['watch', `configmaps/${name}`, true] as [string, string, boolean],
    ),
    ['get', 'secrets/s-db', false],
    ['get', 'secrets/s-mirror', false],
    ['get', 'secrets/unknown', false],
    ['list', 'secrets', false],
    ['update', 'secrets/s-env', false],
    ['get', 'configmaps/s-env', false],
    ['get', 'persistentvolumeclaims/data', true],
    ['get', 'persistentvolumeclaims/web-scratch', true],
    ['get', 'persistentvolumeclaims/other', false],
    ['update', 'persistentvolumeclaims/data/status', true],
    ['update', 'persistentvolumeclaims/data', false],
    ['get', 'serviceaccounts/web', true],
    ['create', 'serviceaccounts/web/token', true],
    ['create', 'serviceaccounts/db/token', false],
    ['get', 'pods/web', true],
    ['get', 'pods/db', false],
    ['list', 'pods', false],
    ['update', 'pods/web', false],
    ['patch', 'pods/web/status', true],
    ['create', 'pods/web/eviction', true],
    ['create', 'pods/web/exec', false],
    ['create', 'pods/web/binding', false],
    ['create', 'deployments.apps', false],
    ['list', 'services', true],
    ['create', 'events', true],
  ])('%s %s: %s', async (verb, path, expected) => {
    expect(await mayAccess(verb, path)).toBe(expected);
  });

  test.each([
    ['get', 'nodes/n1', '', true],
    ['get', 'nodes/n2', '', false],
    ['list', 'nodes', '', false],
    ['create', 'nodes', '', true],
    ['delete', 'nodes/n1', '', false],
    ['patch', 'nodes/n1/status', '', true],
    ['get', 'persistentvolumes/pv-1', '', true],
    ['get', 'persistentvolumes/pv-2', '', false],
    ['get', 'volumeattachments.storage.k8s.io/va-1', '', true],
    ['get', 'volumeattachments.storage.k8s.io/va-2', '', false],
    ['get', 'secrets/s-stage', 'infra', true],
    ['get', 'secrets/s-env', 'infra', false],
    ['update', 'leases.coordination.k8s.io/n1', 'kube-node-lease', true],
    ['update', 'leases.coordination.k8s.io/n2', 'kube-node-lease', false],
    ['update', 'leases.coordination.k8s.io/n1', 'kube-system', false],
    ['list', 'leases.coordination.k8s.io', 'kube-node-lease', false],
    ['create', 'certificatesigningrequests.certificates.k8s.io', '', true],
    ['update', 'certificatesigningrequests.certificates.k8s.io/a/approval', '', false],
    ['create', 'clusterrolebindings.rbac.authorization.k8s.io', '', false],
  ])('%s %s in "%s": %s', async (verb, path, namespace, expected) => {
    expect(await mayAccess(verb, path, namespace)).toBe(expected);
  });

  test('lets a node list only its own pods', async () => {
    expect(await mayAccess('list', 'pods', '', { fieldSelector: 'spec.nodeName=n1' })).toBe(true);
    expect(await mayAccess('watch', 'pods', '', { fieldSelector: 'status.phase=Running,spec.nodeName=n1' })).toBe(true);
    expect(await mayAccess('list', 'pods', '', { fieldSelector: 'spec.nodeName=n2' })).toBe(false);
    expect(await mayAccess('list', 'pods', '', { fieldSelector: 'spec.nodeName!=n1' })).toBe(false);
  });

  test('revokes access when the pod terminates', async () => {
    reader.remove(Pods, 'shop', 'web');
    expect(await mayAccess('get', 'secrets/s-env')).toBe(false);
  });

  test('has no opinion on other users, even if they are named like nodes', async () => {
    const attributes = {
      verb: 'get',
      group: '',
      version: 'v1',
      resource: 'nodes',
      subresource: '',
      namespace: '',
      name: 'n1',
    };
    for (const user of [
      { username: 'alice', groups: ['system:nodes'] },
      { username: 'system:node:n1', groups: ['system:authenticated'] },
      { username: 'system:node:', groups: ['system:nodes'] },
    ]) {
      expect((await createNodeAuthorizer(reader).authorize({ ...attributes, user })).allowed).toBe(false);
    }
  });
});

describe('NodeRestriction', () => {
  async function admit(
    type: ResourceType,
    operation: AdmissionRequest['operation'],
    name: string,
    object?: KubeObject,
    oldObject?: KubeObject,
    { subresource = '', namespace = 'shop', user = n1 } = {},
  ): Promise<string> {
    const resource = { ...type, schema: {} };
    const request = { user, operation, resource, subresource, namespace, name, dryRun: false, object, oldObject };
    try {
      await createNodeRestrictionPlugin(reader).validate?.({ ...request, warn: () => undefined });
      return 'allowed';
    } catch (error) {
      if (error instanceof ApiError) return error.message;
      throw error;
    }
  }
  const node = (labels: Record<string, string> = {}, spec: Node['spec'] = {}, name = 'n1'): Node => ({
    metadata: { name, labels },
    spec,
  });

  test.each<[string, Node, Node | undefined, string]>([
    [
      'may register with labels that a kubelet may set',
      node({ 'kubernetes.io/hostname': 'n1', 'node.kubernetes.io/instance-type': 'b3-8', team: 'a' }),
      undefined,
      'allowed',
    ],
    [
      'may not attract restricted pods',
      node({ 'node-restriction.kubernetes.io/gpu': 'yes' }),
      undefined,
      'set the following labels: node-restriction.kubernetes.io/gpu',
    ],
    [
      'may not label itself as a control plane',
      node({ 'node-role.kubernetes.io/control-plane': '' }),
      undefined,
      'set the following labels: node-role.kubernetes.io/control-plane',
    ],
    [
      'may not change restricted labels',
      node({}),
      node({ 'x.node-restriction.kubernetes.io/a': 'b' }),
      'modify labels: x.node-restriction.kubernetes.io/a',
    ],
    ['may not modify another node', node({}, {}, 'n2'), undefined, 'node "n1" is not allowed to modify node "n2"'],
    ['may register with taints', node({}, { taints: [{ key: 'a', effect: 'NoSchedule' }] }), undefined, 'allowed'],
    [
      'may not remove its taints',
      node(),
      node({}, { taints: [{ key: 'a', effect: 'NoSchedule' }] }),
      'not allowed to modify taints',
    ],
    ['may not set configSource', node({}, { configSource: {} }), node(), 'configSource'],
    [
      'may update its own labels and cordon itself',
      node({ team: 'b' }, { unschedulable: true }),
      node({ team: 'a' }),
      'allowed',
    ],
  ])('a node %s', async (_name, object, old, expected) => {
    const response = await admit(Nodes, old ? 'UPDATE' : 'CREATE', object.metadata.name ?? '', object, old, {
      namespace: '',
    });
    expect(response).toContain(expected);
  });

  test('lets a node write only pods that run on it', async () => {
    const status = { subresource: 'status' };
    expect(await admit(Pods, 'DELETE', 'web')).toBe('allowed');
    expect(await admit(Pods, 'DELETE', 'db')).toContain('can only delete pods with spec.nodeName set to itself');
    expect(await admit(Pods, 'DELETE', 'gone')).toContain('not found');
    expect(await admit(Pods, 'UPDATE', 'web', web, web, status)).toBe('allowed');
    expect(await admit(Pods, 'UPDATE', 'db', podElsewhere, podElsewhere, status)).toContain(
      'can only update pod status',
    );
    const relabeledPod = { ...web, metadata: { ...web.metadata, labels: { app: 'x' } } };
    expect(await admit(Pods, 'UPDATE', 'web', relabeledPod, web, status)).toContain('cannot update labels');
    expect(await admit(Pods, 'CREATE', 'db', {} as KubeObject, podElsewhere, { subresource: 'eviction' })).toContain(
      'can only evict',
    );
    expect(await admit(Pods, 'CREATE', 'web', web)).toContain('can only create mirror pods');
  });

  test('lets a node create mirror pods that reference nothing', async () => {
    const owner = { apiVersion: 'v1', kind: 'Node', name: 'n1', uid: 'node-1', controller: true };
    const pod = (ownerReferences: object[], volumes: NonNullable<Pod['spec']['volumes']> = []): Pod => ({
      metadata: { ...mirror.metadata, ownerReferences: ownerReferences as [] },
      spec: { nodeName: 'n1', containers: [], volumes },
    });
    expect(await admit(Pods, 'CREATE', 'm', pod([owner]))).toBe('allowed');
    expect(await admit(Pods, 'CREATE', 'm', pod([]))).toContain('single owner reference');
    expect(await admit(Pods, 'CREATE', 'm', pod([{ ...owner, uid: 'node-0' }]))).toContain('UID mismatch');
    const podWithForeignSecret = pod([owner], [{ name: 'v', secret: { secretName: 's-db' } }]);
    expect(await admit(Pods, 'CREATE', 'm', podWithForeignSecret)).toContain('can not create pods that reference');
  });

  test.each<[string, TokenRequest['spec'], string]>([
    ['bound to its pod', { boundObjectRef: { apiVersion: 'v1', kind: 'Pod', name: 'web', uid: 'pod-1' } }, 'allowed'],
    ['bound to nothing', {}, 'not bound to a pod'],
    [
      'bound to a secret',
      { boundObjectRef: { apiVersion: 'v1', kind: 'Secret', name: 'x', uid: 'y' } },
      'not bound to a pod',
    ],
    [
      'bound to a pod without a UID',
      { boundObjectRef: { apiVersion: 'v1', kind: 'Pod', name: 'web' } },
      'without a uid',
    ],
    [
      'bound to an earlier pod',
      { boundObjectRef: { apiVersion: 'v1', kind: 'Pod', name: 'web', uid: 'pod-0' } },
      'does not match the UID in record',
    ],
    [
      'bound to a pod on another node',
      { boundObjectRef: { apiVersion: 'v1', kind: 'Pod', name: 'db', uid: 'pod-2' } },
      'scheduled on a different node',
    ],
  ])('a token %s: %s', async (_name, spec, expected) => {
    const body: TokenRequest = { metadata: {}, spec };
    expect(await admit(ServiceAccounts, 'CREATE', 'web', body, undefined, { subresource: 'token' })).toContain(
      expected,
    );
  });

  test('lets a node renew its own lease', async () => {
    const where = { namespace: 'kube-node-lease' };
    expect(await admit(Leases, 'CREATE', 'n1', { metadata: {} }, undefined, where)).toBe('allowed');
    expect(await admit(Leases, 'CREATE', 'n2', { metadata: {} }, undefined, where)).toContain(
      'same name as the requesting node',
    );
    expect(await admit(Leases, 'CREATE', 'n1', { metadata: {} })).toContain('kube-node-lease');
  });

  test('lets a node request certificates for its own name', async () => {
    const csr = async (commonName: string, signerName: string) => ({
      metadata: { name: 'a' },
      spec: {
        signerName,
        request: Buffer.from(
          await createCertificateRequest({ commonName, organizations: ['system:nodes'], keys }),
        ).toString('base64'),
      },
    });
    const requestCertificate = async (commonName: string, signerName: string) =>
      admit(CertificateSigningRequests, 'CREATE', 'a', await csr(commonName, signerName), undefined, { namespace: '' });
    expect(await requestCertificate('system:node:n1', 'kubernetes.io/kubelet-serving')).toBe('allowed');
    expect(await requestCertificate('system:node:n2', 'kubernetes.io/kubelet-serving')).toContain('CN=system:node:n1');
    expect(await requestCertificate('system:node:n2', 'kubernetes.io/kube-apiserver-client-kubelet')).toContain(
      'CN=system:node:n1',
    );
    expect(await requestCertificate('alice', 'example.com/other')).toBe('allowed');
  });

  test('lets a node report that a claim was resized, and change nothing else', async () => {
    const claim = {
      metadata: { name: 'data', labels: { a: 'b' } },
      spec: {},
      status: { phase: 'Bound', capacity: { storage: '1Gi' } },
    };
    const resizedClaim = { ...claim, status: { ...claim.status, capacity: { storage: '2Gi' } } };
    const lost = { ...claim, status: { ...claim.status, phase: 'Lost' } };
    const status = { subresource: 'status' };
    expect(await admit(PersistentVolumeClaims, 'UPDATE', 'data', resizedClaim, claim, status)).toBe('allowed');
    expect(await admit(PersistentVolumeClaims, 'UPDATE', 'data', lost, claim, status)).toContain(
      'not allowed to update fields',
    );
    expect(await admit(PersistentVolumeClaims, 'UPDATE', 'data', resizedClaim, claim)).toContain(
      'may only update PVC status',
    );
  });

  test('does not restrict other users', async () => {
    const user = { username: 'alice', groups: [] as string[] };
    expect(await admit(Nodes, 'CREATE', 'n2', node({}, {}, 'n2'), undefined, { user })).toBe('allowed');
  });
});
