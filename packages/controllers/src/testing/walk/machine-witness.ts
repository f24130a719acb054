import { shouldHibernate } from '@fairway/api/domain/hibernation';
import { rolloutLimits } from '@fairway/api/domain/rollout-limits';
import { targetReplicas } from '@fairway/api/domain/target-replicas';
import { minorOf } from '@fairway/api/domain/version-numbers';
import { type Cluster, clusters } from '@fairway/api/kinds/cluster';
import { type Machine, machines } from '@fairway/api/kinds/machine';
import { type NodePool, nodePools } from '@fairway/api/kinds/node-pool';
import { Informer } from '@fairway/kube/client/informer';
import type { KubeObject, ResourceType } from '@fairway/kube/object/meta';
import { isAvailable, isBeingReinstalled } from '../../node-pool/availability.ts';
import { TEAM, type TestFairway } from '../test-fairway.ts';

/** Versions of nodes may be this far behind their control plane (https://kubernetes.io/releases/version-skew-policy/). */
const MAX_VERSION_SKEW = 3;

/** Observes everything that the API reports, and reports violations of invariants, independently of any controller. */
export class MachineWitness implements AsyncDisposable {
  readonly violations: string[] = [];
  /** Machines deleted by users: limits do not apply to them. */
  readonly deletedByHand = new Set<string>();
  readonly #clusters: Informer<Cluster>;
  readonly #pools: Informer<NodePool>;
  readonly #machines: Informer<Machine>;
  /** Recent sizes of a pool: a controller may not have observed the latest one. */
  readonly #sizes = new Map<string, number[]>();
  readonly #stop = new AbortController();

  private constructor({ client, clock }: TestFairway) {
    const informer = <T extends KubeObject>(type: ResourceType<T>) =>
      new Informer(client.resource(type), { namespace: TEAM, clock });
    this.#clusters = informer(clusters);
    this.#pools = informer(nodePools);
    this.#machines = informer(machines);
    const recordSize = (pool: NodePool) => {
      const name = pool.metadata.name ?? '';
      const sizes = this.#sizes.get(name) ?? [];
      const size = targetReplicas(pool);
      if (sizes.at(-1) !== size) this.#sizes.set(name, [...sizes, size].slice(-2));
    };
    this.#pools.addHandler({ onAdd: recordSize, onUpdate: (_, pool) => recordSize(pool), onDelete() {} });
    this.#machines.addHandler({
      onAdd: (machine) => this.#onCreated(machine),
      onUpdate: (old, machine) => this.#onChanged(old, machine),
      onDelete() {},
    });
  }

  static async of(fairway: TestFairway): Promise<MachineWitness> {
    const witness = new MachineWitness(fairway);
    const informers = [witness.#clusters, witness.#pools, witness.#machines];
    for (const informer of informers) informer.start(witness.#stop.signal);
    await Promise.all(informers.map((informer) => informer.whenSynced(witness.#stop.signal)));
    return witness;
  }

  #onCreated(machine: Machine): void {
    if (!this.#machines.hasSynced) return;
    const { pool, staying, sizes } = this.#poolOf(machine);
    if (pool === undefined) return;
    const repairs = staying.filter(({ status }) => status?.marks?.repair?.due).length;
    const most = Math.max(...sizes) + rolloutLimits(pool, Math.max(...sizes)).maxSurge + repairs;
    if (staying.length > most) {
      this.#report(
        machine,
        `was created as number ${staying.length} of ${sizes.join(' or ')}, with ${repairs} to repair`,
      );
    }
    this.#checkSkew(machine);
  }

  #onChanged(old: Machine, machine: Machine): void {
    if (old.spec.version !== machine.spec.version) this.#checkSkew(machine);
    const isAlreadyDeleted = old.metadata.deletionTimestamp !== undefined;
    if (isAlreadyDeleted || !isAvailable(old) || isAvailable(machine)) return;
    const isGoing = machine.metadata.deletionTimestamp !== undefined;
    const isReinstalled = isBeingReinstalled(machine) && !isBeingReinstalled(old);
    if (!isGoing && !isReinstalled) return;
    this.#checkAvailable(machine);
  }

  /**
   * Checks that enough other nodes are working when a working node is removed. During an in-place update, one node is
   * always unavailable.
   */
  #checkAvailable(machine: Machine): void {
    const { pool, staying, sizes } = this.#poolOf(machine);
    if (pool === undefined || this.deletedByHand.has(machine.metadata.name ?? '')) return;
    if (pool.metadata.deletionTimestamp !== undefined) return;
    if (shouldHibernate(this.#clusters.get(`${TEAM}/${machine.spec.clusterName}`))) return;
    const available = staying.filter((each) => each.metadata.uid !== machine.metadata.uid && isAvailable(each)).length;
    const { maxUnavailable } = rolloutLimits(pool, Math.max(...sizes));
    const isGoing = machine.metadata.deletionTimestamp !== undefined;
    const needed = Math.min(...sizes) - (isGoing ? maxUnavailable : Math.max(1, maxUnavailable));
    if (available < needed)
      this.#report(machine, `was removed while ${available} others were working, of ${sizes.join(' or ')}`);
  }

  #checkSkew(machine: Machine): void {
    const cluster = this.#clusters.get(`${TEAM}/${machine.spec.clusterName}`);
    const running = cluster?.status?.version;
    if (running === undefined) return;
    const [own, its] = [machine.spec.version, running].map((version) => Number(minorOf(version).split('.')[1]));
    if (own === undefined || its === undefined) return;
    if (own > its || its - own > MAX_VERSION_SKEW)
      this.#report(machine, `has version ${machine.spec.version} under a control plane with ${running}`);
  }

  #poolOf({ spec }: Machine) {
    const pool = this.#pools.get(`${TEAM}/${spec.nodePoolName}`);
    const staying = this.#machines
      .list()
      .filter((each) => each.spec.nodePoolName === spec.nodePoolName && each.metadata.deletionTimestamp === undefined);
    return { pool, staying, sizes: this.#sizes.get(spec.nodePoolName) ?? [0] };
  }

  #report({ metadata }: Machine, what: string): void {
    this.violations.push(`${metadata.name} ${what}`);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stop.abort();
    await Promise.all([this.#clusters, this.#pools, this.#machines].map((informer) => informer.stopped));
  }
}
