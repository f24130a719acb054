import { X509Certificate } from 'node:crypto';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { connect, createServer } from 'node:tls';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { CertManager } from './clients/cert-manager.ts';
import { findProgram } from './clients/client-binaries.ts';
import { CONTROL_PLANES, MANIFEST } from './clients/control-planes.ts';
import { hasKubectl, Kubectl } from './clients/kubectl.ts';
import { ProvisionedCluster } from './session/provisioned-cluster.ts';
import { PROJECT } from './session/running-fairway.ts';

const program = hasKubectl ? findProgram('cert-manager') : undefined;
const described = program?.version ?? '(skipped: no kubectl, or "testbed/clients/testbed build" has not made it)';
/** Ends hanging tests. */
const LONG_WAIT = { timeout: 100_000, interval: 500 };
const MANIFESTS = join(PROJECT, 'tests/clients/certificates');
/** Kinds that cert-manager writes, in the namespaces where it writes them, and cluster-scoped kinds. */
const REGISTRY_FILES = [
  ['certificates,certificaterequests,ingresses,secrets', '--namespace=default'],
  ['certificates,certificaterequests,secrets', '--namespace=cert-manager'],
  ['clusterissuers,customresourcedefinitions,mutatingwebhookconfigurations,validatingwebhookconfigurations'],
];

interface Keypair {
  readonly key: string;
  readonly cert: string;
  readonly ca: string;
}

/** The name under which a client that trusts only this CA accepts a server with this certificate. */
async function trustedName({ key, cert, ca }: Keypair, servername: string): Promise<string | undefined> {
  const server = createServer({ key, cert }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const socket = connect({ host: '127.0.0.1', port: (server.address() as AddressInfo).port, ca, servername });
  try {
    await once(socket, 'secureConnect');
    return socket.getPeerCertificate().subjectaltname;
  } finally {
    socket.destroy();
    server.close();
  }
}

/** Creates a CA in the cluster, and makes cert-manager sign with it. */
describe.skipIf(program === undefined).each(CONTROL_PLANES)(
  `cert-manager ${described} on $plane`,
  ({ controlPlane, isMissing }) => {
    describe.skipIf(isMissing)('using a CA in the cluster', () => {
      let folder: string;
      let cluster: ProvisionedCluster;
      let kubectl: Kubectl;
      let manager: CertManager;

      beforeAll(async () => {
        if (program === undefined) return;
        folder = await mkdtemp(join(tmpdir(), 'fairway-certificates-'));
        cluster = await ProvisionedCluster.create({
          manifest: MANIFEST,
          controlPlane,
          // The webhook is a process on this machine.
          options: ['--egress-allow', '127.0.0.0/8'],
          deadlineMs: 300_000,
        });
        kubectl = new Kubectl(cluster.kubeconfig);
        manager = await CertManager.start({ program, kubectl, folder });
      });
      afterAll(async () => {
        await manager?.[Symbol.asyncDispose]();
        await cluster?.[Symbol.asyncDispose]();
        await rm(folder ?? '', { recursive: true, force: true });
      });

      const apply = (file: string) => kubectl.ok('apply', '-f', join(MANIFESTS, file));
      const waitUntilReady = async (object: string, ...args: readonly string[]) => {
        const { code, stderr } = await kubectl.run(...args, 'wait', '--for=condition=Ready', object, '--timeout=2m');
        if (code !== 0) throw new Error(`${stderr}\n${manager.outputTail}`);
      };
      const keypair = async (secret: string): Promise<Keypair> => {
        const { data } = (await kubectl.json('get', 'secret', secret)) as { data: Record<string, string> };
        const of = (name: string) => Buffer.from(data[name] ?? '', 'base64').toString();
        return { key: of('tls.key'), cert: of('tls.crt'), ca: of('ca.crt') };
      };
      const serialOf = async (secret: string) => new X509Certificate((await keypair(secret)).cert).serialNumber;

      test('accepts objects at its webhook once the injector has made the webhook trusted', async () => {
        const dryRun = () => kubectl.run('apply', '--dry-run=server', '-f', join(MANIFESTS, 'authority.yaml'));
        const stderrOf = async () => (await dryRun()).stderr;

        await expect.poll(stderrOf, LONG_WAIT).toBe('');
      });

      test('self-signs the CA, and issues a certificate that clients trust', async () => {
        await apply('authority.yaml');
        await waitUntilReady('clusterissuer/authority');
        await apply('web.yaml');
        await waitUntilReady('certificate/web');

        expect(await trustedName(await keypair('web-tls'), 'web.example.org')).toBe('DNS:web.example.org');
        expect(new X509Certificate((await keypair('web-tls')).ca).subject).toBe('CN=An authority of the cluster');
      });

      test('records through the webhook who requested a certificate', async () => {
        const { items } = (await kubectl.json('get', 'certificaterequests')) as { items: { spec: object }[] };
        const user = await kubectl.ok('auth', 'whoami', '-o', 'jsonpath={.status.userInfo.username}');

        expect(items.map(({ spec }) => spec)).toEqual([expect.objectContaining({ username: user })]);
      });

      test('refuses invalid objects at the webhook, and names the field', async () => {
        const spec = JSON.stringify({ spec: { duration: '1h', renewBefore: '2h' } });
        const { code, stderr } = await kubectl.run('patch', 'certificate/web', '--type=merge', '-p', spec);

        expect(code).toBe(1);
        expect(stderr).toContain('admission webhook "webhook.cert-manager.io" denied the request: spec.renewBefore');
      });

      test('creates a certificate for an Ingress that requests one', async () => {
        await apply('ingress.yaml');
        await kubectl.ok('wait', '--for=create', 'certificate/shop-tls', '--timeout=2m');
        await waitUntilReady('certificate/shop-tls');

        expect(await trustedName(await keypair('shop-tls'), 'shop.example.org')).toBe('DNS:shop.example.org');
      });

      /** The existing objects with their versions. */
      const versions = async () => {
        const name = '{.kind}/{.metadata.namespace}/{.metadata.name}={.metadata.resourceVersion}';
        const template = `jsonpath={range .items[*]}${name}{"\\n"}{end}`;
        const lists = REGISTRY_FILES.map((args) => kubectl.ok('get', ...args, '-o', template));
        return (await Promise.all(lists)).flatMap((list) => list.split('\n')).filter(Boolean);
      };

      /** Resolves when no issuance is in progress. */
      const waitUntilSettled = async () => {
        const template = 'jsonpath={.items[*].status.nextPrivateKeySecretName}';
        await expect.poll(() => kubectl.ok('get', 'certificates', '-A', '-o', template), LONG_WAIT).toBe('');
      };

      test('does not write anything after its controllers restart', async () => {
        await waitUntilSettled();
        const before = await versions();

        await manager.restart();
        // The restarted controllers create this object once they have checked the other objects.
        await apply('late.yaml');
        await waitUntilReady('certificate/late');
        await waitUntilSettled();

        expect((await versions()).filter((each) => !each.includes('/late'))).toEqual(before);
      });

      test('recreates a lost Secret', async () => {
        const serial = await serialOf('web-tls');
        await kubectl.ok('delete', 'secret', 'web-tls');
        await kubectl.ok('wait', '--for=create', 'secret/web-tls', '--timeout=2m');
        await waitUntilReady('certificate/web');

        expect(await serialOf('web-tls')).not.toBe(serial);
      });

      test('renews a certificate when it is due', async () => {
        // The certificate is valid for an hour, the minimum, and is due for renewal ten seconds after it was created.
        await apply('short.yaml');
        await waitUntilReady('certificate/short');
        const serial = await serialOf('short-tls');

        await expect.poll(() => serialOf('short-tls'), LONG_WAIT).not.toBe(serial);

        expect(await trustedName(await keypair('short-tls'), 'short.example.org')).toBe('DNS:short.example.org');
      });
    });
  },
);
