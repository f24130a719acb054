import { expect } from 'vitest';
import type { ContractCloud, RawResponse } from './contract-cloud.ts';

/** A share, a snapshot or another Manila object. */
export interface ShownResource {
  readonly id: string;
  readonly status: string;
  readonly [field: string]: unknown;
}

export interface CallOptions {
  /** The microversion; Zed's newest by default. */
  readonly version?: string;
  readonly as?: 'other' | 'admin';
}

/** Requests to Manila, and the resources that tests need. */
export class ShareCloud {
  readonly #cloud: ContractCloud;
  readonly #user: CallOptions['as'];

  /** Calls are made as the member unless `cloudUser` specifies another user. */
  constructor(cloud: ContractCloud, cloudUser?: CallOptions['as']) {
    this.#cloud = cloud;
    this.#user = cloudUser;
  }

  async call(
    method: string,
    path: string,
    body?: object | string,
    { version = '2.73', as = this.#user }: CallOptions = {},
  ): Promise<RawResponse> {
    const client = as === undefined ? this.#cloud.member : this.#cloud[as];
    const token = await client?.session.token();
    if (token === undefined) throw new Error(`there is no ${as}`);
    const headers = version === '' ? {} : { 'x-openstack-manila-api-version': version };
    return this.#cloud.raw('shared-file-system', method, path, {
      token: token.id,
      headers,
      ...(body !== undefined && { body }),
    });
  }

  /** The object under this name in the response; throws unless the call succeeds. */
  async expect(
    key: string,
    method: string,
    path: string,
    body?: object,
    options?: CallOptions,
  ): Promise<ShownResource> {
    const response = await this.call(method, path, body, options);
    const object = (response.json as Record<string, ShownResource> | undefined)?.[key];
    if (response.status >= 300 || object === undefined) {
      throw new Error(`${method} ${path} got ${response.status}: ${response.text}`);
    }
    return object;
  }

  /** Resolves with the share or snapshot once it has this status. */
  async waitUntilSettled(path: string, status = 'available'): Promise<ShownResource> {
    const key = path.startsWith('/snapshots') ? 'snapshot' : 'share';
    return this.#cloud.waitUntil(`${path} is ${status}`, async () => {
      const shown = await this.expect(key, 'GET', path);
      return shown.status === status ? shown : undefined;
    });
  }

  /** Resolves once the share is available with this size in GiB. The status changes shortly after the request. */
  async waitForSize(path: string, size: number): Promise<ShownResource> {
    return this.#cloud.waitUntil(`${path} has ${size} GiB`, async () => {
      const shown = await this.expect('share', 'GET', path);
      return shown.status === 'available' && shown.size === size ? shown : undefined;
    });
  }

  async waitUntilDeleted(path: string): Promise<void> {
    await this.#cloud.waitUntil(`${path} is gone`, async () =>
      (await this.call('GET', path)).status === 404 ? true : undefined,
    );
  }

  /** Creates an available share of 1 GiB, deleted with its snapshots after the test. */
  async share(fields: object = {}): Promise<{ readonly id: string; readonly path: string }> {
    const body = { share: { share_proto: 'NFS', size: 1, name: this.#cloud.name(), ...fields } };
    const { id } = await this.expect('share', 'POST', '/shares', body);
    const path = `/shares/${id}`;
    this.deferDeletion(path);
    await this.waitUntilSettled(path);
    return { id, path };
  }

  async snapshot(shareId: string): Promise<{ readonly id: string; readonly path: string }> {
    const body = { snapshot: { share_id: shareId, name: this.#cloud.name() } };
    const { id } = await this.expect('snapshot', 'POST', '/snapshots', body);
    const path = `/snapshots/${id}`;
    this.deferDeletion(path);
    await this.waitUntilSettled(path);
    return { id, path };
  }

  deferDeletion(path: string): void {
    this.#cloud.defer(() =>
      this.#cloud.waitUntil(`${path} is deleted`, async () =>
        (await this.call('DELETE', path)).status === 404 ? true : undefined,
      ),
    );
  }

  /** Runs an action on a share. */
  runAction(path: string, body: object | string, options?: CallOptions): Promise<RawResponse> {
    return this.call('POST', `${path}/action`, body, options);
  }
}

const FAULTS: Readonly<Record<number, string>> = {
  400: 'badRequest',
  403: 'forbidden',
  404: 'itemNotFound',
  409: 'conflictingRequest',
  413: 'overLimit',
};

/** Expects an error in Manila's format. */
export function expectShareError(response: RawResponse, status: number, message: string | RegExp): void {
  expect({ status: response.status, body: response.json }).toEqual({
    status,
    body: {
      [FAULTS[status] ?? 'computeFault']: {
        code: status,
        message: message instanceof RegExp ? expect.stringMatching(message) : message,
        ...(status === 413 && { retryAfter: '0' }),
      },
    },
  });
}
