import type { UnenforcedFields } from '@fairway/api/admission/unenforced-fields';
import { isRestricted } from '../allowed-cidrs.ts';
import type { ControlPlaneSpec } from '../runtime.ts';

const WHAT_TO_DO = 'remove it, or have the operator run Fairway with --control-plane process';
const NO_LISTS = `simulated control planes do not enforce it: ${WHAT_TO_DO}`;
const NO_TOKENS = `simulated control planes do not accept tokens of OIDC issuers: ${WHAT_TO_DO}`;
const NO_SNAPSHOTS = `simulated control planes do not store snapshots: ${WHAT_TO_DO}`;

/** Settings of a Cluster that simulated control planes do not support. */
export const UNENFORCED_WHEN_SIMULATED: UnenforcedFields = {
  'spec.apiServer.allowedCIDRs': NO_LISTS,
  'spec.apiServer.oidc': NO_TOKENS,
  'spec.etcd.snapshotRequestedAt': NO_SNAPSHOTS,
  'spec.etcd.restore': NO_SNAPSHOTS,
};

const OPEN_TO_ALL = `spec.apiServer.allowedCIDRs: ${NO_LISTS}. The API server accepts connections from anywhere.`;

/** Which settings a simulated control plane does not apply; part of its state. */
export function unsupportedWhenSimulated(spec: Pick<ControlPlaneSpec, 'apiServer'>) {
  const problems = [
    ...(isRestricted(spec) ? [OPEN_TO_ALL] : []),
    ...(spec.apiServer.oidc === undefined ? [] : [`spec.apiServer.oidc: ${NO_TOKENS}.`]),
  ];
  if (problems.length === 0) return {};
  return { settingsProblem: problems.join(' '), settingsReason: 'SettingsNotEnforced' as const };
}
