import { isIP } from 'node:net';
import { checkServerIdentity, connect } from 'node:tls';
import { WEBHOOK_NAME, webhookConfiguration } from '@fairway/gateway/webhook/webhook-configuration';
import type { KubeClient } from '@fairway/kube/client/kube-client';
import type { ValidatingWebhookConfiguration, WebhookClientConfig } from '@fairway/kube/kinds/generated/types';
import { Services, ValidatingWebhookConfigurations } from '@fairway/kube/kinds/resources';
import { isApiError } from '@fairway/kube/object/api-error';

/** The response that kube-apiserver would get from Fairway's webhook. */
export type WebhookProbe =
  | { readonly kind: 'trusted'; readonly validTo: string }
  /** The caBundle does not verify the webhook's certificate; `code` is Node's. */
  | { readonly kind: 'distrusted'; readonly code: string }
  /** This process got no response. */
  | { readonly kind: 'silent'; readonly code: string };

/** The webhook as registered with a management cluster. */
export interface WebhookObservation {
  readonly name: string;
  /**
   * Names of missing webhooks, and of webhooks with a different failurePolicy: `admission.fairway.dev: Ignore, not
   * Fail`.
   */
  readonly faults: readonly string[];
  /**
   * `https://gateway.example.org:8443`, without the path, which is secret; undefined if the registered value is not a
   * URL.
   */
  readonly origin: string | undefined;
  /** Undefined if there is no server to connect to. */
  readonly probe: WebhookProbe | undefined;
}

const TIMEOUT_MS = 5_000;
const HTTPS_PORT = 443;

/**
 * Reads the registration, and gets the certificate from the registered address; undefined if there is no registration.
 * Rejects with Forbidden if the caller may not read the registration.
 */
export async function observeWebhook(client: KubeClient): Promise<WebhookObservation | undefined> {
  let found: ValidatingWebhookConfiguration;
  try {
    found = await client.resource(ValidatingWebhookConfigurations).get(WEBHOOK_NAME);
  } catch (error) {
    if (isApiError(error, 'NotFound')) return undefined;
    throw error;
  }
  const probes = found.webhooks?.find(({ name }) => name === WEBHOOK_NAME)?.clientConfig;
  const target = probes && (await targetOf(client, probes));
  return {
    name: WEBHOOK_NAME,
    faults: faultsOf(found),
    origin: target?.origin,
    probe: await probeWebhook(target, Buffer.from(probes?.caBundle ?? '', 'base64').toString()),
  };
}

/** The address that kube-apiserver connects to, and the name that it expects in the certificate. */
interface Target {
  readonly origin: string;
  readonly serverName: string;
  readonly port: number;
  /** Undefined if the Service does not exist. */
  readonly host: string | undefined;
}

async function targetOf(client: KubeClient, { url, service }: WebhookClientConfig): Promise<Target | undefined> {
  if (service !== undefined) {
    const { name, namespace, port = HTTPS_PORT } = service;
    const serverName = `${name}.${namespace}.svc`;
    return {
      origin: `https://${serverName}:${port}`,
      serverName,
      port,
      host: await clusterIp(client, namespace, name),
    };
  }
  if (url === undefined || !URL.canParse(url)) return undefined;
  const { origin, hostname, port } = new URL(url);
  const serverName = hostname.replace(/^\[|\]$/g, '');
  return { origin, serverName, port: Number(port || HTTPS_PORT), host: serverName };
}

async function clusterIp(client: KubeClient, namespace: string, name: string): Promise<string | undefined> {
  try {
    const { spec } = await client.resource(Services).get(name, { namespace });
    return spec.clusterIP === 'None' ? undefined : spec.clusterIP;
  } catch (error) {
    if (isApiError(error, 'NotFound')) return undefined;
    throw error;
  }
}

async function probeWebhook(target: Target | undefined, ca: string): Promise<WebhookProbe | undefined> {
  if (target === undefined) return undefined;
  const { host, ...rest } = target;
  return host === undefined
    ? { kind: 'silent', code: 'the Service does not exist' }
    : fetchCertificate({ ...rest, host, ca });
}

function faultsOf({ webhooks = [] }: ValidatingWebhookConfiguration): readonly string[] {
  const identity = { usernames: [], isCertain: false };
  const { webhooks: desired = [] } = webhookConfiguration({ url: 'https://gateway/', caBundle: '', identity });
  return desired.flatMap(({ name, failurePolicy }) => {
    const found = webhooks.find((each) => each.name === name);
    if (found === undefined) return [`${name} is missing`];
    return found.failurePolicy === failurePolicy ? [] : [`${name}: ${found.failurePolicy}, not ${failurePolicy}`];
  });
}

/** Performs the same TLS handshake as kube-apiserver; sends nothing. */
function fetchCertificate({
  host,
  port,
  serverName,
  ca,
}: {
  readonly host: string;
  readonly port: number;
  readonly serverName: string;
  /** PEM. */
  readonly ca: string;
}): Promise<WebhookProbe> {
  return new Promise((resolve) => {
    const socket = connect({
      host,
      port,
      // Without a bundle, kube-apiserver trusts the system's CAs.
      ...(ca !== '' && { ca }),
      ...(isIP(serverName) === 0 && { servername: serverName }),
      checkServerIdentity: (_, certificate) => checkServerIdentity(serverName, certificate),
      // The caller distinguishes this error from an unreachable gateway.
      rejectUnauthorized: false,
      timeout: TIMEOUT_MS,
    });
    const end = (probe: WebhookProbe) => {
      socket.destroy();
      resolve(probe);
    };
    socket.once('secureConnect', () => {
      const { authorized, authorizationError: code } = socket;
      if (authorized) end({ kind: 'trusted', validTo: socket.getPeerCertificate().valid_to });
      else end({ kind: 'distrusted', code: String(code) });
    });
    socket.once('error', ({ code = 'unknown' }: NodeJS.ErrnoException) => end({ kind: 'silent', code }));
    socket.once('timeout', () => end({ kind: 'silent', code: 'ETIMEDOUT' }));
  });
}
