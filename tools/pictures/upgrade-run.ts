import { type Machine, machines } from '@fairway/api/kinds/machine';
import type { SteppingClock } from '@fairway/controllers/testing/stepping-clock';
import { TEAM, type TestFairway } from '@fairway/controllers/testing/test-fairway';
import { type UpgradeOptions, UpgradeRun } from '@fairway/controllers/testing/upgrade-run';
import { Informer } from '@fairway/kube/client/informer';
import type { Lane, NodeState, Segment, Timeline } from './timeline-svg.ts';

export interface Upgrade extends UpgradeOptions {
  readonly title: string;
  readonly description: string;
}

/**
 * Upgrades the nodes of a cluster on a simulated cloud with a real cloud's latencies, and records each node's states
 * over time.
 */
export async function runUpgrade({ title, description, ...options }: Upgrade): Promise<Timeline> {
  await using run = await UpgradeRun.prepare(options);
  const recorder = new Recorder(run.fairway, run.clock);
  const { fromMs, toMs } = await run.upgrade();
  return { title, description, lanes: await recorder.end(toMs), fromMs, toMs };
}

/** Follows each Machine in the API. */
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
      onAdd: (machine) => this.#recordState(machine.metadata.name ?? '', stateOf(machine)),
      onUpdate: (_, machine) => this.#recordState(machine.metadata.name ?? '', stateOf(machine)),
      onDelete: ({ metadata }) => this.#recordState(metadata.name ?? '', undefined),
    });
    this.#informer.start(this.#stop.signal);
  }

  #recordState(name: string, state: NodeState | undefined): void {
    const nowMs = this.#clock.now();
    const open = this.#open.get(name);
    if (open?.state === state) return;
    const segments = this.#segments.get(name) ?? [];
    if (open) segments.push({ ...open, toMs: nowMs });
    this.#segments.set(name, segments);
    if (state === undefined) this.#open.delete(name);
    else this.#open.set(name, { state, fromMs: nowMs });
  }

  /** The lanes in the order of the nodes' creation. */
  async end(toMs: number): Promise<Lane[]> {
    this.#stop.abort();
    await this.#informer.stopped;
    for (const name of this.#open.keys()) this.#recordState(name, undefined);
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
  if (phase === 'Ready')
    return (status?.installed?.version ?? spec.version).startsWith(UpgradeRun.target) ? 'new' : 'old';
  return 'installing';
}
