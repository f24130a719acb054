import { expect } from 'vitest';
import type { ContractCloud, RawOptions, RawResponse } from './contract-cloud.ts';

/** Requests to Barbican, and the resources that tests need. */
export class KeyCloud {
  readonly #cloud: ContractCloud;

  constructor(cloud: ContractCloud) {
    this.#cloud = cloud;
  }

  /** `path` is relative to the version; text is sent unchanged. */
  call(method: string, path: string, body?: object | string, options: RawOptions = {}): Promise<RawResponse> {
    return this.#cloud.raw('key-manager', method, path, { ...(body !== undefined && { body }), ...options });
  }

  /** Creates an object, and returns its reference and path; it is deleted after the test. */
  async make(collection: 'secrets' | 'containers', body: object): Promise<{ ref: string; path: string; id: string }> {
    const response = await this.call('POST', `/${collection}`, body);
    if (response.status !== 201) throw new Error(`POST /${collection} got ${response.status}: ${response.text}`);
    const ref = Object.values(response.json as Record<string, string>)[0] ?? '';
    const id = ref.split('/').at(-1) ?? '';
    const path = `/${collection}/${id}`;
    this.#cloud.defer(() => this.call('DELETE', path));
    return { ref, path, id };
  }

  secret(fields: object = {}): Promise<{ ref: string; path: string; id: string }> {
    return this.make('secrets', { name: this.#cloud.name(), ...fields });
  }

  text(payload: string, fields: object = {}): Promise<{ ref: string; path: string; id: string }> {
    return this.secret({ payload, payload_content_type: 'text/plain', ...fields });
  }

  /** Options for a call as another user. */
  async as(who: 'other' | 'reader'): Promise<{ readonly token: string; readonly userId: string }> {
    const client = who === 'other' ? this.#cloud.other : this.#cloud.reader;
    const token = await client?.session.token();
    if (token === undefined) throw new Error(`there is no ${who}`);
    return { token: token.id, userId: token.token.user.id };
  }
}

/** Expects an error in Barbican's format. */
export function expectKeyError(response: RawResponse, status: number, description: string | RegExp | null): void {
  expect({ status: response.status, body: response.json }).toEqual({
    status,
    body: {
      code: status,
      title: TITLES[status],
      description: description instanceof RegExp ? expect.stringMatching(description) : description,
    },
  });
}

const TITLES: Readonly<Record<number, string>> = {
  400: 'Bad Request',
  403: 'Forbidden',
  404: 'Not Found',
  405: 'Method Not Allowed',
  406: 'Not Acceptable',
  409: 'Conflict',
  413: 'Request Entity Too Large',
  415: 'Unsupported Media Type',
};
