import { isIP } from 'node:net';
import { connect } from 'node:tls';
import { WEBHOOK_NAME, webhookConfiguration } from '@fairway/gateway/webhook/webhook-configuration';
import type { KubeClient } from '@fairway/kube/client/kube-client';
import type { ValidatingWebhookConfiguration } from '@fairway/kube/kinds/generated/types';
import { ValidatingWebhookConfigurations } from '@fairway/kube/kinds/resources';
import { isApiError } from '@fairway/kube/object/api-error';

/** What kube-apiserver would find where it calls Fairway's webhook. */
export type WebhookAnswer =
  | { readonly kind: 'trusted'; readonly validTo: string }
  /** It answers with a certificate that the caBundle does not verify; `code` is Node's. */
  | { readonly kind: 'distrusted'; readonly code: string }
  /** There is none, from here. */
  | { readonly kind: 'silent'; readonly code: string };

/** The webhook as it is registered with a management cluster. */
export interface WebhookObservation {
  readonly name: string;
  /** Names of webhooks that are missing, and of those whose failurePolicy is another one: `admission.fairway.dev: Ignore, not Fail`. */
  readonly faults: readonly string[];
  /** `https://gateway.example.org:8443`, without the path, which is secret; undefined if it is no URL. */
  readonly origin: string | undefined;
  /** Undefined if there is no URL to ask. */
  readonly answer: WebhookAnswer | undefined;
}

const TIMEOUT_MS = 5_000;

/** Looks at the registration, and asks where it leads for a certificate; undefined if there is none. Rejects with Forbidden if the caller may not read it. */
export async function observeWebhook(client: KubeClient): Promise<WebhookObservation | undefined> {
  let found: ValidatingWebhookConfiguration;
  try {
    found = await client.resource(ValidatingWebhookConfigurations).get(WEBHOOK_NAME);
  } catch (error) {
    if (isApiError(error, 'NotFound')) return undefined;
    throw error;
  }
  const { url, caBundle } = found.webhooks?.find(({ name }) => name === WEBHOOK_NAME)?.clientConfig ?? {};
  const target = url !== undefined && URL.canParse(url) ? new URL(url) : undefined;
  return {
    name: WEBHOOK_NAME,
    faults: faultsOf(found),
    origin: target?.origin,
    answer: target && (await askCertificate(target, Buffer.from(caBundle ?? '', 'base64').toString())),
  };
}

function faultsOf({ webhooks = [] }: ValidatingWebhookConfiguration): readonly string[] {
  const desired = webhookConfiguration({ url: '', caBundle: '', identity: { usernames: [], isCertain: false } });
  return (desired.webhooks ?? []).flatMap(({ name, failurePolicy }) => {
    const found = webhooks.find((each) => each.name === name);
    if (found === undefined) return [`${name} is missing`];
    return found.failurePolicy === failurePolicy ? [] : [`${name}: ${found.failurePolicy}, not ${failurePolicy}`];
  });
}

/** A handshake as kube-apiserver makes it; nothing is sent. */
function askCertificate({ hostname, port }: URL, ca: string): Promise<WebhookAnswer> {
  const host = hostname.replace(/^\[|\]$/g, '');
  return new Promise((resolve) => {
    const socket = connect({
      host,
      port: Number(port || 443),
      // Without a bundle kube-apiserver trusts what its machine does.
      ...(ca !== '' && { ca }),
      ...(isIP(host) === 0 && { servername: host }),
      // Told apart below from a gateway that is away.
      rejectUnauthorized: false,
      timeout: TIMEOUT_MS,
    });
    const end = (answer: WebhookAnswer) => {
      socket.destroy();
      resolve(answer);
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
