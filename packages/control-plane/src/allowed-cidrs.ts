import type { ControlPlaneSpec } from './runtime.ts';

/** Why simulated control planes accept no `spec.apiServer.allowedCIDRs`. */
export const NOT_ENFORCED_WHEN_SIMULATED =
  'simulated control planes do not enforce it: leave it out, or the operator runs Fairway with --control-plane process';

/** Whether a cluster restricts who may reach its API server. An empty list restricts nothing. */
export function isRestricted({ apiServer }: Pick<ControlPlaneSpec, 'apiServer'>): boolean {
  return (apiServer.allowedCIDRs ?? []).length > 0;
}

/** Which settings a simulated control plane does not apply; part of its state. */
export function unsupportedWhenSimulated(spec: Pick<ControlPlaneSpec, 'apiServer'>) {
  if (!isRestricted(spec)) return {};
  const settingsProblem = `spec.apiServer.allowedCIDRs: ${NOT_ENFORCED_WHEN_SIMULATED}. Everybody who can connect reaches the API server.`;
  return { settingsProblem, settingsReason: 'SettingsNotEnforced' as const };
}
