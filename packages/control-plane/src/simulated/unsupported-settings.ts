import { isRestricted } from '../allowed-cidrs.ts';
import type { ControlPlaneSpec } from '../runtime.ts';

/** Why simulated control planes accept no `spec.apiServer.allowedCIDRs`. */
export const NOT_ENFORCED_WHEN_SIMULATED =
  'simulated control planes do not enforce it: leave it out, or the operator runs Fairway with --control-plane process';

const OPEN_TO_ALL = `spec.apiServer.allowedCIDRs: ${NOT_ENFORCED_WHEN_SIMULATED}. Everybody who can connect reaches the API server.`;
const NO_TOKENS =
  'spec.apiServer.oidc: simulated control planes take no tokens of issuers: leave it out, or the operator runs Fairway with --control-plane process.';

/** Which settings a simulated control plane does not apply; part of its state. */
export function unsupportedWhenSimulated(spec: Pick<ControlPlaneSpec, 'apiServer'>) {
  const problems = [
    ...(isRestricted(spec) ? [OPEN_TO_ALL] : []),
    ...(spec.apiServer.oidc === undefined ? [] : [NO_TOKENS]),
  ];
  if (problems.length === 0) return {};
  return { settingsProblem: problems.join(' '), settingsReason: 'SettingsNotEnforced' as const };
}
