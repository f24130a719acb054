import type { NamespaceLimits } from '@fairway/api/domain/namespace-limits';
import type { Auditor } from '@fairway/apiserver/audit/auditor';
import type { NamespaceArchive } from '@fairway/apiserver/audit/namespace-archive';
import type { ApiServer } from '@fairway/apiserver/server/api-server';
import type { ServerLimits } from '@fairway/apiserver/server/limits';
import { addTrafficMetrics } from '@fairway/apiserver/server/traffic-metrics';
import type { Store } from '@fairway/apiserver/store/store';
import type { Clock } from '@fairway/base/clock';
import type { Logger } from '@fairway/base/log';
import type { Tracer } from '@fairway/base/tracing';
import type { IssueAutoscalerConfig } from '@fairway/gateway/autoscaler-config/autoscaler-config-request';
import { createConsole } from '@fairway/gateway/console/console';
import { createGateway } from '@fairway/gateway/server/gateway';
import { InformerSet } from '@fairway/kube/client/informer-set';
import { sweepEvents } from '../audit/sweep-events.ts';
import type { ServerPki } from '../up/server-pki.ts';
import { embeddedManagement } from './embedded-management.ts';
import type { Engine, EngineParts } from './engine.ts';
import { metricsRoute } from './metrics-route.ts';

export interface EmbeddedEngineOptions {
  readonly store: Store;
  readonly pki: Pick<ServerPki, 'authority' | 'serviceAccountKeys'>;
  /** Fairway's own API. */
  readonly version: string;
  readonly auditor: Auditor;
  readonly auditEvents: NamespaceArchive;
  readonly tracer?: Tracer | undefined;
  readonly limits?: Partial<ServerLimits & NamespaceLimits> | undefined;
  readonly autoscalerConfigs?: (() => IssueAutoscalerConfig | undefined) | undefined;
  /** Whether the console is served; disabled by default. */
  readonly console?: boolean | undefined;
  /** See ConsoleOptions. */
  readonly consoleDocumentation?: string | undefined;
  readonly clock: Clock;
  readonly random: () => number;
  readonly log: Logger;
}

export interface EmbeddedEngine extends Engine {
  /** Used when the API starts listening; until then, the API is private to this process. */
  readonly server: ApiServer;
}

/** The API server in this process, with the control-plane controllers that it needs. */
export async function openEmbeddedEngine(options: EmbeddedEngineOptions, parts: EngineParts): Promise<EmbeddedEngine> {
  const { store, pki, version, auditor, auditEvents, limits, autoscalerConfigs, clock, random, log } = options;
  const { registry, ...gatewayParts } = parts;
  const { authority, serviceAccountKeys } = pki;
  const gateway = createGateway({
    store,
    clock,
    random,
    log,
    version,
    auditor,
    auditEvents,
    tracer: options.tracer,
    limits,
    autoscalerConfigs,
    issuer: 'https://fairway.local',
    authority,
    serviceAccountKeys,
    ...gatewayParts,
    console: options.console
      ? (parts) => createConsole({ ...parts, documentation: options.consoleDocumentation })
      : undefined,
  });
  const { server, client, ledger } = gateway;
  server.addRoute(metricsRoute(registry));
  addTrafficMetrics(registry, server.traffic);
  const informers = new InformerSet(client, { clock, random, log });
  const caches = new AbortController();
  const stopSweeping = sweepEvents(auditEvents, { client, clock, log });
  const close = async () => {
    caches.abort();
    await stopSweeping();
    await informers.stopped();
    // The server ends its watches before its listener; closing only the listener would wait for them.
    await server.close();
    ledger.stop();
  };
  try {
    await gateway.start();
  } catch (error) {
    await close();
    throw error;
  }
  informers.start(caches.signal);
  const runnables = embeddedManagement({ client, informers, authority, store, ledger, clock, random, log });
  return { server, client, reader: server.reader, informers, runnables, close };
}
