import type { ResourceType } from '@fairway/kube/object/meta';
import { kindName } from '@fairway/service/backup/backed-up-kinds';
import type { RestorePlan } from '@fairway/service/backup/restore/restore-plan';
import type { EndState, Reporter } from '../../progress/reporter.ts';
import type { Step } from '../../progress/step.ts';

/** Shows how many objects are complete, one line per kind. */
export class RestoreProgress {
  readonly #reporter: Reporter;
  readonly #counts = new Map<ResourceType, { done: number; all: number }>();

  constructor(reporter: Reporter, { steps }: RestorePlan) {
    this.#reporter = reporter;
    for (const [type, stepsOfKind] of Map.groupBy(steps, (step) => step.type)) {
      this.#counts.set(type, { done: 0, all: stepsOfKind.length });
    }
    this.#show();
  }

  done(type: ResourceType): void {
    const count = this.#counts.get(type);
    if (count === undefined) return;
    count.done += 1;
    if (count.done === count.all) this.#show();
  }

  end(endState: EndState): void {
    this.#reporter.end(endState);
  }

  #show(): void {
    this.#reporter.show(
      [...this.#counts].map(([type, { done, all }]): Step => {
        const state = done === all ? 'done' : done === 0 ? 'waiting' : 'running';
        return { key: kindName(type), title: kindName(type), state, detail: `${done}/${all}` };
      }),
    );
  }
}
