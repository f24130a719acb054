import { expect } from 'vitest';
import type { ContractCloud, RawAnswer } from './contract-cloud.ts';

/** A share, a snapshot or another object of Manila. */
export interface Shown {
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
  readonly #who: CallOptions['as'];

  /** Calls are made as the member unless `who` names another. */
  constructor(cloud: ContractCloud, who?: CallOptions['as']) {
    this.#cloud = cloud;
    this.#who = who;
  }

  async call(
    method: string,
    path: string,
    body?: object | string,
    { version = '2.73', as = this.#who }: CallOptions = {},
  ): Promise<RawAnswer> {
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

  /** The object with that name in the response; throws unless the call succeeds. */
  async expect(key: string, method: string, path: string, body?: object, options?: CallOptions): Promise<Shown> {
    const answer = await this.call(method, path, body, options);
    const object = (answer.json as Record<string, Shown> | undefined)?.[key];
    if (answer.status >= 300 || object === undefined) {
      throw new Error(`${method} ${path} got ${answer.status}: ${answer.text}`);
    }
    return object;
  }

  /** The share or snapshot once it has that status. */
  async settled(path: string, status = 'available'): Promise<Shown> {
    const key = path.startsWith('/snapshots') ? 'snapshot' : 'share';
    return this.#cloud.until(`${path} is ${status}`, async () => {
      const shown = await this.expect(key, 'GET', path);
      return shown.status === status ? shown : undefined;
    });
  }

  /** Once it is available with this size in GiB: the status changes a moment after the request. */
  async sized(path: string, size: number): Promise<Shown> {
    return this.#cloud.until(`${path} has ${size} GiB`, async () => {
      const shown = await this.expect('share', 'GET', path);
      return shown.status === 'available' && shown.size === size ? shown : undefined;
    });
  }

  async gone(path: string): Promise<void> {
    await this.#cloud.until(`${path} is gone`, async () =>
      (await this.call('GET', path)).status === 404 ? true : undefined,
    );
  }

  /** An available share of 1 GiB, deleted with its snapshots after the test. */
  async share(fields: object = {}): Promise<{ readonly id: string; readonly path: string }> {
    const body = { share: { share_proto: 'NFS', size: 1, name: this.#cloud.name(), ...fields } };
    const { id } = await this.expect('share', 'POST', '/shares', body);
    const path = `/shares/${id}`;
    this.deferDeletion(path);
    await this.settled(path);
    return { id, path };
  }

  async snapshot(shareId: string): Promise<{ readonly id: string; readonly path: string }> {
    const body = { snapshot: { share_id: shareId, name: this.#cloud.name() } };
    const { id } = await this.expect('snapshot', 'POST', '/snapshots', body);
    const path = `/snapshots/${id}`;
    this.deferDeletion(path);
    await this.settled(path);
    return { id, path };
  }

  deferDeletion(path: string): void {
    this.#cloud.defer(() =>
      this.#cloud.until(`${path} is deleted`, async () =>
        (await this.call('DELETE', path)).status === 404 ? true : undefined,
      ),
    );
  }

  /** An action on a share. */
  act(path: string, body: object | string, options?: CallOptions): Promise<RawAnswer> {
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

/** An error in Manila's form. */
export function expectShareError(answer: RawAnswer, status: number, message: string | RegExp): void {
  expect({ status: answer.status, body: answer.json }).toEqual({
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
