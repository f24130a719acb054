import type { ControlPlaneSpec } from './runtime.ts';

/** Whether a cluster restricts which clients may reach its API server. An empty list does not restrict access. */
export function isRestricted({ apiServer }: Pick<ControlPlaneSpec, 'apiServer'>): boolean {
  return (apiServer.allowedCIDRs ?? []).length > 0;
}
