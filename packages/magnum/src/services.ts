import type { UserInfo } from '@fairway/apiserver/auth/user';
import type { Clock } from '@fairway/base/clock';
import type { Logger } from '@fairway/base/log';
import type { KubeClient } from '@fairway/kube/client/kube-client';
import type { OpenStackClient } from '@fairway/openstack/openstack-client';
import type { Caller } from './caller.ts';
import type { OwedPools } from './clusters/owed-pools.ts';
import type { ClusterTrusts } from './credentials/cluster-trusts.ts';

/**
 * Whose a token is, which came from the address `peer`; undefined: nobody's, so 401. Makes the namespace of the project on first use. Rejects with a MagnumError:
 * 503 while Keystone can't be asked, 403 for a token that is of no project; and with an ApiError 429 to who guesses.
 */
export type Identify = (token: string, peer: string) => Promise<Caller | undefined>;

/** The operator's login for the namespace, or the CloudCredential `name` that the tenant has made for all clusters. */
export type StandingCredential = { readonly kind: 'operator' } | { readonly kind: 'credential'; readonly name: string };

/** The CloudCredential that clusters of a namespace use if there is one. */
export const DEFAULT_CREDENTIAL = 'default';

/** What a request came with. */
export interface Bearing {
  readonly token: string;
  readonly peer: string;
}

/** What the process gives to all requests. */
export interface MagnumServices {
  readonly identify: Identify;
  /** Fairway's API with the identity of a user, whose request came with a token from an address. */
  readonly clientOf: (user: UserInfo, request: Bearing) => KubeClient;
  /** Fairway's API with its own identity: for what users have no rights of their own to, after theirs were asked about. */
  readonly own: KubeClient;
  readonly projectOfNamespace: (namespace: string) => string | undefined;
  readonly namespaceOfProject: (projectId: string) => string | undefined;
  /** What clusters of a namespace act with that bring no credential of their own; undefined: nothing, they need one. */
  readonly standingCredential: (namespace: string) => StandingCredential | undefined;
  /** The cloud's services with a token of a project's user. */
  readonly openStackOf: (token: string, projectId: string) => OpenStackClient;
  readonly trusts: Pick<ClusterTrusts, 'give'>;
  readonly owedPools: Pick<OwedPools, 'note'>;
  /** Host that runs this process, for `mservices`. */
  readonly hostName: string;
  readonly clock: Clock;
  readonly random: () => number;
  readonly log: Logger;
}
