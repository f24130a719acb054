import type { ControlPlaneState } from '@fairway/control-plane/runtime';

/** Requests to a host of control planes: `POST /<name>`, with a cluster's UID as the body, and the file of its spec for `ensure`. */
export interface PlaneAnswers {
  readonly ensure: ControlPlaneState;
  readonly rest: boolean;
  readonly empty: boolean;
  readonly remove: boolean;
  readonly release: null;
  readonly list: readonly string[];
}

export type PlaneRequest = keyof PlaneAnswers;

/** `GET` of it never ends: a line with a cluster's UID for each control plane that may have changed by itself. */
export const CHANGES_PATH = '/changes';

/** Which of the hosts runs a cluster. */
export function hostOf(clusterUid: string, hosts: number): number {
  return Number.parseInt(clusterUid.slice(0, 8), 16) % hosts;
}
