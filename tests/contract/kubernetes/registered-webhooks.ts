import {
  reviewResponse,
  type WebhookBehavior,
  WebhookServer,
} from '@fairway/apiserver/outbound/testing/webhook-server';
import type {
  ConfigMap,
  MutatingWebhook,
  MutatingWebhookConfiguration,
  ValidatingWebhook,
} from '@fairway/kube/kinds/generated/types';
import type { MutatingWebhookConfigurations, ValidatingWebhookConfigurations } from '@fairway/kube/kinds/resources';
import { ConfigMaps } from '@fairway/kube/kinds/resources';
import { isApiError } from '@fairway/kube/object/api-error';
import { vi } from 'vitest';
import type { ContractServer } from './contract-server.ts';

export const CONFIG_MAPS = {
  apiGroups: [''],
  apiVersions: ['v1'],
  operations: ['CREATE', 'UPDATE', 'DELETE'],
  resources: ['configmaps'],
};
const WAIT = { timeout: 300_000, interval: 100 };

type ConfigurationType = typeof MutatingWebhookConfigurations | typeof ValidatingWebhookConfigurations;

export type Hook = Partial<MutatingWebhook> & { readonly name: string };

/** Webhooks on this machine, registered with a server for ConfigMaps in one namespace. */
export class RegisteredWebhooks implements AsyncDisposable {
  readonly webhooks: WebhookServer;
  readonly namespace: string;
  readonly #server: ContractServer;

  private constructor(webhooks: WebhookServer, namespace: string, server: ContractServer) {
    this.webhooks = webhooks;
    this.namespace = namespace;
    this.#server = server;
  }

  static async open(server: ContractServer): Promise<RegisteredWebhooks> {
    return new RegisteredWebhooks(await WebhookServer.open(), await server.namespace(), server);
  }

  /** Registers webhooks for objects with this label, and waits until they are in effect. */
  async register(type: ConfigurationType, label: string, ...hooks: readonly Hook[]): Promise<void> {
    const { webhooks } = this;
    const whole = (hook: Hook): MutatingWebhook & ValidatingWebhook => ({
      admissionReviewVersions: ['v1'],
      sideEffects: 'None',
      rules: [CONFIG_MAPS],
      objectSelector: { matchLabels: { hooked: label } },
      clientConfig: { url: webhooks.url(`/${hook.name}`), caBundle: webhooks.caBundle },
      ...hook,
    });
    const canary = `canary.${label}.example.org`;
    webhooks.reply(`/${canary}`, reviewResponse);
    const configuration = {
      metadata: { name: label },
      webhooks: [...hooks, { name: canary, objectSelector: { matchLabels: { canary: label } } }].map(whole),
    };
    await this.#server.client.resource<MutatingWebhookConfiguration>(type).create(configuration);
    await vi.waitUntil(async () => {
      await this.create({ labels: { canary: label } });
      return webhooks.reviewsByPath.has(`/${canary}`);
    }, WAIT);
  }

  async unregister(type: ConfigurationType, label: string): Promise<void> {
    await this.#server.client.resource(type).delete(label);
  }

  create(
    metadata: { readonly labels: Record<string, string>; readonly name?: string },
    { dryRun = true, ...rest }: Partial<ConfigMap> & { readonly dryRun?: boolean } = {},
  ): Promise<ConfigMap> {
    const object = { metadata: { name: 'some', namespace: this.namespace, ...metadata }, ...rest };
    return this.#server.client.resource(ConfigMaps).create(object, { dryRun });
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.webhooks[Symbol.asyncDispose]();
  }
}

/** The server's error for a refused write. */
export async function rejectionOf(write: Promise<unknown>): Promise<string> {
  try {
    await write;
    return '';
  } catch (error) {
    if (!isApiError(error)) throw error;
    return `${error.code} ${error.reason} ${error.message}`;
  }
}

export function denied(response: object): WebhookBehavior {
  return (review) => reviewResponse(review, { allowed: false, ...response });
}

/** A pattern that matches exactly this text. */
export function exactly(expectedMessage: string | RegExp): RegExp {
  if (expectedMessage instanceof RegExp) return expectedMessage;
  return new RegExp(`^${expectedMessage.replaceAll(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`)}$`);
}
