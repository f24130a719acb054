import { z } from 'zod';
import { countedPages } from '../counted-pages.ts';
import type { CallOptions, ServiceApi } from '../service-api.ts';
import { list } from '../types/collections.ts';
import { KeyContainer, KeySecret, type KeySecretCreate } from '../types/key-manager.ts';

/** Barbican's default page limit. */
const PAGE_SIZE = 100;

const SecretPage = z.object({ secrets: list(KeySecret), total: z.number(), next: z.string().optional() });
const CreatedSecret = z.object({ secret_ref: z.string() });

export interface KeySecretFilter {
  /** A SQL LIKE pattern: `%` is any text, `_` any character. */
  readonly name?: string;
}

interface ListOptions extends CallOptions {
  readonly pageSize?: number;
}

/** Secrets and containers of secrets. https://docs.openstack.org/barbican/latest/api/ */
export class KeyManager {
  readonly #api: ServiceApi;

  constructor(api: ServiceApi) {
    this.#api = api;
  }

  /** Id of the user who creates secrets here. */
  userId(): Promise<string> {
    return this.#api.userId();
  }

  /** `GET /secrets` of the session's project, oldest first. Deletions during the listing may hide other secrets from it. */
  secrets(filter: KeySecretFilter = {}, options: ListOptions = {}): AsyncGenerator<KeySecret, void> {
    return countedPages(this.#api, '/secrets', {
      pageSize: PAGE_SIZE,
      ...options,
      query: { ...filter, sort: 'created' },
      schema: SecretPage,
      items: ({ secrets }) => secrets,
      idOf: ({ secret_ref }) => secret_ref,
      isLast: ({ secrets, next }) => next === undefined || secrets.length === 0,
    });
  }

  /** `GET /secrets/{id}`, without its payload. */
  secret(id: string, options: CallOptions = {}): Promise<KeySecret> {
    return this.#api.get(KeySecret, '/secrets/{id}', { ...options, params: { id } });
  }

  /** `GET /containers/{id}`. */
  container(id: string, options: CallOptions = {}): Promise<KeyContainer> {
    return this.#api.get(KeyContainer, '/containers/{id}', { ...options, params: { id } });
  }

  /** `POST /secrets`: resolves with its reference. */
  async createSecret(secret: KeySecretCreate, options: CallOptions = {}): Promise<string> {
    return (await this.#api.post(CreatedSecret, '/secrets', { ...options, body: secret })).secret_ref;
  }

  /** `DELETE /secrets/{id}`, even if it is in use. */
  async deleteSecret(id: string, options: CallOptions = {}): Promise<void> {
    await this.#api.send('DELETE', '/secrets/{id}', { ...options, params: { id } });
  }
}
