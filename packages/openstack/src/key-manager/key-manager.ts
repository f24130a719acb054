import { z } from 'zod';
import type { CallOptions, ServiceApi } from '../service-api.ts';
import { KeyContainer, KeySecret, type KeySecretCreate } from '../types/key-manager.ts';

/** Barbican's limit of a page, unless the operator has set another. */
const PAGE_SIZE = 100;

const SecretPage = z.object({ secrets: z.array(KeySecret), total: z.number(), next: z.string().optional() });
const CreatedSecret = z.object({ secret_ref: z.string() });

export interface KeySecretFilter {
  /** As SQL's LIKE reads it: `%` is any text, `_` any character. */
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

  /** Id of the user who makes secrets here. */
  userId(): Promise<string> {
    return this.#api.userId();
  }

  /** `GET /secrets` of the session's project, the oldest first. Pages are counted: what is deleted meanwhile may hide others from one list. */
  async *secrets(filter: KeySecretFilter = {}, options: ListOptions = {}): AsyncGenerator<KeySecret, void> {
    const { pageSize = PAGE_SIZE, ...call } = options;
    for (let offset = 0; ; ) {
      const query = { ...filter, sort: 'created', limit: pageSize, offset };
      const { secrets, next } = await this.#api.get(SecretPage, '/secrets', { ...call, query });
      yield* secrets;
      offset += secrets.length;
      if (next === undefined || secrets.length === 0) return;
    }
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

  /** `DELETE /secrets/{id}`, whoever uses it. */
  async deleteSecret(id: string, options: CallOptions = {}): Promise<void> {
    await this.#api.send('DELETE', '/secrets/{id}', { ...options, params: { id } });
  }
}
