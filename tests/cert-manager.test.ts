import { X509Certificate } from 'node:crypto';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { connect, createServer } from 'node:tls';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { CertManager } from './clients/cert-manager.ts';
import { CONTROL_PLANES, MANIFEST } from './clients/control-planes.ts';
import { hasKubectl, Kubectl } from './clients/kubectl.ts';
import { findProgram } from './clients/programs.ts';
import { ProvisionedCluster } from './session/provisioned-cluster.ts';
import { PROJECT } from './session/running-fairway.ts';

const program = hasKubectl ? findProgram('cert-manager') : undefined;
const described = program?.version ?? '(skipped: no kubectl, or "testbed/clients/testbed build" has not made it)';
/** Ends hanging tests. */
const PATIENCE = { timeout: 100_000, interval: 500 };
const MANIFESTS = join(PROJECT, 'tests/clients/certificates');
/** Kinds that it writes, in the namespaces where it does, and cluster-wide ones. */
const WRITTEN = [
  ['certificates,certificaterequests,ingresses,secrets', '--namespace=default'],
  ['certificates,certificaterequests,secrets', '--namespace=cert-manager'],
  ['clusterissuers,customresourcedefinitions,mutatingwebhookconfigurations,validatingwebhookconfigurations'],
];

interface Keypair {
  readonly key: string;
  readonly cert: string;
  readonly ca: string;
}

/** The name under which a client that trusts only the authority accepts a server with this certificate. */
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

/** Creates an authority in the cluster, and lets it sign. */
describe.skipIf(program === undefined).each(CONTROL_PLANES)(
  `cert-manager ${described} on $plane`,
  ({ controlPlane, isMissing }) => {
    describe.skipIf(isMissing)('with an authority in the cluster', () => {
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
      const untilReady = async (object: string, ...args: readonly string[]) => {
        const { code, stderr } = await kubectl.run(...args, 'wait', '--for=condition=Ready', object, '--timeout=2m');
        if (code !== 0) throw new Error(`${stderr}\n${manager.said}`);
      };
      const keypair = async (secret: string): Promise<Keypair> => {
        const { data } = (await kubectl.json('get', 'secret', secret)) as { data: Record<string, string> };
        const of = (name: string) => Buffer.from(data[name] ?? '', 'base64').toString();
        return { key: of('tls.key'), cert: of('tls.crt'), ca: of('ca.crt') };
      };
      const serialOf = async (secret: string) => new X509Certificate((await keypair(secret)).cert).serialNumber;

      test('its webhook accepts objects once the injector has made it trusted', async () => {
        const tried = () => kubectl.run('apply', '--dry-run=server', '-f', join(MANIFESTS, 'authority.yaml'));
        const said = async () => (await tried()).stderr;

        await expect.poll(said, PATIENCE).toBe('');
      });

      test('the authority signs itself, and a certificate that clients trust', async () => {
        await apply('authority.yaml');
        await untilReady('clusterissuer/authority');
        await apply('web.yaml');
        await untilReady('certificate/web');

        expect(await trustedName(await keypair('web-tls'), 'web.example.org')).toBe('DNS:web.example.org');
        expect(new X509Certificate((await keypair('web-tls')).ca).subject).toBe('CN=An authority of the cluster');
      });

      test('the webhook records who requested a certificate', async () => {
        const { items } = (await kubectl.json('get', 'certificaterequests')) as { items: { spec: object }[] };
        const user = await kubectl.ok('auth', 'whoami', '-o', 'jsonpath={.status.userInfo.username}');

        expect(items.map(({ spec }) => spec)).toEqual([expect.objectContaining({ username: user })]);
      });

      test('the webhook refuses invalid objects, naming the field', async () => {
        const spec = JSON.stringify({ spec: { duration: '1h', renewBefore: '2h' } });
        const { code, stderr } = await kubectl.run('patch', 'certificate/web', '--type=merge', '-p', spec);

        expect(code).toBe(1);
        expect(stderr).toContain('admission webhook "webhook.cert-manager.io" denied the request: spec.renewBefore');
      });

      test('a certificate is created for an Ingress that requests one', async () => {
        await apply('ingress.yaml');
        await kubectl.ok('wait', '--for=create', 'certificate/shop-tls', '--timeout=2m');
        await untilReady('certificate/shop-tls');

        expect(await trustedName(await keypair('shop-tls'), 'shop.example.org')).toBe('DNS:shop.example.org');
      });

      /** The existing objects with their versions. */
      const versions = async () => {
        const name = '{.kind}/{.metadata.namespace}/{.metadata.name}={.metadata.resourceVersion}';
        const template = `jsonpath={range .items[*]}${name}{"\\n"}{end}`;
        const lists = WRITTEN.map((args) => kubectl.ok('get', ...args, '-o', template));
        return (await Promise.all(lists)).flatMap((list) => list.split('\n')).filter(Boolean);
      };

      /** Once nothing is being issued any more. */
      const untilSettled = async () => {
        const template = 'jsonpath={.items[*].status.nextPrivateKeySecretName}';
        await expect.poll(() => kubectl.ok('get', 'certificates', '-A', '-o', template), PATIENCE).toBe('');
      };

      test('restarted controllers write nothing', async () => {
        await untilSettled();
        const before = await versions();

        await manager.restart();
        // Created by the restarted ones, which have checked the others by then.
        await apply('late.yaml');
        await untilReady('certificate/late');
        await untilSettled();

        expect((await versions()).filter((each) => !each.includes('/late'))).toEqual(before);
      });

      test('a lost Secret is recreated', async () => {
        const serial = await serialOf('web-tls');
        await kubectl.ok('delete', 'secret', 'web-tls');
        await kubectl.ok('wait', '--for=create', 'secret/web-tls', '--timeout=2m');
        await untilReady('certificate/web');

        expect(await serialOf('web-tls')).not.toBe(serial);
      });

      test('a certificate is renewed when it is due', async () => {
        // Valid for an hour, the shortest possible: due ten seconds after its creation.
        await apply('short.yaml');
        await untilReady('certificate/short');
        const serial = await serialOf('short-tls');

        await expect.poll(() => serialOf('short-tls'), PATIENCE).not.toBe(serial);

        expect(await trustedName(await keypair('short-tls'), 'short.example.org')).toBe('DNS:short.example.org');
      });
    });
  },
);
