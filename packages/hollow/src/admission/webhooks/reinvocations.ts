import { cloneJson, jsonEqual } from '@fairway/kube/object/json';
import type { KubeObject } from '@fairway/kube/object/meta';

/**
 * Which webhooks are called again for one write, as in k8s.io/apiserver: after a change, those with `IfNeeded` that were called before it; there are
 * at most two rounds, and no webhook is called for the first time in the second.
 */
export class Reinvocations {
  readonly #reinvocable = new Set<string>();
  readonly #due = new Set<string>();
  #rounds = 0;
  #isRequested = false;
  #output: KubeObject | undefined;

  get round(): 0 | 1 {
    return this.#rounds > 1 ? 1 : 0;
  }

  /** Changes made by other plugins between the rounds also count. */
  begin(object: KubeObject | undefined): void {
    this.#rounds++;
    if (this.round === 1 && !jsonEqual(this.#output, object)) this.#makeDue();
  }

  isDue(id: string): boolean {
    return this.round === 0 || this.#due.has(id);
  }

  recordCall(
    id: string,
    { isChanged, isReinvocable }: { readonly isChanged: boolean; readonly isReinvocable: boolean },
  ): void {
    if (isChanged) {
      this.#makeDue();
      this.#isRequested = true;
    }
    if (isReinvocable) this.#reinvocable.add(id);
  }

  end(object: KubeObject | undefined): void {
    if (this.round === 0) this.#output = cloneJson(object);
  }

  /** Whether the first round changed the object. */
  get wantsSecondRound(): boolean {
    return this.#isRequested && this.round === 0;
  }

  #makeDue(): void {
    for (const id of this.#reinvocable) this.#due.add(id);
    this.#reinvocable.clear();
  }
}
