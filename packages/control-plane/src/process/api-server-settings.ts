import { createHash } from 'node:crypto';
import { oidcErrors, oidcVersionProblem } from '@fairway/api/domain/oidc-problems';
import type { ClusterSpec } from '@fairway/api/kinds/cluster';
import { fieldErrorBody } from '@fairway/kube/object/field-error';
import { FAILED_AFTER } from './control-plane-state.ts';
import type { SupervisedState } from './supervisor.ts';

/** What of `spec.apiServer` kube-apiserver is started with. */
export type ApiServerSettings = Pick<ClusterSpec['apiServer'], 'admissionPlugins' | 'oidc'>;

/** What a cluster's record keeps of its API server's settings. */
export interface SettingsRecord {
  /** The last that it served with. */
  readonly good?: ApiServerSettings;
  /** Those that it did not start with while it did with the ones before, by fingerprint. */
  readonly rejected?: { readonly settings: string; readonly complaint: string };
}

/** Settings to start the API server with. */
export interface ChosenSettings {
  readonly settings: ApiServerSettings;
  /** Why they are not the ones that are asked for, as their owner is told. */
  readonly problem: string | undefined;
}

/**
 * Keeps a tenant's API server running whatever its tenant asks for: settings that it can't start with are not applied, and
 * those that it does not start with are taken back. They are tried again when they change.
 */
export class SettingsTrial {
  /** Fingerprint of what the supervisor was told last. */
  #applied: string | undefined;
  /** What failed, until the settings before have shown that it was the settings. */
  #suspect: { readonly settings: string; readonly complaint: string } | undefined;

  /** What to run now, and what of it the record must hold before. */
  choose(
    desired: ApiServerSettings,
    version: string,
    record: SettingsRecord,
    state: SupervisedState,
  ): ChosenSettings & { readonly record: SettingsRecord } {
    const wanted = fingerprintOf(desired);
    const fallback = record.good ?? withoutOidc(desired);
    const problem = settingsProblem(desired, version);
    if (problem !== undefined) return { settings: fallback, problem: notInEffect(problem), record };
    if (record.rejected?.settings === wanted) {
      return { settings: fallback, problem: notInEffect(complainedOf(record.rejected.complaint)), record };
    }
    const verdict = this.#judge(wanted, fallback, state);
    if (verdict === 'apply') {
      const serves = this.#applied === wanted && isServing(state);
      return { settings: desired, problem: undefined, record: serves ? { good: settingsOf(desired) } : record };
    }
    const rejected = verdict.isProven ? { rejected: verdict.suspect } : {};
    return {
      settings: fallback,
      problem: notInEffect(complainedOf(verdict.suspect.complaint)),
      record: { ...record, ...rejected },
    };
  }

  /** Says that the supervisor has been told to run these: its state is about them from now on. */
  noteApplied(settings: ApiServerSettings): void {
    this.#applied = fingerprintOf(settings);
  }

  #judge(
    wanted: string,
    fallback: ApiServerSettings,
    state: SupervisedState,
  ): 'apply' | { readonly suspect: NonNullable<SettingsRecord['rejected']>; readonly isProven: boolean } {
    if (this.#suspect?.settings === wanted) {
      const suspect = this.#suspect;
      if (this.#applied !== fingerprintOf(fallback)) return { suspect, isProven: false };
      if (isServing(state)) return { suspect, isProven: true };
      if (!isFailing(state)) return { suspect, isProven: false };
      // It does not start with the settings before either: something else is wrong.
      this.#suspect = undefined;
      return 'apply';
    }
    this.#suspect = undefined;
    if (this.#applied !== wanted || !isFailing(state) || fingerprintOf(fallback) === wanted) return 'apply';
    const complaint = state.components['kube-apiserver'].lastFailure ?? 'it exited without an error message';
    this.#suspect = { settings: wanted, complaint };
    return { suspect: this.#suspect, isProven: false };
  }
}

function isServing({ components }: SupervisedState): boolean {
  const { ready, current } = components['kube-apiserver'];
  return ready && current;
}

/** Whether the API server ends over and over, and nothing that it needs is the cause. */
function isFailing({ components, isDatabaseFull }: SupervisedState): boolean {
  const { failures, ready, current } = components['kube-apiserver'];
  return failures >= FAILED_AFTER && !(ready && current) && components.etcd.ready && !isDatabaseFull;
}

/** What is wrong with settings before anybody tries them; pure. */
function settingsProblem({ oidc }: ApiServerSettings, version: string): string | undefined {
  if (oidc === undefined) return undefined;
  const [error] = oidcErrors(oidc);
  if (error !== undefined) return `${error.field}: ${fieldErrorBody(error)}`;
  return oidcVersionProblem(version);
}

function complainedOf(complaint: string): string {
  return `spec.apiServer: kube-apiserver does not start with it: ${complaint}`;
}

function notInEffect(reason: string): string {
  return `${reason}. The API server runs with the last working settings; these are tried again when they change.`;
}

function withoutOidc({ admissionPlugins }: ApiServerSettings): ApiServerSettings {
  return { admissionPlugins };
}

function settingsOf({ admissionPlugins, oidc }: ApiServerSettings): ApiServerSettings {
  return { admissionPlugins, ...(oidc && { oidc }) };
}

function fingerprintOf(settings: ApiServerSettings): string {
  return createHash('sha256')
    .update(JSON.stringify(settingsOf(settings)))
    .digest('hex')
    .slice(0, 32);
}
