import type { ControlPlaneSpec, LimitPoliciesState } from '../../runtime.ts';
import type { ApiServerTarget } from '../probes.ts';
import type { SupervisedState } from '../supervisor.ts';
import { PolicyCheck, type PolicyCheckOptions } from './policy-check.ts';
import { type ChosenPolicies, PolicyTrial, type RejectedPolicies } from './policy-trial.ts';

/** The limit policies of one API server: which file it reads, and whether it enforces it. */
export class ClusterPolicies {
  readonly #trial = new PolicyTrial();
  readonly #check: PolicyCheck;
  #chosen: Pick<ChosenPolicies, 'text' | 'problem'> = { text: undefined, problem: undefined };

  constructor(options: PolicyCheckOptions) {
    this.#check = new PolicyCheck(options);
  }

  get state(): LimitPoliciesState | undefined {
    const { problem } = this.#chosen;
    return problem === undefined ? this.#check.state : { mode: 'Objects', problem };
  }

  /** The file to use now, and what must be recorded first. */
  choose(
    { limitPolicies }: Pick<ControlPlaneSpec, 'limitPolicies'>,
    version: string,
    rejected: RejectedPolicies | undefined,
    state: SupervisedState,
  ): ChosenPolicies {
    const chosen = this.#trial.choose(limitPolicies, version, rejected, state);
    this.#chosen = chosen;
    return chosen;
  }

  /** Checks the API server once it runs as desired with the chosen file. */
  check(target: ApiServerTarget, { components }: SupervisedState): void {
    const { ready, current } = components['kube-apiserver'];
    this.#check.step(this.#chosen.text, ready && current ? target : undefined);
  }

  stop(): Promise<void> {
    return this.#check.stop();
  }
}

/** An API server that failed because of its policy file says nothing about its other settings. */
export function withoutFailures(state: SupervisedState): SupervisedState {
  const { components } = state;
  return {
    ...state,
    components: { ...components, 'kube-apiserver': { ...components['kube-apiserver'], failures: 0 } },
  };
}
