import type { ConfiguredClouds } from '@fairway/controllers/cloud/configured-clouds';
import type { ClusterCredentials } from '@fairway/controllers/cluster/credentials';
import type { UserInfo } from '@fairway/kube/auth/user';
import type { KubeClient } from '@fairway/kube/client/kube-client';
import type { Transport } from '@fairway/kube/client/transport';
import type { Clock } from '@fairway/kube/clock';
import type { Logger } from '@fairway/kube/log';
import type { ApiServer } from '@fairway/kube/server/api-server';
import type { Store } from '@fairway/kube/store/store';

/** What both forms of the gateway are made from. */
export interface FormParts {
  readonly store: Store;
  readonly clock: Clock;
  readonly random: () => number;
  readonly log: Logger;
  readonly clouds: ConfiguredClouds;
  readonly credentials: () => ClusterCredentials;
}

/** The gateway as a tenant meets it, whichever engine stands behind it. */
export interface GatewayForm {
  /** What holds the objects. */
  readonly server: ApiServer;
  /** As Fairway's controllers. */
  readonly client: KubeClient;
  /** As somebody who knows nothing but the gateway. */
  transportAs(user: UserInfo): Promise<Transport>;
  close(): Promise<void>;
}
