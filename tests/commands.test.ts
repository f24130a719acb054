import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { cloudProfiles } from '@fairway/api/kinds/cloud-profile';
import { clusters } from '@fairway/api/kinds/cluster';
import { systemClock } from '@fairway/base/clock';
import { runWith } from '@fairway/cli/command/run-program';
import { fakeContext } from '@fairway/cli/testing/fake-context';
import { HttpsTransport } from '@fairway/kube/client/https-transport';
import { KubeClient } from '@fairway/kube/client/kube-client';
import { loadKubeConnection } from '@fairway/kube/client/kubeconfig-loader';
import { Namespaces } from '@fairway/kube/kinds/resources';
import { eventually } from '@fairway/kube/testing/eventually';
import { Home } from '@fairway/service/up/home';
import { type RunningFairway, up } from '@fairway/service/up/up';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { plainUp } from './session/plain-up.ts';

let folder: string;
let home: Home;
let fairway: RunningFairway;
let client: KubeClient;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'fairway-commands-'));
  home = new Home(join(folder, 'home'));
  vi.stubEnv('OS_CLIENT_CONFIG_FILE', home.cloudsYaml);
  fairway = await up(plainUp(home));
  const { transport } = await loadKubeConnection({ path: home.kubeconfig });
  client = new KubeClient(new HttpsTransport(transport));
  await client.resource(Namespaces).create({ metadata: { name: 'bare' }, spec: {} });
  await eventually(
    client.resource(cloudProfiles),
    { namespace: 'default' },
    ([profile]) => profile?.status?.conditions?.some(({ status }) => status === 'True') === true,
  );
});
afterAll(async () => {
  vi.unstubAllEnvs();
  client.close();
  await fairway.stop();
  rmSync(folder, { recursive: true });
});

async function fairwayCommand(args: readonly string[], stdin = '') {
  const env = { KUBECONFIG: home.kubeconfig, HOME: folder, OS_CLIENT_CONFIG_FILE: home.cloudsYaml };
  const context = fakeContext({ env, cwd: folder, clock: systemClock, readStdin: () => Promise.resolve(stdin) });
  return { code: await runWith(args, context), ...context.written };
}

interface Row {
  readonly args: readonly string[];
  readonly code: number;
  readonly stdout?: RegExp;
  readonly stderr?: RegExp;
}

const CLUSTER = `apiVersion: fairway.dev/v1alpha1
kind: Cluster
metadata: { name: filed }
spec: { plan: free }
`;

describe('each command, with right, wrong and missing input', () => {
  test.each<Row>([
    { args: ['cloud', 'flavors'], code: 0, stdout: /^NAME +VCPUS +MEMORY +DISK +ID\n.*MiB/ },
    { args: ['cloud', 'flavors', '-o', 'name'], code: 0, stdout: /^b3-8$/m },
    { args: ['cloud', 'flavors', '--plan', 'free', '-o', 'name'], code: 0, stdout: /^b3-8$/m },
    { args: ['cloud', 'flavors', '--plan', 'nope'], code: 1, stderr: /no plan "nope".*\n.*free/ },
    { args: ['cloud', 'zones', '--plan', 'free'], code: 2, stderr: /unknown option '--plan'/ },
    { args: ['cloud', 'images'], code: 0, stdout: /ubuntu 24\.04/ },
    { args: ['cloud', 'zones', '-o', 'json'], code: 0, stdout: /"name": "nova-a"/ },
    { args: ['cloud', 'networks'], code: 0, stdout: /^public +true/m },
    { args: ['cloud', 'quota'], code: 0, stdout: /^instances +0 +500 +500$/m },
    { args: ['cloud', 'quota', '-o', 'yaml'], code: 0, stdout: /left: 500/ },
    { args: ['cloud', 'volume-types'], code: 0, stdout: /^high-speed +[0-9a-f-]{36}$/m },
    {
      args: ['cloud', 'flavors', '--credential', 'nobody'],
      code: 1,
      stderr: /credential "nobody".*\n.*credential create/,
    },
    { args: ['cloud', 'flavors', '-n', 'bare'], code: 1, stderr: /"bare" has no cloud.*\n.*fairway\.dev\/cloud/ },
    { args: ['cloud', 'flavours'], code: 2, stderr: /Did you mean flavors/ },
    { args: ['cloud'], code: 2, stderr: /Usage: fairway cloud/ },

    { args: ['cluster', 'create'], code: 2, stderr: /which cluster/ },
    {
      args: ['cluster', 'create', 'x', '--nodes', '3'],
      code: 2,
      stderr: /--nodes is about nodes.*\n.*--flavor NAME \(.*b3-8/,
    },
    { args: ['cluster', 'create', 'x', '--zones', 'nova-a', '--pool', 'p'], code: 2, stderr: /--zones and --pool are/ },
    { args: ['cluster', 'create', 'x', '-f', 'y'], code: 2, stderr: /mutually exclusive/ },
    { args: ['cluster', 'create', '-f', 'y', '--flavor', 'b3-8'], code: 2, stderr: /--flavor and --filename/ },
    { args: ['cluster', 'create', '-f', 'missing.yaml'], code: 2, stderr: /cannot read .*missing\.yaml/ },
    { args: ['cluster', 'create', 'Upper', '--dry-run'], code: 1, stderr: /metadata\.name/ },
    { args: ['cluster', 'create', 'x', '--plan', 'nope', '--dry-run'], code: 1, stderr: /spec\.plan.*"nope"/ },
    {
      args: ['cluster', 'create', 'x', '--version', 'v1', '--dry-run'],
      code: 1,
      stderr: /spec\.version: Invalid value: "v1": must be a Kubernetes version such as 1\.34/,
    },
    { args: ['cluster', 'create', 'x', '--version', '9.9', '--dry-run'], code: 1, stderr: /spec\.version/ },
    { args: ['cluster', 'create', 'x', '--subnet', 'y', '--dry-run'], code: 1, stderr: /subnetID/ },
    { args: ['cluster', 'create', 'x', '--dry-run'], code: 0, stdout: /x created \(server dry run\)/ },
    {
      args: ['cluster', 'create', 'x', '--flavor', 'b3-8', '--dry-run'],
      code: 0,
      stdout: /nodepool.*\/x-general created \(server/,
    },
    { args: ['cluster', 'create', 'x', '--flavor', 'b3-88', '--dry-run'], code: 1, stderr: /spec\.flavor.*"b3-8"/ },
    {
      args: ['nodepool', 'create', 'p', '--cluster', 'größer', '--flavor', 'b3-8', '--dry-run'],
      code: 0,
      stdout: /p created \(server dry run\)/,
      stderr: /^Warning: spec\.clusterName: the namespace has no cluster "größer" yet/,
    },
    { args: ['cluster', 'create', '-f', '-', '--no-wait'], code: 0, stdout: /filed created/ },
    {
      args: ['cluster', 'create', 'x', '--plan', 'free', '--dry-run', '--no-wait'],
      code: 0,
      stdout: /x created \(server dry run\)\n(  .*\n)*  spec\.plan: free\n/,
    },
    { args: ['cluster', 'create', 'filed', '--no-wait'], code: 1, stderr: /already exists/ },
    { args: ['cluster', 'list'], code: 0, stdout: /filed/ },
    { args: ['cluster', 'list', '-l', '=='], code: 1, stderr: /found '=='/ },
    { args: ['cluster', 'get'], code: 2, stderr: /missing required argument/ },
    { args: ['cluster', 'get', 'nobody'], code: 1, stderr: /"nobody" not found/ },
    { args: ['cluster', 'wait', 'nobody'], code: 1, stderr: /"nobody" not found/ },
    { args: ['cluster', 'wait', 'nobody', '--for=deleted'], code: 0, stdout: /nobody is deleted/ },
    { args: ['cluster', 'wait', 'filed', '--for', 'gone'], code: 2, stderr: /none of Ready, deleted, upgraded/ },
    { args: ['cluster', 'wait', 'filed', '--for=deleted', '--timeout', '1s'], code: 4, stderr: /timed out after 1 s/ },
    { args: ['cluster', 'wait', 'filed', '--for=condition=NetworkReady'], code: 0, stdout: /filed has condition Net/ },
    {
      args: ['cluster', 'scale', 'filed', '--nodes', '2'],
      code: 1,
      stderr: /no node pool .* "filed"\n.*nodepool create/,
    },
    { args: ['cluster', 'kubeconfig'], code: 2, stderr: /missing required argument/ },
    { args: ['cluster', 'kubeconfig', 'nobody'], code: 1, stderr: /not found/ },
    {
      args: ['cluster', 'upgrade', 'filed', '--to', '1.20', '--dry-run'],
      code: 1,
      stderr: /spec\.version.*1\.20/,
    },
    { args: ['cluster', 'upgrade', 'filed', '--plan', '--dry-run'], code: 2, stderr: /cannot be used with/ },
    { args: ['cluster', 'delete', 'filed', '--dry-run'], code: 0, stdout: /filed deleted \(server dry run\)/ },
    { args: ['cluster', 'get', 'filed', '-o', 'name'], code: 0, stdout: /filed/ },
    { args: ['nodepool', 'events', 'nobody'], code: 1, stderr: /not found/ },
    { args: ['nodepool', 'wait', 'nobody'], code: 1, stderr: /not found/ },
    { args: ['machine', 'events', 'nobody'], code: 1, stderr: /not found/ },
    { args: ['machine', 'wait', 'nobody', '--for=deleted'], code: 0, stdout: /nobody is deleted/ },
    { args: ['cluster', 'events', 'nobody'], code: 1, stderr: /"nobody" not found/ },
    { args: ['cluster', 'events', 'filed', '-o', 'json'], code: 0, stdout: /"items": \[/ },
    { args: ['cluster', 'snapshots', 'nobody'], code: 1, stderr: /not found/ },
    { args: ['cluster', 'snapshots', 'filed'], code: 0, stderr: /No snapshots/ },
    { args: ['cluster', 'restore', 'filed'], code: 2, stderr: /missing required argument/ },
    { args: ['cluster', 'restore', 'filed', 'nope'], code: 1, stderr: /no snapshot "nope"\n.*cluster snapshots filed/ },
    { args: ['cluster', 'upgrade'], code: 2, stderr: /missing required argument/ },
    { args: ['cluster', 'upgrade', 'nobody'], code: 1, stderr: /"nobody" not found/ },
    { args: ['cluster', 'upgrade', 'filed', '--to', '1.20'], code: 1, stderr: /spec\.version.*1\.20/ },
    { args: ['cluster', 'pause'], code: 2, stderr: /which clusters/ },
    { args: ['cluster', 'pause', 'filed', '--all'], code: 2, stderr: /which clusters/ },
    { args: ['cluster', 'pause', 'nobody'], code: 1, stderr: /not found/ },
    { args: ['cluster', 'delete'], code: 2, stderr: /missing required argument/ },
    { args: ['cluster', 'delete', 'nobody'], code: 1, stderr: /not found/ },

    { args: ['nodepool', 'create'], code: 2, stderr: /which pool/ },
    { args: ['nodepool', 'create', 'x'], code: 2, stderr: /--cluster and --flavor/ },
    { args: ['nodepool', 'create', '-f', 'y', '--flavor', 'b3-8'], code: 2, stderr: /--flavor and --filename/ },
    {
      args: ['nodepool', 'create', 'x', '--cluster', 'filed', '--flavor', 'no', '--dry-run'],
      code: 1,
      stderr: /spec\.flavor/,
    },
    {
      args: ['nodepool', 'create', 'x', '--cluster', 'filed', '--flavor', 'b3-8', '--zones', 'mars', '--dry-run'],
      code: 1,
      stderr: /availabilityZones/,
    },
    {
      args: ['nodepool', 'create', 'x', '--cluster', 'filed', '--flavor', 'b3-8', '--taints', 'a'],
      code: 2,
      stderr: /key=value:NoSchedule/,
    },
    {
      args: ['nodepool', 'create', 'x', '--cluster', 'filed', '--flavor', 'b3-8', '--dry-run'],
      code: 0,
      stdout: /x created/,
    },
    { args: ['nodepool', 'scale', 'nobody', '--nodes', '2'], code: 1, stderr: /not found/ },
    { args: ['nodepool', 'list', '--cluster', 'nobody'], code: 0, stderr: /No nodepools/ },
    { args: ['nodepool', 'delete', 'nobody'], code: 1, stderr: /not found/ },
    { args: ['nodepool', 'pause', 'nobody'], code: 1, stderr: /not found/ },
    { args: ['nodepool', 'resume', 'nobody'], code: 1, stderr: /not found/ },
    { args: ['nodepool', 'abort-upgrade', 'nobody'], code: 1, stderr: /not found/ },
    { args: ['machine', 'list'], code: 0, stderr: /No machines/i },
    { args: ['machine', 'get', 'nobody'], code: 1, stderr: /not found/ },
    { args: ['machine', 'delete', 'nobody'], code: 1, stderr: /not found/ },
    { args: ['machine', 'repair', 'nobody'], code: 1, stderr: /not found/ },
    { args: ['machine', 'drain', 'nobody'], code: 2, stderr: /--force/ },
    { args: ['machine', 'drain', 'nobody', '--force'], code: 1, stderr: /not found/ },
    { args: ['machine', 'keep', 'nobody'], code: 2, stderr: /--for/ },
    { args: ['machine', 'keep', 'nobody', '--for', '100h'], code: 2, stderr: /from 1m to 72h/ },
    { args: ['machine', 'keep', 'nobody', '--for', '4h'], code: 1, stderr: /not found/ },
    { args: ['machine', 'exclude', 'nobody'], code: 1, stderr: /not found/ },
    { args: ['machine', 'include', 'nobody'], code: 1, stderr: /not found/ },

    { args: ['credential', 'create', 'x'], code: 2, stderr: /--cloud <entry>' not specified/ },
    { args: ['credential', 'create', 'x', '--cloud', 'nope'], code: 2, stderr: /nope.*simulator/ },
    {
      args: ['credential', 'create', 'x', '--cloud', 'simulator-service'],
      code: 1,
      stderr: /no role to give to Fairway, which needs member: .* you have: service\n.*openstack role add/,
    },
    { args: ['credential', 'get', 'nobody'], code: 1, stderr: /not found/ },
    { args: ['credential', 'delete', 'nobody', '--cloud', 'simulator'], code: 1, stderr: /not found/ },
    { args: ['kubeconfig'], code: 2, stderr: /which cluster\?\n.*--exec/ },
    { args: ['kubeconfig', 'filed', '--exec'], code: 2, stderr: /which cloud\? Name one, or set OS_CLOUD/ },
    { args: ['kubeconfig', '--exec', '--cloud', 'nope'], code: 2, stderr: /cloud nope: no such cloud/ },
    { args: ['auth', 'token', '--cloud', 'nope'], code: 2, stderr: /cloud nope: no such cloud/ },
    { args: ['kubeconfig', 'nobody'], code: 1, stderr: /not found/ },
    { args: ['kubeconfig', 'filed', '--expiration', '1s'], code: 2, stderr: /from 10m to 24h/ },

    { args: ['backup'], code: 2, stderr: /passphrase/i },
    { args: ['backup', 'verify', 'missing.backup'], code: 2, stderr: /missing\.backup/ },
    { args: ['restore', 'missing.backup'], code: 2, stderr: /missing\.backup/ },
    { args: ['doctor', '--cloud', 'nope'], code: 2, stderr: /nope.*simulator/ },
    { args: ['hollow-nodes'], code: 2, stderr: /--cloud <name>' not specified/ },
    { args: ['hollow-nodes', '--cloud', 'nope'], code: 2, stderr: /nope.*simulator/ },
    { args: ['hollow-nodes', '--cloud', 'simulator'], code: 1, stderr: /administrator.*\n/ },
    { args: ['install'], code: 2, stderr: /API of "fairway up"/ },
    { args: ['releases', 'fetch'], code: 2, stderr: /missing required argument/ },
    { args: ['releases', 'fetch', 'latest'], code: 2, stderr: /latest/ },
    { args: ['version', '--kubeconfig', 'missing'], code: 2, stderr: /cannot read/ },
    { args: ['version', '-o', 'json'], code: 0, stdout: /"server"/ },
    { args: ['version', 'list'], code: 0, stdout: /^NAME +PHASE .*\n(.*\n)*1\.36 +Supported/ },
    { args: ['plan', 'list'], code: 0, stdout: /^NAME +TOPOLOGY .*\n(.*\n)*free / },
    { args: ['plan', 'show', 'free', '-o', 'name'], code: 0, stdout: /^plan\.fairway\.dev\/free\n$/ },
    { args: ['man'], code: 0, stdout: /^\.TH FAIRWAY 1 / },
    { args: ['completion'], code: 2, stderr: /missing required argument/ },
    { args: ['completion', 'tcsh'], code: 2, stderr: /bash, zsh, fish/ },
    { args: ['__complete', '--', 'cluster', 'create', 'x', '--flavor', 'b3'], code: 0, stdout: /^b3-8$/m },
    { args: ['__complete', '--', 'cluster', 'create', 'x', '--plan', ''], code: 0, stdout: /^free$/m },
    { args: ['__complete', '--', 'cluster', 'create', 'x', '--version', ''], code: 0, stdout: /^1\.\d+$/m },
    { args: ['__complete', '--', 'cluster', 'list', '-n', 'ba'], code: 0, stdout: /^bare$/m },
    { args: ['__complete', '--', '-n', 'bare', 'cluster', 'get', ''], code: 0, stdout: /^$/ },
    { args: ['__complete', '--', 'cluster', 'get', 'f'], code: 0, stdout: /^filed$/m },
    { args: ['__complete', '--', 'auth', 'token', '--project', ''], code: 0, stdout: /^demo$/m },
    { args: ['__complete', '--', '--kubeconfig', 'missing', 'cluster', 'get', ''], code: 0, stdout: /^$/ },
    { args: ['__complete', '--kubeconfig', 'missing', '--', 'cluster', 'get', ''], code: 0 },
    { args: ['up', '--cloud', 'simulatro'], code: 2, stderr: /did you mean "simulator"/ },
    { args: ['serve', '--kubeconfig', 'missing'], code: 2, stderr: /missing/ },
    { args: ['cluster', 'list', '--context', 'nope'], code: 2, stderr: /no context "nope"/ },
  ])('fairway $args ends with $code', async ({ args, code, stdout = /^/, stderr = /^/ }) => {
    const answer = await fairwayCommand(args, CLUSTER);

    expect(answer).toEqual({ ...answer, code });
    expect(answer.stdout).toMatch(stdout);
    expect(answer.stderr).toMatch(stderr);
    expect(answer.stderr).not.toMatch(/\n +at |TypeError|ZodError/);
  });

  test('a credential that Fairway cannot use goes from Keystone too, once its owner has logged in there', async () => {
    const create = (more: readonly string[]) =>
      fairwayCommand(['credential', 'create', 'mine', '--cloud', 'simulator', ...more]);
    const remove = (cloud: string) => fairwayCommand(['credential', 'delete', 'mine', '--cloud', cloud]);

    expect(await create(['--fairway-cloud', 'elsewhere'])).toMatchObject({ code: 1 });
    expect(await create([])).toMatchObject({ code: 1, stderr: expect.stringContaining('"fairway-default-mine"') });
    expect(await remove('nowhere')).toMatchObject({ code: 2, stderr: expect.stringContaining('no cloud "nowhere"') });
    expect(await fairwayCommand(['credential', 'get', 'mine'])).toMatchObject({ code: 0 });
    expect(await remove('simulator')).toMatchObject({ code: 0 });
    expect(await create([])).toMatchObject({ code: 0 });
    expect(await remove('simulator')).toMatchObject({ code: 0 });
  });

  test('a dry run checks all objects of a file together, and stores none', async () => {
    const pool = (name: string) => `---
apiVersion: fairway.dev/v1alpha1
kind: NodePool
metadata: { name: ${name} }
spec: { clusterName: both, flavor: b3-8, replicas: 60 }
`;
    const file = CLUSTER.replace('filed', 'both') + pool('one') + pool('two');
    const answer = await fairwayCommand(['cluster', 'create', '-f', '-', '--dry-run'], file);

    expect(answer).toMatchObject({ code: 1, stderr: expect.stringMatching(/NodePool.* "two" is invalid.*100 nodes/) });
    expect(await fairwayCommand(['cluster', 'get', 'both'])).toMatchObject({ code: 1 });
  });

  test('a snapshot of a simulated control plane is refused, and leaves nothing behind', async () => {
    await fairwayCommand(['cluster', 'create', 'simulated', '--plan', 'free', '--timeout', '5m']);
    const answer = await fairwayCommand(['cluster', 'snapshot', 'simulated']);

    expect(answer).toMatchObject({ code: 1, stderr: expect.stringContaining('keeps no snapshots') });
    const { spec } = await client.resource(clusters).get('simulated', { namespace: 'default' });
    expect(spec.etcd).toBeUndefined();
  });

  test('the events of a cluster are a story, with its pools and machines', async () => {
    const shape = ['--flavor', 'b3-8', '--nodes', '1', '--plan', 'free', '--timeout', '5m'];
    await fairwayCommand(['cluster', 'create', 'told', ...shape]);
    const { stdout } = await fairwayCommand(['cluster', 'events', 'told']);
    const [heading, ...rows] = stdout.trimEnd().split('\n');
    const times = rows.map((row) => row.slice(0, 20));

    expect(heading).toMatch(/^LAST SEEN +TYPE +REASON +OBJECT +MESSAGE$/);
    expect(times).toEqual(times.toSorted());
    expect((await fairwayCommand(['nodepool', 'events', 'told-general'])).stdout).not.toContain('cluster/told ');
    for (const kind of ['cluster/told ', 'machine/told-general-']) {
      expect(rows.join('\n')).toContain(kind);
    }
    expect(stdout).not.toContain('/simulated');
  });

  test('a dry run of scaling, upgrading and deleting says what would change, and changes nothing', async () => {
    const shape = ['--flavor', 'b3-8', '--nodes', '1', '--plan', 'free', '--version', '1.35', '--timeout', '5m'];
    await fairwayCommand(['cluster', 'create', 'dry', ...shape]);
    const stored = async () => (await fairwayCommand(['pool', 'get', 'dry-general', '-o', 'json'])).stdout;
    const before = await stored();

    const scale = await fairwayCommand(['cluster', 'scale', 'dry', '--nodes', '2', '--dry-run']);
    const tooMany = await fairwayCommand(['pool', 'scale', 'dry-general', '--nodes', '200', '--dry-run']);
    const upgrade = await fairwayCommand(['cluster', 'upgrade', 'dry', '--to', '1.36', '--dry-run']);
    const remove = await fairwayCommand(['cluster', 'delete', 'dry', '--dry-run']);

    expect(scale).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/2 \(server dry run\)\n  spec\.replicas: 1 -> 2\n/),
    });
    expect(tooMany).toMatchObject({ code: 1, stderr: expect.stringContaining('maxReplicas') });
    expect(upgrade).toMatchObject({ code: 0, stdout: expect.stringContaining('  spec.version: 1.35 -> 1.36\n') });
    expect(remove.stdout).toMatch(
      /dry deleted \(server dry run\)\n  nodepool\.\S+dry-general goes with it\n  machine\./,
    );
    expect(await stored()).toBe(before);
  });
});
