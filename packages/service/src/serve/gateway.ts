import type { NamespaceLimits } from '@fairway/api/domain/namespace-limits';
import type { ServerLimits } from '@fairway/apiserver/server/limits';
import type { Clock } from '@fairway/base/clock';
import type { Logger } from '@fairway/base/log';
import type { Tracer } from '@fairway/base/tracing';
import { createConsole } from '@fairway/gateway/console/console';
import type { AnnounceWrite } from '@fairway/gateway/management/announced-write';
import { newCacheSync } from '@fairway/gateway/management/cache-sync';
import { GatewayMetrics } from '@fairway/gateway/management/gateway-metrics';
import { createManagementGateway, type ManagementGateway } from '@fairway/gateway/management/management-gateway';
import { HttpsTransport, type HttpsTransportOptions } from '@fairway/kube/client/https-transport';
import { KubeClient } from '@fairway/kube/client/kube-client';
import type { AuditSettings } from '../audit/audit-settings.ts';
import { openAudit } from '../audit/open-audit.ts';
import { sweepEvents } from '../audit/sweep-events.ts';
import { usageError } from '../command-error.ts';
import type { Engine } from '../fairway/engine.ts';
import type { Fairway } from '../fairway/fairway.ts';
import { metricsRoute } from '../fairway/metrics-route.ts';
import { logFor } from '../log-levels.ts';
import { FAIRWAY_VERSION } from '../version.ts';
import { addCertificateMetrics } from './certificate-metrics.ts';
import type { ListenAddress } from './listen-address.ts';
import { type CertificateFiles, OwnCertificate } from './own-certificate.ts';

/** Address of a replica's gateway, and the names in the gateway's certificate. */
export interface GatewayEndpoint {
  readonly connection: HttpsTransportOptions;
  readonly listen: ListenAddress;
  /** Additional names and addresses for the certificate. */
  readonly hosts: readonly string[];
  /** See ManagementGatewayOptions. */
  readonly webhookUrl: string | undefined;
  readonly certificate?: CertificateFiles | undefined;
  /** Limits for the gateway's clients; the defaults apply to omitted limits. */
  readonly limits?: Partial<ServerLimits & NamespaceLimits> | undefined;
  /** Whether the console is served; enabled by default. */
  readonly console?: boolean | undefined;
  /** See ConsoleOptions. */
  readonly consoleDocumentation?: string | undefined;
}

/** Opens the gateway of a running Fairway. The gateway has its own connections to the management cluster. */
export async function openGateway(
  {
    connection,
    listen,
    hosts,
    webhookUrl,
    certificate,
    limits,
    console: isConsoleServed = true,
    consoleDocumentation: documentation,
  }: GatewayEndpoint,
  {
    engine,
    clouds,
    credentials,
    registry,
    unenforcedFields,
    keystoneProblem,
    quotaDefaults,
    defaultImage,
    upgradePlans,
    cloudResources,
    clusterAudit,
    keystone,
  }: Fairway<Engine>,
  commonOptions: {
    /** The identity of this replica. */
    readonly identity: string;
    readonly audit: AuditSettings;
    readonly tracer?: Tracer | undefined;
    readonly announceWrite?: AnnounceWrite | undefined;
    readonly clock: Clock;
    readonly random: () => number;
    readonly log: Logger;
  },
): Promise<ManagementGateway> {
  const { clock, random } = commonOptions;
  const log = logFor(commonOptions.log, 'gateway');
  const userAgent = `fairway-gateway/${FAIRWAY_VERSION}`;
  const client = new KubeClient(new HttpsTransport({ ...connection, clock }), { userAgent, clock });
  await using opening = new AsyncDisposableStack();
  opening.defer(() => client.close());
  const ownCertificate = certificate && new OwnCertificate(certificate, { clock, log });
  if (ownCertificate) addCertificateMetrics(registry, ownCertificate);
  opening.defer(() => ownCertificate?.close());
  if (
    ownCertificate &&
    webhookUrl !== undefined &&
    ownCertificate.covers(new URL(webhookUrl).hostname) &&
    ownCertificate.authority === undefined
  ) {
    throw usageError(
      `kube-apiserver calls the webhook at ${webhookUrl}, but does not trust tls.certFile`,
      'specify its certificate authority with --tls-ca-file',
    );
  }
  const audit = await openAudit(commonOptions.audit, {
    registry,
    clock,
    random,
    log: logFor(commonOptions.log, 'audit'),
  });
  opening.defer(() => audit.close());
  const gateway = await createManagementGateway({
    connection,
    client,
    clouds,
    credentials,
    unenforcedFields,
    keystoneProblem,
    quotaDefaults,
    defaultImage,
    upgradePlans,
    cloudResources,
    clusterAudit,
    keystone,
    waitForCache: newCacheSync({ reader: engine.reader, client, clock }),
    ...listen,
    hosts,
    webhookUrl,
    ...(limits && { limits }),
    ...(ownCertificate && {
      certificateFor: (name) => ownCertificate.contextFor(name),
      additionalAuthorities: ownCertificate.authority,
    }),
    routes: [metricsRoute(registry)],
    console: isConsoleServed ? (parts) => createConsole({ ...parts, documentation }) : undefined,
    metrics: new GatewayMetrics(registry),
    auditor: audit.auditor,
    auditEvents: audit.events,
    ...commonOptions,
    log,
  });
  opening.defer(() => gateway.close());
  opening.defer(sweepEvents(audit.events, { client, clock, log }));
  const running = opening.move();
  return { ...gateway, close: () => running.disposeAsync() };
}
