import { clusters } from '@fairway/api/kinds/cluster';
import { kubernetesReleases } from '@fairway/api/kinds/kubernetes-release';
import { type Machine, machines } from '@fairway/api/kinds/machine';
import { nodePools } from '@fairway/api/kinds/node-pool';
import { aRelease } from '@fairway/api/testing/releases';
import { seededRandom } from '@fairway/base/testing/seeded-random';
import { SteppingClock } from '@fairway/controllers/testing/stepping-clock';
import { TEAM, TestFairway } from '@fairway/controllers/testing/test-fairway';
import { Informer } from '@fairway/kube/client/informer';
import { findCondition } from '@fairway/kube/controller/conditions';
import { REALISTIC_LATENCY } from '@fairway/simulator/http/latency';
import { serverOwner } from '@fairway/tenancy/cloud/ownership';
import type { Lane, NodeState, Segment, Timeline } from './timeline-svg.ts';

const [FROM, TO] = ['1.50', '1.51'];
/** What a kubelet takes from the start of its server until it is Ready: cloud-init, certificates, pod network. */
const BOOT_MS = 25_000;
const SETTLE_MS = 60_000;
const LIMIT_MS = 3_600_000;

export interface Upgrade {
  readonly strategy: {
    readonly type: 'Rolling' | 'InPlace';
    readonly maxSurge?: number;
    readonly maxUnavailable?: number;
  };
  readonly nodes: number;
  readonly title: string;
  readonly description: string;
}

/** Upgrades the nodes of a cluster on a simulated cloud with the latencies of a real one, and tells what each node did when. */
export async function runUpgrade({ strategy, nodes, title, description }: Upgrade): Promise<Timeline> {
  const clock = new SteppingClock();
  const cloud = { latency: REALISTIC_LATENCY };
  await using fairway = await TestFairway.start({ clock, cloud, random: seededRandom(1), nodesJoin: false });
  fairway.cloud.onServerActive(({ name, tags }) => {
    const owner = serverOwner({ tags });
    if (owner === undefined) return;
    clock.after(BOOT_MS, () => void join(fairway, owner.clusterUid, name).catch(() => {}));
  });
  for (const minor of [FROM, TO]) {
    await fairway.client
      .resource(kubernetesReleases)
      .delete(minor)
      .catch(() => undefined);
  }
  for (const minor of [FROM, TO]) await fairway.create(kubernetesReleases, aRelease(minor, {}, [0]));
  await clock.during(fairway.createCluster({ version: FROM }));
  await clock.during(fairway.createPool({ replicas: nodes, upgradeStrategy: strategy }));
  await until(
    clock,
    async () => (await fairway.machines()).filter(({ status }) => status?.phase === 'Ready').length === nodes,
  );
  await clock.pass(SETTLE_MS);

  const recorder = new Recorder(fairway, clock);
  await clock.during(fairway.patch(clusters, 'demo', { spec: { version: TO } }));
  const fromMs = clock.now();
  await until(clock, async () => {
    const pool = await fairway.client.resource(nodePools).get('general', { namespace: TEAM });
    const isDone = findCondition(pool.status?.conditions, 'UpToDate')?.status === 'True';
    const all = await fairway.machines();
    return (
      isDone &&
      all.length === nodes &&
      all.every(({ spec, status }) => spec.version.startsWith(TO) && status?.phase === 'Ready')
    );
  });
  const toMs = clock.now();
  return { title, description, lanes: await recorder.end(toMs), fromMs, toMs };
}

/** Its kubelet is of the version that its machine is made with. */
async function join({ client, runtime }: TestFairway, clusterUid: string, name: string): Promise<void> {
  const { spec } = await client.resource(machines).get(name, { namespace: TEAM });
  await runtime.join(clusterUid, name, spec.version);
}

async function until(clock: SteppingClock, check: () => Promise<boolean>): Promise<void> {
  const limitMs = clock.now() + LIMIT_MS;
  while (!(await clock.during(check()))) {
    if (clock.now() > limitMs) throw new Error('it has not come to an end within an hour');
    await clock.pass(1000);
  }
}

/** Follows what the API tells of each Machine. */
class Recorder {
  readonly #clock: SteppingClock;
  readonly #open = new Map<string, { state: NodeState; fromMs: number }>();
  readonly #segments = new Map<string, Segment[]>();
  readonly #stop = new AbortController();
  readonly #informer: Informer<Machine>;

  constructor({ client }: TestFairway, clock: SteppingClock) {
    this.#clock = clock;
    this.#informer = new Informer(client.resource(machines), { namespace: TEAM, clock });
    this.#informer.addHandler({
      onAdd: (machine) => this.#note(machine.metadata.name ?? '', stateOf(machine)),
      onUpdate: (_, machine) => this.#note(machine.metadata.name ?? '', stateOf(machine)),
      onDelete: ({ metadata }) => this.#note(metadata.name ?? '', undefined),
    });
    this.#informer.start(this.#stop.signal);
  }

  #note(name: string, state: NodeState | undefined): void {
    const nowMs = this.#clock.now();
    const open = this.#open.get(name);
    if (open?.state === state) return;
    const segments = this.#segments.get(name) ?? [];
    if (open) segments.push({ ...open, toMs: nowMs });
    this.#segments.set(name, segments);
    if (state === undefined) this.#open.delete(name);
    else this.#open.set(name, { state, fromMs: nowMs });
  }

  /** The lanes in the order in which the nodes came. */
  async end(toMs: number): Promise<Lane[]> {
    this.#stop.abort();
    await this.#informer.stopped;
    for (const name of this.#open.keys()) this.#note(name, undefined);
    return [...this.#segments].map(([, segments], index) => ({
      name: `node ${index + 1}`,
      segments: segments.map((segment) => ({ ...segment, toMs: Math.min(segment.toMs, toMs) })),
    }));
  }
}

function stateOf({ metadata, spec, status }: Machine): NodeState {
  const { phase } = status ?? {};
  if (phase === 'Draining') return 'draining';
  if (metadata.deletionTimestamp !== undefined) return 'deleting';
  if (phase === 'Ready') return (status?.installed?.version ?? spec.version).startsWith(TO) ? 'new' : 'old';
  return 'installing';
}
