import { identityOf } from '@fairway/api/identity';
import type { Machine } from '@fairway/api/kinds/machine';
import type { NodePool } from '@fairway/api/kinds/node-pool';
import type { Attempts, StartedAttempt } from '@fairway/kube/controller/attempts';
import type { ProblemError } from '@fairway/tenancy/reconcile/problem-error';

const KIND = 'build servers';

/** Machines that are made alike: what one of them meets, the others would. */
export function shapeOf(machine: Machine, pool: NodePool | undefined): string {
  const { flavor, image, zone, rootVolume, serverGroupID } = machine.spec;
  return JSON.stringify([pool && identityOf(pool), flavor, image, zone, rootVolume, serverGroupID]);
}

function poolOf(shape: string): unknown {
  return (JSON.parse(shape) as readonly unknown[])[0];
}

/**
 * Servers that were asked for and are not up yet. The cloud says yes to each at once and tells minutes later that it came to nothing, so that one
 * is tried for all machines of its shape, and the others wait for what becomes of it.
 */
export class ServerBuilds {
  readonly #attempts: Attempts;
  readonly #begun = new Map<string, StartedAttempt>();

  constructor(attempts: Attempts) {
    this.#attempts = attempts;
  }

  /** Throws a BackoffError when it is too early after servers of this shape that failed. */
  begin(machineUid: string, shape: string): { release(): void } {
    this.#begun.get(machineUid)?.release();
    const begun = this.#attempts.begin({ kind: KIND, item: shape });
    this.#begun.set(machineUid, begun);
    return { release: () => this.release(machineUid) };
  }

  succeeded(machineUid: string): void {
    this.#begun.get(machineUid)?.succeeded();
    this.#begun.delete(machineUid);
  }

  failed(machineUid: string, shape: string, fault: ProblemError): void {
    const begun = this.#begun.get(machineUid);
    this.#begun.delete(machineUid);
    // One that an earlier process had asked for counts like any other.
    if (begun) begun.failed(fault);
    else this.#attempts.failed({ kind: KIND, item: shape }, fault);
  }

  /** It is given up. */
  release(machineUid: string): void {
    this.#begun.get(machineUid)?.release();
    this.#begun.delete(machineUid);
  }

  /** A person asks, for the machines of these pools. */
  retryNow(poolUids: readonly string[]): void {
    this.#attempts.retryNow((shape) => poolUids.some((uid) => uid === poolOf(shape)));
  }
}
