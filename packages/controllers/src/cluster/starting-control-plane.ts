import type { ControlPlaneRuntime } from '@fairway/control-plane/runtime';
import type { ControlPlaneFacts } from './control-plane.ts';

/**
 * Observes a control plane during a pass that also waits for the cloud, which may take longer: otherwise, only the next
 * pass would notice that the control plane has started.
 */
export class StartingControlPlane implements AsyncDisposable {
  readonly #ensure: () => Promise<ControlPlaneFacts>;
  readonly #unsubscribe: () => void;
  #latest: Promise<ControlPlaneFacts>;
  #isChanged = false;
  #onChange = () => {};

  /** Subscribes before the first query, so that no change is missed. */
  constructor(
    runtime: Pick<ControlPlaneRuntime, 'onChange'>,
    clusterUid: string,
    ensure: () => Promise<ControlPlaneFacts>,
  ) {
    this.#unsubscribe = runtime.onChange((changed) => {
      if (changed !== clusterUid) return;
      this.#isChanged = true;
      this.#onChange();
    });
    this.#ensure = ensure;
    this.#latest = this.#observe();
  }

  /** The latest observation. */
  get latest(): Promise<ControlPlaneFacts> {
    return this.#latest;
  }

  /** Calls back with each observation of a starting control plane, until it is connected or has failed, or `until` has settled. */
  async follow(until: Promise<unknown>, report: (facts: ControlPlaneFacts) => Promise<void>): Promise<void> {
    let isOver = false;
    const stop = () => {
      isOver = true;
      this.#onChange();
    };
    until.then(stop, stop);
    for (;;) {
      const facts = await this.#latest;
      if (isOver) return;
      await report(facts);
      if (facts.isConnected || facts.controlPlaneProblem || facts.controlPlane?.phase === 'Failed') return;
      if (!this.#isChanged && !isOver) {
        await new Promise<void>((resolve) => {
          this.#onChange = resolve;
        });
      }
      if (isOver) return;
      this.#isChanged = false;
      this.#latest = this.#observe();
    }
  }

  /** The caller that requests the latest observation, possibly much later, handles the rejection. */
  #observe(): Promise<ControlPlaneFacts> {
    const facts = this.#ensure();
    facts.catch(() => undefined);
    return facts;
  }

  /** Resolves when nothing is in progress: two passes must not work on the same control plane. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#unsubscribe();
    await this.#latest.catch(() => undefined);
  }
}
