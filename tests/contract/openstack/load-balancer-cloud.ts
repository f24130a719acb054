import type { ContractCloud, RawAnswer, RawOptions } from './contract-cloud.ts';

/** An object as shown by Octavia. */
export interface Shown {
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

  call(method: string, path: string, body?: object, options: RawOptions = {}): Promise<RawAnswer> {
    return this.#cloud.raw('load-balancer', method, `/lbaas/${path}`, { body, ...options });
  }

  /** The object in the response, such as the one under `listener`; throws unless the call succeeds. */
  async expect(method: string, path: string, body?: object): Promise<Shown> {
    const answer = await this.call(method, path, body);
    if (answer.status >= 300) throw new Error(`${method} ${path} got ${answer.status}: ${answer.text}`);
    return Object.values(answer.json as Readonly<Record<string, Shown>>)[0] as Shown;
  }

  show(path: string): Promise<Shown> {
    return this.expect('GET', path);
  }

  async list(path: string): Promise<readonly Shown[]> {
    const found: unknown = await this.show(path);
    return found as readonly Shown[];
  }

  /** The load balancer once nothing is pending. */
  async settled(id: string): Promise<Shown> {
    return this.#cloud.until(`load balancer ${id} settles`, async () => {
      const shown = await this.show(`loadbalancers/${id}`);
      return shown.provisioning_status.startsWith('PENDING_') ? undefined : shown;
    });
  }

  /**
   * The response to a change while the load balancer is pending: other changes are sent until one is refused. Changes accepted in
   * between must be harmless when repeated.
   */
  async whilePending(id: string, change: () => Promise<RawAnswer>): Promise<RawAnswer> {
    return this.#cloud.until(`a change meets load balancer ${id} at work`, async () => {
      await this.call('PUT', `loadbalancers/${id}`, { loadbalancer: { description: this.#cloud.name() } });
      const answer = await change();
      return answer.status === 409 && !answer.text.includes('already') ? answer : undefined;
    });
  }

  /** Waits for the 404. */
  async gone(path: string): Promise<void> {
    await this.#cloud.until(`${path} is gone`, async () => {
      return (await this.call('GET', path)).status === 404 ? true : undefined;
    });
  }

  /** An ACTIVE load balancer with its own subnet, deleted after the test. */
  async loadBalancer(fields: object = {}): Promise<Shown> {
    const subnetId = (await this.#cloud.network()).subnetId;
    return this.loadBalancerOn(subnetId, fields);
  }

  async loadBalancerOn(subnetId: string, fields: object = {}): Promise<Shown> {
    const body = { loadbalancer: { name: this.#cloud.name(), vip_subnet_id: subnetId, ...fields } };
    const { id } = await this.expect('POST', 'loadbalancers', body);
    this.deferDeletion(id);
    return this.settled(id);
  }

  deferDeletion(id: string): void {
    this.#cloud.defer(async () => {
      if ((await this.call('GET', `loadbalancers/${id}`)).status === 404) return;
      await this.settled(id).catch(() => undefined);
      await this.call('DELETE', `loadbalancers/${id}?cascade=true`);
      await this.gone(`loadbalancers/${id}`);
    });
  }

  /** Creates a part of the tree, and waits until the load balancer accepts the next change. */
  async make(loadBalancerId: string, path: string, body: object): Promise<Shown> {
    const { id } = await this.expect('POST', path, body);
    await this.settled(loadBalancerId);
    return this.show(`${path}/${id}`);
  }
}
