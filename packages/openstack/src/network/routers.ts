import { z } from 'zod';
import type { CallOptions, ServiceApi } from '../service-api.ts';
import { type ExternalGateway, type HostRoute, Router, type RouterCreate, RouterInterface } from '../types/network.ts';
import { NeutronCollection } from './neutron-collection.ts';

export interface RouterUpdate {
  readonly name?: string;
  readonly description?: string;
  readonly admin_state_up?: boolean;
  /** Null removes the gateway. */
  readonly external_gateway_info?: ExternalGateway | null;
  /** Replaces all routes. */
  readonly routes?: readonly HostRoute[];
}

/** `device_owner` values of a port that attaches a router: plain, distributed or highly available. */
export const ROUTER_INTERFACE_OWNERS: readonly string[] = [
  'network:router_interface',
  'network:router_interface_distributed',
  'network:ha_router_replicated_interface',
];

export interface RouterFilter {
  readonly status?: string;
}

/** The gateway address of a subnet, or a port with its own address. */
export type RouterInterfaceTarget = { readonly subnet_id: string } | { readonly port_id: string };

const RouterEnvelope = z.object({ router: Router });

/** https://docs.openstack.org/api-ref/network/v2/#routers-routers */
export class Routers extends NeutronCollection<Router, RouterCreate, RouterUpdate, RouterFilter> {
  constructor(api: ServiceApi) {
    super(api, { plural: 'routers', singular: 'router' }, Router);
  }

  /** `PUT /routers/{router_id}/add_router_interface`; `conflict` if it already exists. */
  async addInterface(id: string, target: RouterInterfaceTarget, options: CallOptions = {}): Promise<RouterInterface> {
    const call = { ...options, params: this.params(id), body: target };
    return this.api.put(RouterInterface, `${this.itemPath}/add_router_interface`, call);
  }

  /**
   * `PUT /routers/{router_id}/add_extraroutes` (extraroute-atomic extension): adds all or none, and keeps existing
   * routes. `badRequest` beyond the cloud's max_routes.
   */
  async addRoutes(id: string, routes: readonly HostRoute[], options: CallOptions = {}): Promise<Router> {
    return this.#changeRoutes('add_extraroutes', id, routes, options);
  }

  /** `PUT /routers/{router_id}/remove_extraroutes`: missing routes are ignored. */
  async removeRoutes(id: string, routes: readonly HostRoute[], options: CallOptions = {}): Promise<Router> {
    return this.#changeRoutes('remove_extraroutes', id, routes, options);
  }

  async #changeRoutes(
    action: 'add_extraroutes' | 'remove_extraroutes',
    id: string,
    routes: readonly HostRoute[],
    options: CallOptions,
  ): Promise<Router> {
    const call = { ...options, params: this.params(id), body: { router: { routes } }, idempotent: true };
    return (await this.api.put(RouterEnvelope, `${this.itemPath}/${action}`, call)).router;
  }

  /**
   * `PUT /routers/{router_id}/remove_router_interface`; `conflict` while a floating IP needs it, `notFound` if it no
   * longer exists.
   */
  async removeInterface(
    id: string,
    target: RouterInterfaceTarget,
    options: CallOptions = {},
  ): Promise<RouterInterface> {
    const call = { ...options, params: this.params(id), body: target };
    return this.api.put(RouterInterface, `${this.itemPath}/remove_router_interface`, call);
  }
}
