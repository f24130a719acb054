import { AuditWebhook } from '@fairway/apiserver/audit/audit-webhook';
import type { Clock } from '@fairway/base/clock';
import type { Logger } from '@fairway/base/log';
import { HttpsTransport, type HttpsTransportOptions } from '@fairway/kube/client/https-transport';
import { KubeconfigError } from '@fairway/kube/client/kubeconfig';
import { loadKubeConnection } from '@fairway/kube/client/kubeconfig-loader';
import type { Registry } from 'prom-client';
import { CommandError } from '../command-error.ts';
import { ExitCode } from '../exit-code.ts';
import type { AuditWebhookSettings } from './audit-settings.ts';
import { AuditWebhookMetrics } from './audit-webhook-metrics.ts';

/** Timeout of one request. */
const REQUEST_TIMEOUT_MS = 30_000;
/** Size limit of a receiver's response, which is read but not used. */
const MAX_RESPONSE_BYTES = 64 * 1024;

/**
 * The connection to the receiver. Rejects with a CommandError if the kubeconfig can't be used; does not connect.
 */
export async function auditWebhookConnection(configFile: string): Promise<HttpsTransportOptions> {
  try {
    const { transport } = await loadKubeConnection({ path: configFile, isTerminal: false });
    return transport;
  } catch (cause) {
    if (!(cause instanceof KubeconfigError)) throw cause;
    const message = `--audit-webhook-config-file ${configFile}: ${cause.message}`;
    throw new CommandError(message, { exitCode: ExitCode.Usage, cause });
  }
}

/** Opens the audit webhook; the receiver need not be reachable. */
export function openAuditWebhook(
  { connection, ...deliveryOptions }: AuditWebhookSettings,
  {
    registry,
    clock,
    random,
    log,
  }: { readonly registry: Registry; readonly clock: Clock; readonly random: () => number; readonly log: Logger },
): AuditWebhook {
  const transport = new HttpsTransport({
    ...connection,
    requestTimeoutMs: REQUEST_TIMEOUT_MS,
    maxResponseBytes: MAX_RESPONSE_BYTES,
    maxIdleConnections: 1,
    clock,
  });
  return new AuditWebhook({
    ...deliveryOptions,
    transport,
    observer: new AuditWebhookMetrics(registry),
    clock,
    random,
    log,
  });
}
