import { createHash } from 'node:crypto';
import { oidcErrors, oidcVersionProblem } from '@fairway/api/domain/oidc-problems';
import type { ClusterSpec } from '@fairway/api/kinds/cluster';
import { fieldErrorBody } from '@fairway/kube/object/field-error';
import { MAX_CONSECUTIVE_EXITS } from './control-plane-state.ts';
import type { SupervisedState } from './supervisor.ts';

/** The settings from `spec.apiServer` with which kube-apiserver is started. */
export type ApiServerSettings = Pick<ClusterSpec['apiServer'], 'admissionPlugins' | 'oidc'>;

/** What a cluster's record stores about its API server's settings. */
export interface SettingsRecord {
  /** The last settings with which the API server served requests. */
  readonly good?: ApiServerSettings;
  /** Fingerprints of settings with which the API server failed to start, but starts with the previous ones. */
  readonly rejected?: { readonly settings: string; readonly complaint: string };
}

/** Settings to start the API server with. */
export interface AcceptedSettings {
  readonly settings: ApiServerSettings;
  /** Why the desired settings are not applied, for the cluster's owner. */
  readonly problem: string | undefined;
}

/**
 * Keeps a tenant's API server running regardless of the tenant's settings: settings known to be invalid are not
 * applied, and settings with which the API server fails to start are rolled back. Rolled-back settings are tried again
 * only after a change.
 */
export class SettingsTrial {
  /** Fingerprint of the settings last passed to the supervisor. */
  #applied: string | undefined;
  /** Settings that failed, until a start with the previous ones proves that the failed ones are the cause. */
  #suspect: { readonly settings: string; readonly complaint: string } | undefined;

  /** The settings to run now, and what must be recorded first. */
  choose(
    desired: ApiServerSettings,
    version: string,
    record: SettingsRecord,
    state: SupervisedState,
  ): AcceptedSettings & { readonly record: SettingsRecord } {
    const desiredFingerprint = fingerprintOf(desired);
    const fallback = record.good ?? withoutOidc(desired);
    const problem = settingsProblem(desired, version);
    if (problem !== undefined) return { settings: fallback, problem: notAppliedMessage(problem), record };
    if (record.rejected?.settings === desiredFingerprint) {
      return { settings: fallback, problem: notAppliedMessage(rejectedMessage(record.rejected.complaint)), record };
    }
    const result = this.#evaluate(desiredFingerprint, fallback, state);
    if (result === 'apply') {
      const isServingSettings = this.#applied === desiredFingerprint && isServing(state);
      return {
        settings: desired,
        problem: undefined,
        record: isServingSettings ? { good: settingsOf(desired) } : record,
      };
    }
    const rejected = result.isProven ? { rejected: result.suspect } : {};
    return {
      settings: fallback,
      problem: notAppliedMessage(rejectedMessage(result.suspect.complaint)),
      record: { ...record, ...rejected },
    };
  }

  /** Records that the supervisor now runs these settings: the state that it reports refers to them from now on. */
  recordApplied(settings: ApiServerSettings): void {
    this.#applied = fingerprintOf(settings);
  }

  #evaluate(
    desiredFingerprint: string,
    fallback: ApiServerSettings,
    state: SupervisedState,
  ): 'apply' | { readonly suspect: NonNullable<SettingsRecord['rejected']>; readonly isProven: boolean } {
    if (this.#suspect?.settings === desiredFingerprint) {
      const suspect = this.#suspect;
      if (this.#applied !== fingerprintOf(fallback)) return { suspect, isProven: false };
      if (isServing(state)) return { suspect, isProven: true };
      if (!isApiServerFailing(state)) return { suspect, isProven: false };
      // The API server fails with the previous settings too, so they are not the cause.
      this.#suspect = undefined;
      return 'apply';
    }
    this.#suspect = undefined;
    if (
      this.#applied !== desiredFingerprint ||
      !isApiServerFailing(state) ||
      fingerprintOf(fallback) === desiredFingerprint
    )
      return 'apply';
    const complaint = state.components['kube-apiserver'].lastFailure ?? 'it exited without an error message';
    this.#suspect = { settings: desiredFingerprint, complaint };
    return { suspect: this.#suspect, isProven: false };
  }
}

function isServing({ components }: SupervisedState): boolean {
  const { ready, current } = components['kube-apiserver'];
  return ready && current;
}

/** Whether the API server is crash-looping even though its dependencies are healthy. */
export function isApiServerFailing({ components, isDatabaseFull }: SupervisedState): boolean {
  const { failures, ready, current } = components['kube-apiserver'];
  return failures >= MAX_CONSECUTIVE_EXITS && !(ready && current) && components.etcd.ready && !isDatabaseFull;
}

/** Validates settings before they are tried; pure. */
function settingsProblem({ oidc }: ApiServerSettings, version: string): string | undefined {
  if (oidc === undefined) return undefined;
  const [error] = oidcErrors(oidc);
  if (error !== undefined) return `${error.field}: ${fieldErrorBody(error)}`;
  return oidcVersionProblem(version);
}

function rejectedMessage(complaint: string): string {
  return `spec.apiServer: kube-apiserver does not start with these settings: ${complaint}`;
}

function notAppliedMessage(reason: string): string {
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
