import type { KubeObject } from '@fairway/kube/object/meta';
import { isApiServerFailing } from '../api-server-settings.ts';
import type { SupervisedState } from '../supervisor.ts';
import { isPolicyComplaint, policyFile, policyHash, versionProblem } from './policy-file.ts';

/** The policy file with which an API server does not start, and what it reports; part of the cluster's record. */
export interface RejectedPolicies {
  /** Version and hash. */
  readonly file: string;
  readonly complaint: string;
}

export interface ChosenPolicies {
  /** The policy file to use; undefined: none. */
  readonly text: string | undefined;
  /** Why the policies are not in a file. */
  readonly problem: string | undefined;
  readonly rejected: RejectedPolicies | undefined;
  /** Whether the API server has just failed because of the file, and not because of its other settings. */
  readonly isFileToBlame: boolean;
}

/**
 * Keeps a policy file from stopping an API server for good: a file that is known to be invalid is not used, and one
 * with which kube-apiserver does not start is removed. A removed file is tried again after a change of the policies or
 * of the version.
 */
export class PolicyTrial {
  /** The file last used, and the failures before that. */
  #applied: { readonly file: string; readonly failures: number } | undefined;

  /** The file to use now, and what must be recorded first. */
  choose(
    policies: readonly KubeObject[] | undefined,
    version: string,
    rejected: RejectedPolicies | undefined,
    state: SupervisedState,
  ): ChosenPolicies {
    if (policies === undefined) return this.#withoutFile(undefined);
    const rendered = policyFile(policies);
    const problem = versionProblem(version) ?? ('problem' in rendered ? rendered.problem : undefined);
    if (problem !== undefined || 'problem' in rendered) return this.#withoutFile(problem);
    const { text } = rendered;
    const file = `${version} ${policyHash(text)}`;
    if (rejected?.file === file) return this.#withoutFile(rejectedMessage(rejected.complaint), rejected);
    const { failures, lastFailure = '' } = state.components['kube-apiserver'];
    const before = this.#applied?.file === file ? Math.min(this.#applied.failures, failures) : failures;
    if (isApiServerFailing(state) && failures > before && isPolicyComplaint(lastFailure)) {
      const failed = { file, complaint: lastFailure };
      return { ...this.#withoutFile(rejectedMessage(lastFailure), failed), isFileToBlame: true };
    }
    this.#applied = { file, failures: before };
    return { text, problem: undefined, rejected: undefined, isFileToBlame: false };
  }

  #withoutFile(problem: string | undefined, rejected?: RejectedPolicies): ChosenPolicies {
    this.#applied = undefined;
    return { text: undefined, problem, rejected, isFileToBlame: false };
  }
}

function rejectedMessage(complaint: string): string {
  return `kube-apiserver does not start with the policy file: ${complaint}`;
}
