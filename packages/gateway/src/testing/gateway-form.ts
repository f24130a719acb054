import type { UnenforcedFields } from '@fairway/api/admission/unenforced-fields';
import type { NamespaceLimits } from '@fairway/api/domain/namespace-limits';
import type { QuotaDefaults } from '@fairway/api/domain/project-quota';
import type { Auditor } from '@fairway/apiserver/audit/auditor';
import type { UserInfo } from '@fairway/apiserver/auth/user';
import type { ApiServer } from '@fairway/apiserver/server/api-server';
import type { ServerLimits } from '@fairway/apiserver/server/limits';
import type { Store } from '@fairway/apiserver/store/store';
import type { Clock } from '@fairway/base/clock';
import type { Logger } from '@fairway/base/log';
import type { KubeClient } from '@fairway/kube/client/kube-client';
import type { Transport } from '@fairway/kube/client/transport';
import type { ConfiguredClouds } from '@fairway/tenancy/cloud/configured-clouds';
import type { ClusterCredentials } from '@fairway/tenancy/credentials/credentials';
import type { ListCloudResources } from '../cloud-resources/cloud-resources-request.ts';
import type { ClusterAuditReader } from '../cluster-audit/cluster-audit-reader.ts';
import type { Console, ConsoleOptions } from '../console/console.ts';
import type { KeystoneAccess } from '../server/keystone-access.ts';
import type { PlanUpgrade } from '../upgrade-plan/upgrade-plan-request.ts';

/** Dependencies of both forms of the gateway. */
export interface FormParts {
  readonly store: Store;
  readonly auditor: Auditor;
  readonly clock: Clock;
  readonly random: () => number;
  readonly log: Logger;
  readonly clouds: ConfiguredClouds;
  readonly credentials: () => ClusterCredentials;
  readonly unenforcedFields: () => Promise<UnenforcedFields>;
  readonly quotaDefaults?: QuotaDefaults | undefined;
  readonly upgradePlans: () => PlanUpgrade | undefined;
  readonly cloudResources?: () => ListCloudResources | undefined;
  readonly clusterAudit?: ClusterAuditReader;
  readonly keystone?: KeystoneAccess;
  readonly keystoneProblem?: string | undefined;
  /** Limits for clients; the defaults apply to omitted limits. */
  readonly limits?: Partial<ServerLimits & NamespaceLimits>;
  readonly console?: (options: ConsoleOptions) => Console;
}

/** The gateway from a tenant's perspective, on either engine. */
export interface GatewayForm {
  /** The API server that stores the objects. */
  readonly server: ApiServer;
  /** Client with the identity of Fairway's controllers. */
  readonly client: KubeClient;
  /** Client of the gateway only. */
  transportAs(user: UserInfo): Promise<Transport>;
  /** Client with a bearer token. */
  createTransport(token: string): Promise<Transport>;
  /** The URL at which the gateway listens. */
  address(): Promise<{ readonly url: string; readonly certificateAuthority: string }>;
  close(): Promise<void>;
}
