import type { UnenforcedFields } from '@fairway/api/admission/unenforced-fields';
import { isRestricted } from '../allowed-cidrs.ts';
import type { ControlPlaneSpec } from '../runtime.ts';

const ADVICE = 'remove it, or have the operator run Fairway with --control-plane process';
const ALLOWED_CIDRS_UNSUPPORTED = `simulated control planes do not enforce it: ${ADVICE}`;
const OIDC_UNSUPPORTED = `simulated control planes do not accept tokens of OIDC issuers: ${ADVICE}`;
const SNAPSHOTS_UNSUPPORTED = `simulated control planes do not store snapshots: ${ADVICE}`;

/** Settings of a Cluster that simulated control planes do not support. */
export const UNENFORCED_WHEN_SIMULATED: UnenforcedFields = {
  'spec.apiServer.allowedCIDRs': ALLOWED_CIDRS_UNSUPPORTED,
  'spec.apiServer.oidc': OIDC_UNSUPPORTED,
  'spec.etcd.snapshotRequestedAt': SNAPSHOTS_UNSUPPORTED,
  'spec.etcd.restore': SNAPSHOTS_UNSUPPORTED,
};

const OPEN_ACCESS_MESSAGE = `spec.apiServer.allowedCIDRs: ${ALLOWED_CIDRS_UNSUPPORTED}. The API server accepts connections from anywhere.`;

const MANIFESTS_UNSUPPORTED = {
  mode: 'Objects' as const,
  problem: 'simulated control planes do not read policies from files',
};

/** Which settings a simulated control plane does not apply; part of its state. */
export function unsupportedWhenSimulated(spec: Pick<ControlPlaneSpec, 'apiServer' | 'limitPolicies'>) {
  const problems = [
    ...(isRestricted(spec) ? [OPEN_ACCESS_MESSAGE] : []),
    ...(spec.apiServer.oidc === undefined ? [] : [`spec.apiServer.oidc: ${OIDC_UNSUPPORTED}.`]),
  ];
  return {
    ...(problems.length > 0 && {
      settingsProblem: problems.join(' '),
      settingsReason: 'SettingsNotEnforced' as const,
    }),
    ...(spec.limitPolicies && { limitPolicies: MANIFESTS_UNSUPPORTED }),
  };
}
