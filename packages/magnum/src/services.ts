import type { UserInfo } from '@fairway/apiserver/auth/user';
import type { Clock } from '@fairway/base/clock';
import type { Logger } from '@fairway/base/log';
import type { KubeClient } from '@fairway/kube/client/kube-client';
import type { OpenStackClient } from '@fairway/openstack/openstack-client';
import type { Caller } from './caller.ts';
import type { PendingNodegroups } from './clusters/pending-nodegroups.ts';
import type { ClusterTrusts } from './credentials/cluster-trusts.ts';

/**
 * Identifies the user of a token that was sent from the address `peer`; undefined means 401. Creates the project's
 * namespace on first use. Rejects with a MagnumError: 503 while Keystone is unavailable, 403 for a token without a
 * project; and with ApiError 429 for clients that guess tokens.
 */
export type Identify = (token: string, peer: string) => Promise<Caller | undefined>;

/** A namespace's credential: the operator's, or the tenant's CloudCredential `name` for all clusters. */
export type ConfiguredCredential =
  | { readonly kind: 'operator' }
  | { readonly kind: 'credential'; readonly name: string };

/** Name of the tenant's CloudCredential for all clusters in a namespace. */
export const DEFAULT_CREDENTIAL = 'default';

/** Token and address of a request. */
export interface RequestOrigin {
  readonly token: string;
  readonly peer: string;
}

/** Services that the process provides for all requests. */
export interface MagnumServices {
  readonly identify: Identify;
  /**
   * A client of Fairway's API with a user's identity, and the token and address of their request. `onWarning` is called
   * with each warning of the API.
   */
  readonly clientOf: (user: UserInfo, request: RequestOrigin, onWarning: (text: string) => void) => KubeClient;
  /**
   * A client of Fairway's API with Fairway's own identity, for operations that users have no permission for; Fairway
   * checks related permissions first.
   */
  readonly systemClient: KubeClient;
  readonly projectOfNamespace: (namespace: string) => string | undefined;
  readonly namespaceOfProject: (projectId: string) => string | undefined;
  /** Default credential of clusters in a namespace; undefined if each cluster needs its own. */
  readonly configuredCredential: (namespace: string) => ConfiguredCredential | undefined;
  /** Cloud clients that use the token of a project's user. */
  readonly openStackOf: (token: string, projectId: string) => OpenStackClient;
  readonly trusts: Pick<ClusterTrusts, 'createCredential'>;
  readonly pendingNodegroups: Pick<PendingNodegroups, 'enqueue'>;
  /** Host name of this process, for `mservices`. */
  readonly hostName: string;
  readonly clock: Clock;
  readonly random: () => number;
  readonly log: Logger;
}
