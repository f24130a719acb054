import type { UnenforcedFields } from '@fairway/api/admission/unenforced-fields';
import { DEFAULT_NAMESPACE_LIMITS, type NamespaceLimits } from '@fairway/api/domain/namespace-limits';
import type { QuotaDefaults } from '@fairway/api/domain/project-quota';
import { KINDS } from '@fairway/api/kinds/all';
import { cloudProfiles } from '@fairway/api/kinds/cloud-profile';
import { clusters } from '@fairway/api/kinds/cluster';
import { resourceDefinition } from '@fairway/api/server/resource-definitions';
import type { Auditor } from '@fairway/apiserver/audit/auditor';
import { authKinds } from '@fairway/apiserver/auth/auth-kinds';
import { createAuth } from '@fairway/apiserver/auth/create-auth';
import { issuerRoutes } from '@fairway/apiserver/auth/issuer-discovery';
import type { UserInfo } from '@fairway/apiserver/auth/user';
import { MANAGEMENT_KINDS } from '@fairway/apiserver/kinds/builtin-kinds';
import { builtinDefinitions, documentedDefinitions } from '@fairway/apiserver/kinds/definitions';
import { resourceQuotaAdmission } from '@fairway/apiserver/quota/quota-admission';
import { QuotaLedger } from '@fairway/apiserver/quota/quota-ledger';
import { ApiServer } from '@fairway/apiserver/server/api-server';
import { authenticate } from '@fairway/apiserver/server/authenticate';
import { defaultStoredObjects } from '@fairway/apiserver/server/default-stored';
import type { ServerLimits } from '@fairway/apiserver/server/limits';
import type { ResourceDefinition } from '@fairway/apiserver/server/resource';
import type { Store } from '@fairway/apiserver/store/store';
import type { Clock } from '@fairway/base/clock';
import type { Logger } from '@fairway/base/log';
import type { Tracer } from '@fairway/base/tracing';
import { KubeClient } from '@fairway/kube/client/kube-client';
import type { ObjectReader } from '@fairway/kube/client/object-reader';
import { EventRecorder } from '@fairway/kube/events/recorder';
import { Namespaces } from '@fairway/kube/kinds/resources';
import type { CertificateAuthority } from '@fairway/kube/pki/certificate-authority';
import type { ServiceAccountKeys } from '@fairway/kube/pki/service-account-keys';
import { CloudOffer } from '@fairway/tenancy/cloud/cloud-offer';
import type { Clouds } from '@fairway/tenancy/cloud/project-cloud';
import type { ClusterCredentials } from '@fairway/tenancy/credentials/credentials';
import { fairwayAdmission } from '../admission/fairway-admission.ts';
import { limitsAdmission } from '../admission/limits-admission.ts';
import { namespaceLimitsAdmission } from '../admission/namespace-limits-admission.ts';
import { factsInProcess } from '../admission/stored-facts.ts';
import { AUDIT_EVENTS, type AuditEventsSource, auditEventsList } from '../audit-events/audit-events.ts';
import { autoscalerConfigRequest, type IssueAutoscalerConfig } from '../autoscaler-config/autoscaler-config-request.ts';
import { cloudResourcesRequest, type ListCloudResources } from '../cloud-resources/cloud-resources-request.ts';
import { clusterAuditSubresource } from '../cluster-audit/cluster-audit.ts';
import { CLUSTER_AUDIT_SUBRESOURCE } from '../cluster-audit/cluster-audit-kind.ts';
import type { ClusterAuditReader } from '../cluster-audit/cluster-audit-reader.ts';
import type { Console, ConsoleOptions } from '../console/console.ts';
import { kubeconfigRequest } from '../kubeconfig/kubeconfig-request.ts';
import { quotasRequest } from '../quotas/quotas-request.ts';
import { parentSubresource } from '../requests/parent-request.ts';
import { type PlanUpgrade, upgradePlanRequest } from '../upgrade-plan/upgrade-plan-request.ts';
import { bootstrap } from './bootstrap.ts';
import { type KeystoneAccess, keystoneAuth } from './keystone-access.ts';
import { NO_CUSTOM_RESOURCES } from './no-custom-resources.ts';

export interface GatewayOptions {
  readonly store: Store;
  /** The operator's image, by ID or name. */
  readonly defaultImage?: string | undefined;
  readonly clock: Clock;
  readonly random: () => number;
  readonly log: Logger;
  /** Fairway's own version, as in `/version`: `0.2.0`. */
  readonly version: string;
  readonly auditor?: Auditor;
  readonly tracer?: Tracer | undefined;
  /** Issuer URL for service-account tokens. */
  readonly issuer: string;
  /** Signs client certificates for Fairway's API. */
  readonly authority: CertificateAuthority;
  readonly serviceAccountKeys: ServiceAccountKeys;
  /** Maximum lifetime of a service account's token; 30 days by default. */
  readonly maxTokenSeconds?: number | undefined;
  /** Limits for clients and for the contents of namespaces; the defaults apply to omitted limits. */
  readonly limits?: Partial<ServerLimits & NamespaceLimits> | undefined;
  readonly clouds: Clouds;
  /** Separate from the server's construction, because these objects are read through the server. */
  readonly credentials: () => ClusterCredentials;
  /** Returns undefined while no externalgrpc server is running; none by default. */
  readonly autoscalerConfigs?: (() => IssueAutoscalerConfig | undefined) | undefined;
  /** Returns undefined until the controllers run, whose caches the planner uses. */
  readonly upgradePlans?: (() => PlanUpgrade | undefined) | undefined;
  /** Returns undefined until the controllers run; by default, cloud resources are not listed. */
  readonly cloudResources?: (() => ListCloudResources | undefined) | undefined;
  /** Reads audit logs of clusters' API servers; they are not read by default. */
  readonly clusterAudit?: ClusterAuditReader | undefined;
  /** See FairwayAdmissionOptions. */
  readonly unenforcedFields?: (() => Promise<UnenforcedFields>) | undefined;
  /** Why clusters here cannot admit Keystone users; if undefined, they can. */
  readonly keystoneProblem?: string | undefined;
  /** Limits for projects without a ProjectQuota; unlimited by default. */
  readonly quotaDefaults?: QuotaDefaults | undefined;
  /** Audit events for tenants to read; none by default. */
  readonly auditEvents?: AuditEventsSource | undefined;
  /** Keystone users; none by default. */
  readonly keystone?: KeystoneAccess | undefined;
  /** The console; none by default. */
  readonly console?: ((options: ConsoleOptions) => Console) | undefined;
}

export interface Gateway {
  readonly server: ApiServer;
  /** Client for Fairway's controllers, in this process. */
  readonly client: KubeClient;
  /** Resources that ResourceQuotas count. */
  readonly ledger: QuotaLedger;
  /** Completes what an earlier release stored, and creates the initial objects of the API. */
  start(): Promise<void>;
}

/**
 * A service account's token can only be revoked by deleting the account, so it expires: late enough for a pipeline that
 * gets a new token each month. EKS and AKS allow 24 hours; kube-apiserver has no limit by default.
 */
const MAX_TOKEN_SECONDS = 30 * 24 * 3600;

/** The user that Fairway's controllers act as in its own API. */
const CONTROLLERS: UserInfo = {
  username: 'system:fairway:controllers',
  groups: ['system:masters', 'system:authenticated'],
};

/** Kubernetes minor version whose API machinery the embedded server implements. */
const KUBERNETES_MINOR = '34';

/** Fairway's API on the embedded engine: authentication, authorization, admission and the kinds of `api`. */
export function createGateway(options: GatewayOptions): Gateway {
  const { store, clock, random, log, issuer, authority, serviceAccountKeys, clouds } = options;
  const auth = createAuth({
    reader: () => server.reader,
    clock,
    clientCaBundle: () => authority.certificatePem,
    issuer,
    serviceAccountKeys,
    maxTokenSeconds: options.maxTokenSeconds ?? MAX_TOKEN_SECONDS,
    ...(options.keystone && keystoneAuth(options.keystone)),
  });
  const console = options.console?.({
    cloud: options.keystone?.settings.cloud,
    signInService: options.keystone?.signInService,
    singleSignOn: options.keystone?.settings.singleSignOn,
    authenticate: (credentials) => authenticate(auth.authenticators, false, credentials),
    client: () => client,
    openWatch: ({ bearerToken, peer }, path, signal) =>
      server
        .connect(() => ({ bearerToken, peer }))
        .request({ method: 'GET', path, headers: { 'x-forwarded-for': peer }, signal, isWatch: true }),
    clock,
    log,
  });
  const ledger = new QuotaLedger(store);
  const offer = new CloudOffer(clock, log, options.defaultImage);
  const resources = [
    ...fairwayResources(options, offer, () => events),
    ...readableAuditEvents(options, () => server.reader),
  ];
  const server: ApiServer = new ApiServer({
    ...auth,
    ...(options.limits && { limits: options.limits }),
    store,
    resources,
    definitions: builtinDefinitions(),
    documentation: documentedDefinitions,
    clock,
    random,
    log,
    ...(options.auditor && { auditor: options.auditor }),
    tracer: options.tracer,
    ...(console && { readSession: console.readSession }),
    version: {
      major: '1',
      minor: KUBERNETES_MINOR,
      gitVersion: `v1.${KUBERNETES_MINOR}.0+fairway-${options.version}`,
      platform: `${process.platform}/${process.arch === 'x64' ? 'amd64' : process.arch}`,
    },
    admission: [
      ...auth.admission,
      fairwayAdmission({
        stored: factsInProcess(() => server.reader, options.quotaDefaults),
        clouds,
        offer,
        unenforcedFields: options.unenforcedFields,
        keystoneProblem: options.keystoneProblem,
        upgradePlans: options.upgradePlans,
        clock,
        isFairwayUser: ({ username }) => username === CONTROLLERS.username,
      }),
      namespaceLimitsAdmission(store, { ...DEFAULT_NAMESPACE_LIMITS, ...options.limits }),
      limitsAdmission(() => server.reader, options.quotaDefaults),
      resourceQuotaAdmission(() => server.reader, ledger),
    ],
  });
  const routes = [NO_CUSTOM_RESOURCES, ...issuerRoutes(issuer, issuer, serviceAccountKeys), ...(console?.routes ?? [])];
  for (const route of routes) server.addRoute(route);
  const client: KubeClient = new KubeClient(server.transport(CONTROLLERS), { userAgent: 'fairway-controllers', clock });
  const events = new EventRecorder(client, { component: 'fairway-gateway', clock, random, log });
  const start = async () => {
    await defaultStoredObjects(store, resources, builtinDefinitions());
    await bootstrap(client, server.reader);
  };
  return { server, client, ledger, start };
}

function readableAuditEvents(
  { auditEvents }: GatewayOptions,
  reader: () => ObjectReader,
): readonly ResourceDefinition[] {
  if (auditEvents === undefined) return [];
  const createdMs = (namespace: string) => {
    const found = reader().get(Namespaces, '', namespace);
    return found && Date.parse(found.metadata.creationTimestamp ?? '');
  };
  const definition: ResourceDefinition = {
    ...AUDIT_EVENTS,
    schema: { type: 'object' },
    verbs: ['list'],
    listed: ({ headers, access: authorizer, ...request }) =>
      auditEventsList(auditEvents, createdMs, { ...request, accept: headers['accept'], authorizer }),
  };
  return [definition];
}

function fairwayResources(
  {
    credentials,
    autoscalerConfigs: issuer = () => undefined,
    upgradePlans = () => undefined,
    cloudResources = () => undefined,
    clusterAudit,
    clouds,
    clock,
    log,
  }: GatewayOptions,
  offer: CloudOffer,
  events: () => EventRecorder,
): ResourceDefinition[] {
  const fairwayDefinitions = KINDS.map((kind) => resourceDefinition(kind));
  const kubeconfig = kubeconfigRequest({ credentials, events, clock, log });
  const autoscalerConfig = autoscalerConfigRequest({ issuer, events, log });
  const upgradePlan = upgradePlanRequest(upgradePlans);
  const resources = cloudResourcesRequest(cloudResources);
  const subresources = {
    [kubeconfig.subresource]: parentSubresource(kubeconfig),
    [autoscalerConfig.subresource]: parentSubresource(autoscalerConfig),
    [upgradePlan.subresource]: parentSubresource(upgradePlan),
    [resources.subresource]: parentSubresource(resources),
    [CLUSTER_AUDIT_SUBRESOURCE]: clusterAuditSubresource(clusterAudit),
  };
  const quotas = quotasRequest({ clouds, offer });
  const subresourcesOf: Readonly<Record<string, ResourceDefinition['subresources']>> = {
    [clusters.plural]: subresources,
    [cloudProfiles.plural]: { [quotas.subresource]: parentSubresource(quotas) },
  };
  return [
    ...authKinds(MANAGEMENT_KINDS),
    ...fairwayDefinitions.map((definition) => {
      const added = subresourcesOf[definition.plural];
      return added === undefined ? definition : { ...definition, subresources: added };
    }),
  ];
}
