import { createHash } from 'node:crypto';
import { oidcErrors, oidcVersionProblem } from '@fairway/api/domain/oidc-problems';
import type { ClusterSpec } from '@fairway/api/kinds/cluster';
import { fieldErrorBody } from '@fairway/kube/object/field-error';
import { FAILED_AFTER } from './control-plane-state.ts';
import type { SupervisedState } from './supervisor.ts';

/** The settings from `spec.apiServer` that kube-apiserver is started with. */
export type ApiServerSettings = Pick<ClusterSpec['apiServer'], 'admissionPlugins' | 'oidc'>;

/** What a cluster's record stores about its API server's settings. */
export interface SettingsRecord {
  /** The last settings that it served with. */
  readonly good?: ApiServerSettings;
  /** Fingerprints of settings that it failed to start with although it starts with the previous ones. */
  readonly rejected?: { readonly settings: string; readonly complaint: string };
}

/** Settings to start the API server with. */
export interface AcceptedSettings {
  readonly settings: ApiServerSettings;
  /** Why the desired settings are not in effect, for the cluster's owner. */
  readonly problem: string | undefined;
}

/**
 * Keeps a tenant's API server running whatever the tenant sets: settings known to be invalid are not applied, and
 * settings that it fails to start with are rolled back. They are tried again once they change.
 */
export class SettingsTrial {
  /** Fingerprint of the settings last passed to the supervisor. */
  #applied: string | undefined;
  /** Settings that failed, until a start with the previous ones proves that they are the cause. */
  #suspect: { readonly settings: string; readonly complaint: string } | undefined;

  /** What to run now, and what must be recorded before. */
  choose(
    desired: ApiServerSettings,
    version: string,
    record: SettingsRecord,
    state: SupervisedState,
  ): AcceptedSettings & { readonly record: SettingsRecord } {
    const wanted = fingerprintOf(desired);
    const fallback = record.good ?? withoutOidc(desired);
    const problem = settingsProblem(desired, version);
    if (problem !== undefined) return { settings: fallback, problem: notInEffect(problem), record };
    if (record.rejected?.settings === wanted) {
      return { settings: fallback, problem: notInEffect(complainedOf(record.rejected.complaint)), record };
    }
    const result = this.#evaluate(wanted, fallback, state);
    if (result === 'apply') {
      const serves = this.#applied === wanted && isServing(state);
      return { settings: desired, problem: undefined, record: serves ? { good: settingsOf(desired) } : record };
    }
    const rejected = result.isProven ? { rejected: result.suspect } : {};
    return {
      settings: fallback,
      problem: notInEffect(complainedOf(result.suspect.complaint)),
      record: { ...record, ...rejected },
    };
  }

  /** Records that the supervisor now runs these settings: its state refers to them from here on. */
  noteApplied(settings: ApiServerSettings): void {
    this.#applied = fingerprintOf(settings);
  }

  #evaluate(
    wanted: string,
    fallback: ApiServerSettings,
    state: SupervisedState,
  ): 'apply' | { readonly suspect: NonNullable<SettingsRecord['rejected']>; readonly isProven: boolean } {
    if (this.#suspect?.settings === wanted) {
      const suspect = this.#suspect;
      if (this.#applied !== fingerprintOf(fallback)) return { suspect, isProven: false };
      if (isServing(state)) return { suspect, isProven: true };
      if (!isFailing(state)) return { suspect, isProven: false };
      // It fails with the previous settings too, so the cause is another.
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

/** Whether the API server is crash-looping although its dependencies are healthy. */
function isFailing({ components, isDatabaseFull }: SupervisedState): boolean {
  const { failures, ready, current } = components['kube-apiserver'];
  return failures >= FAILED_AFTER && !(ready && current) && components.etcd.ready && !isDatabaseFull;
}

/** Validates settings before they are tried; pure. */
function settingsProblem({ oidc }: ApiServerSettings, version: string): string | undefined {
  if (oidc === undefined) return undefined;
  const [error] = oidcErrors(oidc);
  if (error !== undefined) return `${error.field}: ${fieldErrorBody(error)}`;
  return oidcVersionProblem(version);
}

function complainedOf(complaint: string): string {
  return `spec.apiServer: kube-apiserver does not start with these settings: ${complaint}`;
}

function notInEffect(reason: string): string {
  return `${reason}. The API server keeps running with the last working settings; Fairway retries when the settings change.`;
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
