import { spawn, spawnSync } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { systemClock } from '@fairway/base/clock';
import { silentLogger } from '@fairway/base/log';
import { certificateRequirements, issueComponentCertificate } from '@fairway/control-plane/pki/component-certificates';
import { AccessGuard } from '@fairway/control-plane/process/access/access-guard';
import { localNft } from '@fairway/control-plane/process/access/nft';
import type { ControlPlaneState } from '@fairway/control-plane/runtime';
import type { ConfigMap } from '@fairway/kube/kinds/generated/types';
import { ConfigMaps } from '@fairway/kube/kinds/resources';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { kill, pidsOf } from './process-runtime/local-processes.ts';
import { CLUSTER_UID, isRunning, ProcessCluster } from './process-runtime/process-cluster.ts';
import { testReleases } from './process-runtime/releases.ts';

const { offered } = await testReleases();
const nft = localNft(process.env);
const missing = [
  ...(offered === undefined ? ['binaries of 1.31 or later'] : []),
  ...(process.geteuid?.() === 0 ? [] : ['root']),
  ...(nft === undefined ? ['nft'] : []),
  ...(spawnSync('ip', ['netns', 'list']).status === 0 ? [] : ['ip netns']),
];
const skipReason = missing.length === 0 ? '' : ` (skipped: there is no ${missing.join(', no ')})`;

/** Unique to this run, so as not to affect other runs. */
const RUN_ID = (process.pid % 60).toString();
const HOME = `test${process.pid}`;

/** A separate host, connected to this machine. */
class Host {
  readonly #name: string;
  readonly address: string;
  readonly machine: string;

  constructor(name: string, number: number) {
    this.#name = `fw-al-${RUN_ID}-${name}`;
    this.address = `198.19.${200 + number}.${Number(RUN_ID) * 4 + 2}`;
    this.machine = `198.19.${200 + number}.${Number(RUN_ID) * 4 + 1}`;
    this.remove();
    const link = `fwal${RUN_ID}${name}`;
    ip('netns', 'add', this.#name);
    ip('link', 'add', link, 'type', 'veth', 'peer', 'name', 'eth0', 'netns', this.#name);
    ip('address', 'add', `${this.machine}/30`, 'dev', link);
    ip('link', 'set', link, 'up');
    ip('-n', this.#name, 'address', 'add', `${this.address}/30`, 'dev', 'eth0');
    ip('-n', this.#name, 'link', 'set', 'eth0', 'up');
    ip('-n', this.#name, 'link', 'set', 'lo', 'up');
    ip('-n', this.#name, 'route', 'add', 'default', 'via', this.machine);
  }

  addAddress(address: string): void {
    ip('-n', this.#name, 'address', 'add', `${address}/32`, 'dev', 'lo');
  }

  /** Runs a script with Node on the host; it gets `input` as JSON in its environment. */
  run(script: string, input: object) {
    const env = { ...process.env, INPUT: JSON.stringify(input) };
    return spawn('ip', ['netns', 'exec', this.#name, process.execPath, '--input-type=module', '-e', script], {
      env,
      stdio: ['ignore', 'pipe', 'inherit'],
    });
  }

  remove(): void {
    spawnSync('ip', ['netns', 'delete', this.#name]);
  }
}

function ip(...args: string[]): void {
  const { status, stderr } = spawnSync('ip', args, { encoding: 'utf8' });
  if (status !== 0) throw new Error(`ip ${args.join(' ')}: ${stderr}`);
}

/** Prints `connected`, or the reason for a failure. */
const CONNECT_SCRIPT = `
import { connect } from 'node:net';
const { host, port, localAddress, first } = JSON.parse(process.env.INPUT);
const socket = connect({ host, port, localAddress, timeout: 3000 });
const end = (text) => { console.log(text); process.exit(); };
socket.once('error', ({ code }) => end(code));
socket.once('timeout', () => end('no answer'));
socket.once('connect', () => end('connected'));
if (first) socket.write(first);
`;

/** Watches ConfigMaps: prints \`watching\`, each name, and \`cut\` when the connection ends. */
const WATCH = `
import { request } from 'node:https';
const { host, port, cert, key } = JSON.parse(process.env.INPUT);
const path = '/api/v1/namespaces/default/configmaps?watch=1';
const sent = request({ host, port, path, cert, key, rejectUnauthorized: false, agent: false }, (response) => {
  console.log('watching');
  response.on('data', () => {});
});
// Keepalives, as in kubectl: a client that sends nothing would not notice that the connection is cut.
sent.on('socket', (socket) => socket.setKeepAlive(true, 1000));
sent.on('error', () => {});
sent.on('close', () => { console.log('cut'); process.exit(); });
sent.end();
`;

describe.skipIf(missing.length > 0)(
  `spec.apiServer.allowedCIDRs of a control plane on this machine${skipReason}`,
  () => {
    const stack = new AsyncDisposableStack();
    let cluster: ProcessCluster;
    let state: ControlPlaneState;
    let allowedHost: Host;
    let otherHost: Host;
    let node: Host;
    let floating: Host;

    beforeAll(async () => {
      const parent = await mkdtemp(join(tmpdir(), 'allow-list-'));
      stack.defer(() => rm(parent, { recursive: true, force: true }));
      const hosts = ['a', 'b', 'c', 'd'].map((name, number) => new Host(name, number));
      stack.defer(() => {
        for (const host of hosts) host.remove();
      });
      [allowedHost, otherHost, node, floating] = hosts as [Host, Host, Host, Host];
      if (offered === undefined) return;
      cluster = await ProcessCluster.open(parent, offered.assets(parent), offered.version, systemClock, {
        address: allowedHost.machine,
        homeId: HOME,
      });
      stack.defer(() => cluster.runtime.close());
      allow(`${allowedHost.address}/32`);
      cluster.spec = { ...cluster.spec, nodeNetworks: [`${node.address}/32`], nodeAddresses: [floating.address] };
    });
    afterAll(() => stack.disposeAsync());

    function allow(...allowedCIDRs: string[]): void {
      cluster.spec = { ...cluster.spec, apiServer: { ...cluster.spec.apiServer, allowedCIDRs } };
    }

    /** The result of a connection attempt. */
    async function connectFrom(host: Host, more: object = {}): Promise<string> {
      const child = host.run(CONNECT_SCRIPT, { ...state.endpoint, ...more });
      let text = '';
      for await (const chunk of child.stdout) text += String(chunk);
      return text.trim();
    }

    /** The lines that a watch prints. */
    async function watchFrom(host: Host): Promise<AsyncIterator<string>> {
      const requirement = certificateRequirements(cluster.spec).find(({ component }) => component === 'fairway');
      if (requirement === undefined) throw new Error('Fairway has no certificate');
      const issued = await issueComponentCertificate(cluster.spec.pki, requirement, systemClock);
      const child = host.run(WATCH, { ...state.endpoint, cert: issued.certificatePem, key: issued.privateKeyPem });
      stack.defer(() => void child.kill('SIGKILL'));
      return createInterface({ input: child.stdout })[Symbol.asyncIterator]();
    }

    test('admits its ranges, the nodes and this machine, from the first moment', async () => {
      const starting = await cluster.runtime.ensure(cluster.spec);
      const rules = await nft?.(['list', 'table', 'inet', `fairway_${HOME}`]);
      state = await cluster.waitForState(isRunning);

      expect(starting.ready).toBe(false);
      expect(rules).toContain(allowedHost.address);
      expect(state.settingsProblem).toBeUndefined();
      expect(state.settingsInEffect).toBe(
        `the API server accepts connections from ${allowedHost.address}/32, and from nodes in ${node.address}/32, ${floating.address}`,
      );
      expect(await connectFrom(allowedHost)).toBe('connected');
      expect(await connectFrom(node)).toBe('connected');
      expect(await connectFrom(floating)).toBe('connected');
      const client = await cluster.connect(state);
      await expect(client.resource(ConfigMaps).list({ namespace: 'default' })).resolves.toBeDefined();
      client.close();
    });

    test('blocks other hosts, whatever addresses they claim', async () => {
      const proxied = `PROXY TCP4 ${allowedHost.address} ${state.endpoint?.host} 40000 ${state.endpoint?.port}\r\n`;
      otherHost.addAddress(allowedHost.address);

      expect(await connectFrom(otherHost)).toBe('ECONNREFUSED');
      expect(await connectFrom(otherHost, { first: proxied })).toBe('ECONNREFUSED');
      // The source address belongs to an admitted host, so responses go to that host.
      expect(await connectFrom(otherHost, { localAddress: allowedHost.address })).toBe('no answer');
      expect(await connectFrom(otherHost, { host: `::ffff:${state.endpoint?.host}` })).toBe('ECONNREFUSED');
    });

    test('changes immediately for new connections, and cuts connections from removed addresses', async () => {
      const lines = await watchFrom(allowedHost);
      const watching = await lines.next();
      const before = established(allowedHost);
      allow(`${otherHost.address}/32`);
      await cluster.runtime.ensure(cluster.spec);

      expect(await connectFrom(otherHost)).toBe('connected');
      expect(await connectFrom(allowedHost)).toBe('ECONNREFUSED');
      // The next packet in either direction ends the connection on both sides.
      const client = await cluster.connect(state);
      const map: ConfigMap = { metadata: { name: 'later', namespace: 'default' } };
      await client.resource(ConfigMaps).create(map);
      client.close();
      expect(watching.value).toBe('watching');
      expect(before.length).toBe(1);
      expect((await lines.next()).value).toBe('cut');
      await expect.poll(() => established(allowedHost)).toEqual([]);
    });

    /** Connections between the API server and a host. */
    function established({ address }: Host): readonly string[] {
      const { stdout } = spawnSync('ss', ['-Htn', 'state', 'established', 'dst', address], { encoding: 'utf8' });
      return stdout.trim() === '' ? [] : stdout.trim().split('\n');
    }

    test('remains in effect while Fairway is down, and keeps the rules of another Fairway', async () => {
      const other = new AccessGuard({
        homeId: `${HOME}other`,
        nft,
        alwaysAllowed: [],
        onChange: () => {},
        clock: systemClock,
        log: silentLogger,
      });
      stack.defer(() => other.removeTable());
      const endpoint = { host: otherHost.machine, port: 29_999 };
      await other.ensure({ clusterUid: CLUSTER_UID, endpoint, sources: ['192.0.2.1'], mayAct: () => true });
      const otherRules = () => nft?.(['list', 'table', 'inet', `fairway_${HOME}other`]);
      const before = await otherRules();

      await cluster.runtime.detach();
      const rejected = await connectFrom(allowedHost);
      cluster.runtime = cluster.openRuntime();
      await cluster.runtime.stopUnwanted((uid) => uid === CLUSTER_UID);
      await cluster.waitForState(isRunning);

      expect(rejected).toBe('ECONNREFUSED');
      expect(await connectFrom(allowedHost)).toBe('ECONNREFUSED');
      expect(await connectFrom(otherHost)).toBe('connected');
      expect(await otherRules()).toBe(before);
    });

    test('refuses to start a control plane without nft, and leaves a running control plane alone', async () => {
      await cluster.runtime.detach();
      cluster.runtime = cluster.openRuntime(systemClock, { nft: null });
      // The first check of running processes.
      await cluster.runtime.ensure(cluster.spec);
      kill(pidsOf(cluster.folder)['kube-apiserver']);
      const closed = await cluster.waitForState(({ phase }) => phase === 'Failed');
      const refused = await cluster.runtime.unenforcedFields();
      await cluster.runtime.detach();
      cluster.runtime = cluster.openRuntime();
      await cluster.waitForState(isRunning);

      expect(closed.reason).toBe('ControlPlaneFailed');
      expect(closed.message).toContain('is not started until spec.apiServer.allowedCIDRs can be enforced');
      expect(closed.message).toContain('the operator must install nftables');
      expect(refused['spec.apiServer.allowedCIDRs']).toContain('nft is not on PATH');
      expect(await connectFrom(allowedHost)).toBe('ECONNREFUSED');
    });

    test('is lifted with the last range, even by a Fairway that did not set it', async () => {
      await cluster.runtime.detach();
      cluster.runtime = cluster.openRuntime();
      allow();
      state = await cluster.waitForState(isRunning);

      expect(state.settingsInEffect).toBeUndefined();
      expect(await connectFrom(allowedHost)).toBe('connected');
    });

    test('leaves no rules of a deleted cluster, even if Fairway is killed in between', async () => {
      allow(`${allowedHost.address}/32`);
      await cluster.waitForState(isRunning);
      await cluster.runtime.detach();
      cluster.runtime = cluster.openRuntime();
      await cluster.runtime.stopUnwanted(() => false);
      const rules = await nft?.(['list', 'table', 'inet', `fairway_${HOME}`]);

      await cluster.runtime.close();

      expect(rules).not.toContain(CLUSTER_UID);
      expect(await nft?.(['list', 'tables'])).not.toMatch(new RegExp(`fairway_${HOME}$`, 'm'));
    });
  },
);
