import { identityOf } from '@fairway/api/identity';
import { clusters } from '@fairway/api/kinds/cluster';
import { TEAM } from '@fairway/controllers/testing/test-fairway';
import { BOOT_MS, type UpgradeRun } from '@fairway/controllers/testing/upgrade-run';
import { ignoreDeleted } from '@fairway/kube/client/ignore-not-found';
import { Informer } from '@fairway/kube/client/informer';
import type { Pod } from '@fairway/kube/kinds/generated/types';
import { Namespaces, Pods } from '@fairway/kube/kinds/resources';
import type { NodeTimes } from './critical-path.ts';

const PODS_PER_NODE = 3;
/** How long a pod takes to stop. */
const POD_STOP_RANGE_MS = { fewest: 1_000, most: 10_000 };

interface Span {
  fromMs: number;
  toMs: number;
}

/** Records when the cloud and the kubelets perform their actions, by their own timestamps. */
export class ExternalTimes implements AsyncDisposable {
  readonly #run: UpgradeRun;
  readonly #installs: Span[] = [];
  readonly #deletions: Span[] = [];
  readonly #drains = new Map<string, Span>();
  readonly #open = new Map<string, Span>();
  readonly #unsubscribers: (() => void)[] = [];
  readonly #stop = new AbortController();
  #pods: Informer<Pod> | undefined;

  private constructor(run: UpgradeRun) {
    this.#run = run;
  }

  static async of(run: UpgradeRun): Promise<ExternalTimes> {
    const times = new ExternalTimes(run);
    times.#followCloud();
    await run.clock.during(times.#runPods());
    return times;
  }

  /** Each node's times, in the order in which the nodes were requested. */
  nodes(): NodeTimes[] {
    const drains = [...this.#drains.values()];
    return this.#installs.map((install, index) => ({
      drainMs: lengthOf(drains[index]),
      installMs: lengthOf(install) + BOOT_MS,
      deletionMs: lengthOf(this.#deletions[index]),
    }));
  }

  #followCloud(): void {
    const { clock } = this.#run;
    const { cloud } = this.#run.fairway;
    const begin = (spans: Span[], key: string) => {
      const span = { fromMs: clock.now(), toMs: Number.NaN };
      spans.push(span);
      this.#open.set(key, span);
    };
    const end = (key: string) => {
      const span = this.#open.get(key);
      if (span) span.toMs = clock.now();
      this.#open.delete(key);
    };
    const requestedDeletions = new Set<string>();
    this.#unsubscribers.push(
      cloud.calls.onReceived(({ method, path, body }) => {
        const [, id, action] = /\/servers(?:\/([^/]+))?(?:\/(action))?$/.exec(path) ?? [];
        const { server, rebuild } = (body ?? {}) as { server?: { name: string }; rebuild?: object };
        if (method === 'POST' && id === undefined && server) begin(this.#installs, `install ${server.name}`);
        if (action !== undefined && rebuild) begin(this.#installs, `install ${id}`);
        if (method === 'DELETE' && id !== undefined && !requestedDeletions.has(id)) {
          requestedDeletions.add(id);
          begin(this.#deletions, `delete ${id}`);
        }
      }),
      cloud.onServerActive(({ id, name }) => {
        end(`install ${name}`);
        end(`install ${id}`);
      }),
      cloud.onServerDown(({ id }, reason) => {
        if (reason === 'deleted') end(`delete ${id}`);
      }),
    );
  }

  /** Runs pods that stop slowly on the old nodes. */
  async #runPods(): Promise<void> {
    const { clock, fairway } = this.#run;
    const cluster = await fairway.client.resource(clusters).get('demo', { namespace: TEAM });
    const tenant = fairway.runtime.client(identityOf(cluster));
    const namespace = 'default';
    await tenant.resource(Namespaces).create({ metadata: { name: namespace }, spec: {} });
    const pods = tenant.resource(Pods);
    for (const { metadata } of await fairway.machines()) {
      for (let index = 0; index < PODS_PER_NODE; index++) {
        const name = `${metadata.name}-${index}`;
        const containers = [{ name: 'web', image: 'web:1' }];
        await pods.create({ metadata: { name, namespace }, spec: { nodeName: metadata.name ?? '', containers } });
      }
    }
    const stopping = new Set<string>();
    const informer = new Informer(pods, { namespace, clock });
    this.#pods = informer;
    informer.addHandler({
      onAdd() {},
      onUpdate: (_, pod) => {
        const { name = '', deletionTimestamp } = pod.metadata;
        if (deletionTimestamp === undefined || stopping.has(name)) return;
        stopping.add(name);
        const nodeName = pod.spec?.nodeName ?? '';
        const drain = this.#drains.get(nodeName) ?? { fromMs: clock.now(), toMs: clock.now() };
        this.#drains.set(nodeName, drain);
        // The time differs between pods, and is the same in every run.
        const share = (stopping.size * 0.618_034) % 1;
        clock.after(POD_STOP_RANGE_MS.fewest + share * (POD_STOP_RANGE_MS.most - POD_STOP_RANGE_MS.fewest), () => {
          drain.toMs = clock.now();
          void ignoreDeleted(pods.delete(name, { namespace, gracePeriodSeconds: 0 }));
        });
      },
      onDelete() {},
    });
    informer.start(this.#stop.signal);
    await informer.whenSynced(this.#stop.signal);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const end of this.#unsubscribers) end();
    this.#stop.abort();
    await this.#pods?.stopped;
  }
}

function lengthOf(span: Span | undefined): number {
  return span === undefined ? 0 : span.toMs - span.fromMs;
}
