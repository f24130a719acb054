import type { ContractCloud, RawOptions, RawResponse } from './contract-cloud.ts';

/** An object as shown by Octavia. */
export interface ShownResource {
  readonly id: string;
  readonly name: string;
  readonly provisioning_status: string;
  readonly operating_status: string;
  readonly [field: string]: unknown;
}

/** Requests to Octavia, and the resources that tests need. */
export class LoadBalancerCloud {
  readonly #cloud: ContractCloud;

  constructor(cloud: ContractCloud) {
    this.#cloud = cloud;
  }

  call(method: string, path: string, body?: object, options: RawOptions = {}): Promise<RawResponse> {
    return this.#cloud.raw('load-balancer', method, `/lbaas/${path}`, { body, ...options });
  }

  /** The object in the response, such as the one under `listener`; throws unless the call succeeds. */
  async expect(method: string, path: string, body?: object): Promise<ShownResource> {
    const response = await this.call(method, path, body);
    if (response.status >= 300) throw new Error(`${method} ${path} got ${response.status}: ${response.text}`);
    return Object.values(response.json as Readonly<Record<string, ShownResource>>)[0] as ShownResource;
  }

  show(path: string): Promise<ShownResource> {
    return this.expect('GET', path);
  }

  async list(path: string): Promise<readonly ShownResource[]> {
    const found: unknown = await this.show(path);
    return found as readonly ShownResource[];
  }

  /** Resolves with the load balancer once nothing is pending. */
  async waitUntilSettled(id: string): Promise<ShownResource> {
    return this.#cloud.waitUntil(`load balancer ${id} settles`, async () => {
      const shown = await this.show(`loadbalancers/${id}`);
      return shown.provisioning_status.startsWith('PENDING_') ? undefined : shown;
    });
  }

  /**
   * Sends changes until one is refused because the load balancer is pending, and returns that response. Changes
   * accepted in between must be harmless when repeated.
   */
  async retryWhilePending(id: string, change: () => Promise<RawResponse>): Promise<RawResponse> {
    return this.#cloud.waitUntil(`a change is refused because load balancer ${id} is pending`, async () => {
      await this.call('PUT', `loadbalancers/${id}`, { loadbalancer: { description: this.#cloud.name() } });
      const response = await change();
      return response.status === 409 && !response.text.includes('already') ? response : undefined;
    });
  }

  /** Waits until a read returns 404. */
  async waitUntilDeleted(path: string): Promise<void> {
    await this.#cloud.waitUntil(`${path} is gone`, async () => {
      return (await this.call('GET', path)).status === 404 ? true : undefined;
    });
  }

  /** Creates an ACTIVE load balancer with its own subnet, deleted after the test. */
  async loadBalancer(fields: object = {}): Promise<ShownResource> {
    const subnetId = (await this.#cloud.network()).subnetId;
    return this.loadBalancerOn(subnetId, fields);
  }

  async loadBalancerOn(subnetId: string, fields: object = {}): Promise<ShownResource> {
    const body = { loadbalancer: { name: this.#cloud.name(), vip_subnet_id: subnetId, ...fields } };
    const { id } = await this.expect('POST', 'loadbalancers', body);
    this.deferDeletion(id);
    return this.waitUntilSettled(id);
  }

  deferDeletion(id: string): void {
    this.#cloud.defer(async () => {
      if ((await this.call('GET', `loadbalancers/${id}`)).status === 404) return;
      await this.waitUntilSettled(id).catch(() => undefined);
      await this.call('DELETE', `loadbalancers/${id}?cascade=true`);
      await this.waitUntilDeleted(`loadbalancers/${id}`);
    });
  }

  /** Creates one part of the tree, and waits until the load balancer accepts the next change. */
  async make(loadBalancerId: string, path: string, body: object): Promise<ShownResource> {
    const { id } = await this.expect('POST', path, body);
    await this.waitUntilSettled(loadBalancerId);
    return this.show(`${path}/${id}`);
  }
}
