import type { UnenforcedFields } from '@fairway/api/admission/unenforced-fields';
import { DEFAULT_NAMESPACE_LIMITS, type NamespaceLimits } from '@fairway/api/domain/namespace-limits';
import type { QuotaDefaults } from '@fairway/api/domain/project-quota';
import { SYSTEM_NAMESPACE } from '@fairway/api/group';
import type { Auditor } from '@fairway/apiserver/audit/auditor';
import { createAccessReviewAuthorizer } from '@fairway/apiserver/auth/delegated/access-review-authorizer';
import { createClientAuthorityAuthenticator } from '@fairway/apiserver/auth/delegated/client-authority';
import { createTokenReviewAuthenticator } from '@fairway/apiserver/auth/delegated/token-review-authenticator';
import { createUnionAuthenticator, createUnionTokenAuthenticator } from '@fairway/apiserver/auth/union-authenticator';
import type { Authenticator } from '@fairway/apiserver/auth/user';
import { authenticate } from '@fairway/apiserver/server/authenticate';
import { Health } from '@fairway/apiserver/server/health';
import type { ServerLimits } from '@fairway/apiserver/server/limits';
import { type CertificateByName, type Listener, listen, type TlsOptions } from '@fairway/apiserver/server/listener';
import { type Route, Routes } from '@fairway/apiserver/server/routes';
import { sharedCheck } from '@fairway/apiserver/server/shared-check';
import { Traffic } from '@fairway/apiserver/server/traffic';
import type { Clock } from '@fairway/base/clock';
import type { Logger } from '@fairway/base/log';
import type { Tracer } from '@fairway/base/tracing';
import { trustBundle } from '@fairway/control-plane/pki/cluster-pki';
import type { HttpsConnectionOptions } from '@fairway/kube/client/https-connections';
import type { KubeClient } from '@fairway/kube/client/kube-client';
import type { Transport } from '@fairway/kube/client/transport';
import { Controller } from '@fairway/kube/controller/controller';
import { Manager } from '@fairway/kube/controller/manager';
import { ShardMember } from '@fairway/kube/controller/sharding';
import { EventRecorder } from '@fairway/kube/events/recorder';
import { CloudOffer } from '@fairway/tenancy/cloud/cloud-offer';
import type { Clouds } from '@fairway/tenancy/cloud/project-cloud';
import type { ClusterCredentials } from '@fairway/tenancy/credentials/credentials';
import { fairwayAdmission } from '../admission/fairway-admission.ts';
import { factsOverHttp } from '../admission/stored-facts.ts';
import type { AuditEventsSource } from '../audit-events/audit-events.ts';
import { forwardedEvents } from '../audit-events/forwarded-events.ts';
import { cloudResourcesRequest, type ListCloudResources } from '../cloud-resources/cloud-resources-request.ts';
import type { ClusterAuditReader } from '../cluster-audit/cluster-audit-reader.ts';
import { forwardedClusterAudit } from '../cluster-audit/forwarded-cluster-audit.ts';
import type { Console, ConsoleOptions } from '../console/console.ts';
import { kubeconfigRequest } from '../kubeconfig/kubeconfig-request.ts';
import { quotasRequest } from '../quotas/quotas-request.ts';
import { handleParentRequest } from '../requests/handle-parent-request.ts';
import { type KeystoneAccess, keystoneAuth } from '../server/keystone-access.ts';
import { NO_CUSTOM_RESOURCES } from '../server/no-custom-resources.ts';
import { type PlanUpgrade, upgradePlanRequest } from '../upgrade-plan/upgrade-plan-request.ts';
import { admissionWebhook } from '../webhook/admission-webhook.ts';
import { REGISTRATION_KEY, webhookRegistration } from '../webhook/webhook-registration.ts';
import type { AnnounceWrite } from './announced-write.ts';
import { ensureGatewayCa } from './ensure-gateway-ca.ts';
import type { GatewayCa } from './gateway-ca.ts';
import type { GatewayMetrics } from './gateway-metrics.ts';
import { type InProcessCaller, InProcessEntryPoint } from './in-process-entry-point.ts';
import { ManagementFrontEnd, webhookPath } from './management-front.ts';
import { isOwn, ownIdentity } from './own-identity.ts';
import { Renewal } from './renewal.ts';
import { requireKeystoneRights, requireRights } from './required-rights.ts';
import { ServingCertificate } from './serving-certificate.ts';
import { Upstream } from './upstream.ts';
import { watchObjects } from './watched-objects.ts';

/** How long the result of a readiness check is cached. */
const HEALTH_TTL_MS = 1_000;

export interface ManagementGatewayOptions {
  /** The management cluster's API server, with credentials that may impersonate. */
  readonly connection: HttpsConnectionOptions;
  /** The same API, accessed with Fairway's identity. */
  readonly client: KubeClient;
  readonly clouds: Clouds;
  readonly credentials: () => ClusterCredentials;
  /** See FairwayAdmissionOptions. */
  readonly unenforcedFields?: (() => Promise<UnenforcedFields>) | undefined;
  /** Why clusters here cannot admit Keystone users; if undefined, they can. */
  readonly keystoneProblem?: string | undefined;
  /** Limits for projects without a ProjectQuota; unlimited by default. */
  readonly quotaDefaults?: QuotaDefaults | undefined;
  /** The operator's image, by ID or name. */
  readonly defaultImage?: string | undefined;
  /** See GatewayOptions. */
  readonly upgradePlans?: (() => PlanUpgrade | undefined) | undefined;
  /** Audit events of requests to this gateway, for tenants to read; none by default. */
  readonly auditEvents?: AuditEventsSource | undefined;
  /** Reads audit logs of clusters' API servers; they are not read by default. */
  readonly clusterAudit?: ClusterAuditReader | undefined;
  readonly cloudResources?: (() => ListCloudResources | undefined) | undefined;
  /** Keystone users; none by default. */
  readonly keystone?: KeystoneAccess | undefined;
  /** Resolves when `clouds` reflects the current stored state. */
  readonly waitForCache?: (namespace: string, credentialName: string | undefined) => Promise<void>;
  readonly host: string;
  /** 0 for any free port. */
  readonly port: number;
  /** Additional names and addresses of the gateway; they are added to its certificate. */
  readonly hosts?: readonly string[];
  /**
   * `https://host:port`, without a path, at which kube-apiserver reaches the gateways; this gateway's own address by
   * default.
   */
  readonly webhookUrl?: string | undefined;
  /**
   * Certificates for clients that request one of their names, instead of the certificate issued by the gateway's CA.
   */
  readonly certificateFor?: CertificateByName | undefined;
  /** PEM of additional CAs that the gateway's clients, including kube-apiserver, must trust. */
  readonly additionalAuthorities?: string | undefined;
  /** Unique name of this replica, a DNS label: one replica at a time maintains the webhook's configuration. */
  readonly identity: string;
  readonly routes?: readonly Route[];
  /** The console; none by default. */
  readonly console?: ((options: ConsoleOptions) => Console) | undefined;
  /** Limits for clients and for the contents of namespaces; the defaults apply to omitted limits. */
  readonly limits?: Partial<ServerLimits & NamespaceLimits>;
  readonly metrics: GatewayMetrics;
  readonly auditor: Auditor;
  readonly tracer?: Tracer | undefined;
  /** See ManagementFrontEndOptions. */
  readonly announceWrite?: AnnounceWrite | undefined;
  readonly clock: Clock;
  readonly random: () => number;
  readonly log: Logger;
}

export interface ManagementGateway {
  readonly url: string;
  /** PEM bundle of the CAs that issue the gateway's certificate. */
  readonly certificateAuthority: string;
  /** The gateway's current certificate, for other servers in the process; it changes on renewal. */
  readonly tls: () => TlsOptions;
  /** For other APIs in the process, which send requests as their own clients. */
  connect(caller: InProcessCaller): Transport;
  /** Ends the watches, drains running requests, and stops listening. */
  close(): Promise<void>;
}

/**
 * The tenants' entry point to a management cluster. Authenticates, impersonates, forwards, serves `clusters/kubeconfig`
 * and the other subresources of `GATEWAY_SUBRESOURCES`, and validates Clusters and NodePools for kube-apiserver.
 * Resolves when it is listening; the webhook is registered soon after.
 */
export async function createManagementGateway(options: ManagementGatewayOptions): Promise<ManagementGateway> {
  const { connection, client, clouds, credentials, waitForCache, host, port, metrics, clock, random, log } = options;
  const stack = new AsyncDisposableStack();
  try {
    await requireRights(client);
    if (options.keystone) await requireKeystoneRights(client);
    const identity = await ownIdentity(client);
    let gatewayCa: GatewayCa = await ensureGatewayCa(client, clock);
    const stop = new AbortController();
    const followed = watchObjects(client, stop.signal, { clock, random, log });
    stack.defer(() => {
      stop.abort();
      return followed.stopped();
    });
    await followed.synced();

    const authorizer = createAccessReviewAuthorizer(client);
    const authenticators = [
      createUnionAuthenticator({
        authenticators: [
          createClientAuthorityAuthenticator(followed.authentication, clock, log),
          ...keystoneUserPrefixes(options),
          createTokenReviewAuthenticator(client, clock),
        ],
        tokens: createUnionTokenAuthenticator([]),
        apiAudiences: [],
        allowAnonymous: false,
      }),
    ];
    const events = new EventRecorder(client, { component: 'fairway-gateway', clock, random, log });
    const parentRequests = {
      kubeconfig: kubeconfigRequest({ credentials, events: () => events, clock, log }),
      upgradeplan: upgradePlanRequest(options.upgradePlans ?? (() => undefined)),
      cloudresources: cloudResourcesRequest(options.cloudResources ?? (() => undefined)),
    };
    const offer = new CloudOffer(clock, log, options.defaultImage);
    const quotas = quotasRequest({ clouds, offer, waitForCache });
    const admission = fairwayAdmission({
      stored: factsOverHttp(client, options.quotaDefaults),
      limits: { ...DEFAULT_NAMESPACE_LIMITS, ...options.limits },
      clouds,
      offer,
      unenforcedFields: options.unenforcedFields,
      keystoneProblem: options.keystoneProblem,
      upgradePlans: options.upgradePlans,
      clock,
      isFairwayUser: (user) => isOwn(identity, user),
      ...(waitForCache && { waitForCache: waitForCache }),
    });
    const upstream = new Upstream(connection);
    stack.defer(() => upstream.close());
    const traffic = new Traffic({ limits: options.limits, clock });
    metrics.registerTrafficMetrics(traffic);
    const health = new Health();
    const isReachable = sharedCheck(async () => void (await client.version()), HEALTH_TTL_MS, clock);
    health.add('api-server', isReachable, { readyOnly: true });
    const routes = new Routes();
    const console = options.console?.({
      cloud: options.keystone?.settings.cloud,
      signInService: options.keystone?.signInService,
      singleSignOn: options.keystone?.settings.singleSignOn,
      authenticate: (credentials) => authenticate(authenticators, false, credentials),
      client: () => client,
      openWatch: (credentials, path, signal) => frontEnd.openWatch(credentials, path, signal),
      clock,
      log,
    });
    for (const route of [NO_CUSTOM_RESOURCES, ...(options.routes ?? []), ...(console?.routes ?? [])]) routes.add(route);
    const frontEnd: ManagementFrontEnd = new ManagementFrontEnd({
      upstream,
      authenticators,
      authorizer,
      health,
      routes,
      readSession: console?.readSession,
      respondToRequest: (target, request, user, apiRequest) => {
        const { auditEvents: source, clusterAudit: reader } = options;
        const requestOptions = { client, authorizer: apiRequest, silentAuthorizer: authorizer, clock };
        switch (target.to) {
          case 'auditevents':
            return forwardedEvents({ ...requestOptions, source }, target, request, user);
          case 'audit':
            return forwardedClusterAudit({ ...requestOptions, reader }, target, request, user);
          case 'kubeconfig':
          case 'upgradeplan':
          case 'cloudresources':
            return handleParentRequest(
              { ...requestOptions, parentRequest: parentRequests[target.to] },
              target,
              request,
              user,
            );
          case 'quotas':
            return handleParentRequest({ ...requestOptions, parentRequest: quotas }, target, request, user);
        }
      },
      respondToReview: admissionWebhook({ admission, client, metrics, clock, log }),
      webhookKey: () => gatewayCa.webhookKey,
      traffic,
      metrics,
      auditor: options.auditor,
      tracer: options.tracer,
      announceWrite: options.announceWrite,
      log,
    });

    const trustedCas = () => trustBundle(gatewayCa.authority) + (options.additionalAuthorities ?? '');
    const hosts = [...(options.hosts ?? []), ...namesOf(host), ...namesOfUrl(options.webhookUrl)];
    const certificate = new ServingCertificate(hosts, clock);
    const first = await certificate.next(gatewayCa.authority.active);
    if (first === undefined) throw new Error('no new certificate was issued');
    let tls = first;
    const listener: Listener = await listen(
      { host, port, tls, certificateFor: options.certificateFor },
      (request, response) => frontEnd.handler(request, response),
      traffic,
    );
    stack.defer(async () => {
      frontEnd.drain();
      await listener.close();
    });

    const election = { namespace: SYSTEM_NAMESPACE, name: 'fairway-gateway', shards: 1, identity: options.identity };
    const leader = new ShardMember({ client, ...election, clock, random, log });
    const registration = new Controller({
      name: 'admission-webhook',
      reconcile: webhookRegistration({
        client,
        configurations: followed.configurations,
        target: () => ({
          url: `${options.webhookUrl ?? listener.url}${webhookPath(gatewayCa.webhookKey)}`,
          caBundle: trustedCas(),
          identity,
        }),
      }),
      owner: leader,
      clock,
      random,
      log,
    });
    // The Secret always exists, so a key can always be reported.
    registration.watch(followed.gatewayCa, () => [REGISTRATION_KEY]).watch(followed.configurations);
    const work = new AbortController();
    const managerEnd = new Manager({ log }).add(leader, registration).run(work.signal);
    stack.defer(() => {
      work.abort();
      return managerEnd;
    });

    const certificateRenewal = async () => {
      gatewayCa = await ensureGatewayCa(client, clock);
      const next = await certificate.next(gatewayCa.authority.active);
      if (next) {
        tls = next;
        listener.setTls(next);
      }
      registration.enqueue(REGISTRATION_KEY);
    };
    const renewal = new Renewal(certificateRenewal, { clock, log });
    const onCaChange = () => renewal.now();
    followed.gatewayCa.addHandler({ onAdd: onCaChange, onUpdate: onCaChange, onDelete: onCaChange });
    stack.defer(() => renewal.stop());
    const signInService = new InProcessEntryPoint((request, response) => frontEnd.handler(request, response));
    return {
      url: listener.url,
      certificateAuthority: trustedCas(),
      tls: () => tls,
      connect: (caller) => signInService.connect(caller),
      close: () => stack.disposeAsync(),
    };
  } catch (error) {
    await stack.disposeAsync();
    throw error;
  }
}

/**
 * Keystone users' permissions are RoleBindings in the management cluster, whose API server does not use Fairway's
 * policy.
 */
function keystoneUserPrefixes({ keystone }: ManagementGatewayOptions): readonly Authenticator[] {
  return keystone === undefined ? [] : keystoneAuth(keystone).authenticators;
}

/** A wildcard is not a server name. */
function namesOf(host: string): string[] {
  return host === '0.0.0.0' || host === '::' ? [] : [host];
}

function namesOfUrl(url: string | undefined): string[] {
  return url === undefined ? [] : [new URL(url).hostname.replace(/^\[|\]$/g, '')];
}
