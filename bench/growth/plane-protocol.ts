import type { ControlPlaneState } from '@fairway/control-plane/runtime';

/** Requests to a control plane host: `POST /<name>`. The body is a cluster's UID, or for `ensure` its spec file. */
export interface PlaneResponses {
  readonly ensure: ControlPlaneState;
  readonly rest: boolean;
  readonly empty: boolean;
  readonly remove: boolean;
  readonly release: null;
  readonly list: readonly string[];
}

export type PlaneRequest = keyof PlaneResponses;

/**
 * `GET` on this path never ends: it streams a line with a cluster's UID for each control plane whose state may have
 * changed.
 */
export const CHANGES_PATH = '/changes';

/** The index of the host that runs a cluster. */
export function hostOf(clusterUid: string, hosts: number): number {
  return Number.parseInt(clusterUid.slice(0, 8), 16) % hosts;
}
