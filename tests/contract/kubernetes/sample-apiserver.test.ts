import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { systemClock } from '@fairway/base/clock';
import { freePorts } from '@fairway/base/testing/free-ports';
import { findExecutable } from '@fairway/control-plane/process/executables';
import type {
  APIService,
  ClusterRole,
  ClusterRoleBinding,
  Namespace,
  RoleBinding,
} from '@fairway/kube/kinds/generated/types';
import {
  APIServices,
  ClusterRoleBindings,
  ClusterRoles,
  Namespaces,
  RoleBindings,
} from '@fairway/kube/kinds/resources';
import type { KubeObject, ResourceType } from '@fairway/kube/object/meta';
import { createCertificateAuthority } from '@fairway/kube/pki/certificate-authority';
import { issueCertificate } from '@fairway/kube/pki/issue-certificate';
import { eventuallyObject } from '@fairway/kube/testing/eventually';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { findBinaries, type KubernetesBinaries } from './binaries.ts';
import type { ContractServer } from './contract-server.ts';
import { routeService } from './extension-services.ts';
import { startEtcd } from './real-etcd.ts';
import { SupervisedProcess } from './supervised-process.ts';
import { describeServers } from './targets.ts';
import { upgrade } from './upgraded-connection.ts';

const GROUP = 'wardle.example.com';
const USER = 'sample-apiserver';
const Flunders: ResourceType<KubeObject & { spec?: { reference?: string } }> = {
  group: GROUP,
  version: 'v1alpha1',
  plural: 'flunders',
  kind: 'Flunder',
  namespaced: true,
};
const WAIT = { timeout: 100_000, interval: 200 };
const run = promisify(execFile);

const binaries = findBinaries().find(({ folder }) => findExecutable([folder], 'sample-apiserver') !== undefined);
const reason = ' (skipped: KUBEBUILDER_ASSETS has no sample-apiserver; testbed/kubernetes/current build-sample)';

/** Kubernetes' own sample aggregated API server, as a process with its own etcd. */
describe.skipIf(binaries === undefined)(`sample-apiserver${binaries === undefined ? reason : ''}`, () => {
  describeServers('sample-apiserver', (server, target) => {
    // The sample uses current kinds of its API server.
    const isCurrent = target.minor >= 34;
    const stack = new AsyncDisposableStack();
    let folder: string;
    let namespace: string;

    beforeAll(async () => {
      if (binaries === undefined || !isCurrent) return;
      folder = await mkdtemp(join(tmpdir(), 'fairway-sample-'));
      stack.defer(() => rm(folder, { recursive: true }));
      namespace = await server().namespace();
      await grant(server());
      const caBundle = await startSample(stack, server(), binaries, { folder, namespace });
      await register(server(), { namespace, ...caBundle });
      await writeFile(join(folder, 'admin'), await server().kubeconfig('admin', ['system:masters']), { mode: 0o600 });
    });
    afterAll(() => stack.disposeAsync());

    async function kubectl(...args: readonly string[]): Promise<string> {
      const program = findExecutable([binaries?.folder ?? ''], 'kubectl') ?? 'kubectl';
      const env = { ...process.env, HOME: folder, KUBECONFIG: join(folder, 'admin') };
      const { stdout } = await run(program, args, { env });
      return stdout;
    }

    it.runIf(isCurrent)('becomes available', async () => {
      const services = server().client.resource<APIService>(APIServices);
      const name = `${Flunders.version}.${GROUP}`;
      const isAvailable = ({ status }: APIService) =>
        status?.conditions?.some(({ type, status: is }) => type === 'Available' && is === 'True') === true;
      await eventuallyObject(services, { name }, isAvailable);
      await expect.poll(() => kubectl('api-resources', '--api-group', GROUP), WAIT).toMatch(/^flunders .* Flunder$/m);

      expect(await kubectl('api-resources', '--api-group', GROUP)).toMatch(/^fischers .* Fischer$/m);
      expect(await kubectl('get', 'apiservice', name)).toMatch(/True/);
    });

    it.runIf(isCurrent)('works with kubectl like any other API', async () => {
      const manifest = join(folder, 'flunder.yaml');
      const of = (reference: string) =>
        `apiVersion: ${GROUP}/v1alpha1\nkind: Flunder\nmetadata: {name: one, namespace: ${namespace}}\nspec: {reference: ${reference}}\n`;
      await writeFile(manifest, of('first'));

      expect(await kubectl('apply', '-f', manifest)).toBe(`flunder.${GROUP}/one created\n`);
      await writeFile(manifest, of('second'));
      expect(await kubectl('apply', '-f', manifest)).toBe(`flunder.${GROUP}/one configured\n`);
      expect(await kubectl('get', 'flunders', '-A')).toMatch(/^NAMESPACE +NAME +CREATED AT\n\S+ +one +\d{4}-/);
      expect(
        await kubectl('get', `flunders.v1alpha1.${GROUP}`, 'one', '-n', namespace, '-o', 'jsonpath={.spec.reference}'),
      ).toBe('second');
      await expect.poll(() => kubectl('explain', 'flunders.spec'), WAIT).toMatch(/KIND: +Flunder/);
    });

    it.runIf(isCurrent)('trusts the API server to authenticate the user', async () => {
      const user = server().name('user');
      const refusal = await server().refusal(
        'GET',
        `/apis/${GROUP}/v1alpha1/namespaces/${namespace}/flunders`,
        { headers: { 'X-Remote-User': 'admin', 'X-Remote-Group': 'system:masters' } },
        await server().as(user),
      );

      expect(refusal).toMatchObject({ code: 403, message: expect.stringContaining(`User "${user}" cannot list`) });
    });

    it.runIf(isCurrent)('can be watched', async () => {
      const flunders = server().client.resource(Flunders);
      const seen = eventuallyObject(flunders, { namespace, name: 'watched' }, ({ spec }) => spec?.reference === 'b');
      await flunders.create({ metadata: { namespace, name: 'watched' }, spec: { reference: 'a' } });
      await flunders.patch('watched', { type: 'merge', value: { spec: { reference: 'b' } } }, { namespace });

      expect((await seen).metadata.namespace).toBe(namespace);
    });

    it.runIf(isCurrent)('can be watched over a WebSocket', async () => {
      await server()
        .client.resource(Flunders)
        .create({ metadata: { namespace, name: 'streamed' } });
      const identity = await server().certificate('admin', ['system:masters']);
      const query = 'watch=true&fieldSelector=metadata.name%3Dstreamed';
      const path = `/apis/${GROUP}/v1alpha1/namespaces/${namespace}/flunders?${query}`;
      const { status, read, socket } = await upgrade(server(), identity, path, {
        headers: {
          connection: 'Upgrade',
          upgrade: 'websocket',
          'sec-websocket-version': '13',
          'sec-websocket-key': Buffer.alloc(16).toString('base64'),
          origin: server().url,
        },
      });
      const event = await read('{"type":"ADDED"'.length);
      socket?.destroy();

      expect(status).toBe(101);
      expect(event).toContain('{"type":"ADDED","object":{"kind":"Flunder"');
    });

    it.runIf(isCurrent)('is emptied when its namespace is deleted', async () => {
      const doomedNamespace = await server().namespace();
      const flunders = server().client.resource(Flunders);
      await flunders.create({ metadata: { namespace: doomedNamespace, name: 'one' } });
      await server().client.resource<Namespace>(Namespaces).delete(doomedNamespace);

      await expect
        .poll(async () => (await server().raw('GET', `/api/v1/namespaces/${doomedNamespace}`)).status, WAIT)
        .toBe(404);
      expect((await flunders.list({ namespace: doomedNamespace })).items).toEqual([]);
    });
  });
});

/**
 * Grants the permissions that every aggregated API server needs, and the read access that this server's admission
 * needs.
 */
async function grant({ client }: ContractServer): Promise<void> {
  const subjects = [{ apiGroup: 'rbac.authorization.k8s.io', kind: 'User', name: USER }];
  const roleRef = (kind: string, name: string) => ({ apiGroup: 'rbac.authorization.k8s.io', kind, name });
  await client.resource<ClusterRole>(ClusterRoles).create({
    metadata: { name: USER },
    rules: [
      { apiGroups: [''], resources: ['namespaces'], verbs: ['get', 'list', 'watch'] },
      { apiGroups: ['admissionregistration.k8s.io'], resources: ['*'], verbs: ['get', 'list', 'watch'] },
    ],
  });
  const bindings = client.resource<ClusterRoleBinding>(ClusterRoleBindings);
  await bindings.create({ metadata: { name: USER }, subjects, roleRef: roleRef('ClusterRole', USER) });
  await bindings.create({
    metadata: { name: `${USER}-delegates` },
    subjects,
    roleRef: roleRef('ClusterRole', 'system:auth-delegator'),
  });
  await client.resource<RoleBinding>(RoleBindings).create({
    metadata: { namespace: 'kube-system', name: USER },
    subjects,
    roleRef: roleRef('Role', 'extension-apiserver-authentication-reader'),
  });
}

async function startSample(
  stack: AsyncDisposableStack,
  server: ContractServer,
  binaries: KubernetesBinaries,
  { folder, namespace }: { readonly folder: string; readonly namespace: string },
): Promise<{ readonly caBundle: string; readonly port: number }> {
  const [etcdPort = 0, peerPort = 0, port = 0] = await freePorts(3);
  stack.use(await startEtcd(binaries, folder, etcdPort, peerPort));
  const file = async (name: string, content: string) => {
    const path = join(folder, name);
    await writeFile(path, content, { mode: 0o600 });
    return path;
  };
  const common = { clock: systemClock, validityMs: 3_600_000 };
  const authority = await createCertificateAuthority({ commonName: 'sample', ...common });
  const { certificatePem, privateKeyPem = '' } = await issueCertificate(authority, {
    commonName: 'sample',
    dnsNames: [`${USER}.${namespace}.svc`],
    usages: 'server',
    ...common,
  });
  const kubeconfig = await file('kubeconfig', await server.kubeconfig(USER));
  const sample = new SupervisedProcess(
    join(binaries.folder, 'sample-apiserver'),
    [
      `--etcd-servers=http://127.0.0.1:${etcdPort}`,
      '--bind-address=127.0.0.1',
      `--secure-port=${port}`,
      `--kubeconfig=${kubeconfig}`,
      `--authentication-kubeconfig=${kubeconfig}`,
      `--authorization-kubeconfig=${kubeconfig}`,
      `--tls-cert-file=${await file('serving.crt', certificatePem)}`,
      `--tls-private-key-file=${await file('serving.key', privateKeyPem)}`,
      '--enable-priority-and-fairness=false',
    ],
    join(folder, 'sample-apiserver.log'),
  );
  stack.use(sample);
  await sample.whenReady(() => Promise.resolve(sample.output.includes('Serving securely on')));
  return { caBundle: Buffer.from(authority.certificatePem).toString('base64'), port };
}

async function register(
  server: ContractServer,
  { namespace, port, caBundle }: { readonly namespace: string; readonly port: number; readonly caBundle: string },
): Promise<void> {
  const servicePort = await routeService(server, { namespace, name: USER }, port);
  for (const version of ['v1alpha1', 'v1beta1']) {
    await server.client.resource<APIService>(APIServices).create({
      metadata: { name: `${version}.${GROUP}` },
      spec: {
        group: GROUP,
        version,
        groupPriorityMinimum: 1000,
        versionPriority: 15,
        service: { namespace, name: USER, port: servicePort },
        caBundle,
      },
    });
  }
}
