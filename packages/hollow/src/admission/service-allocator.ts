import { prepareServiceUpdate } from '@fairway/apiserver/kinds/core/service';
import type { AdmissionPlugin } from '@fairway/apiserver/server/admission';
import type { ObjectReader } from '@fairway/kube/client/object-reader';
import type { Service, ServicePort } from '@fairway/kube/kinds/generated/types';
import { Services } from '@fairway/kube/kinds/resources';
import { ApiError } from '@fairway/kube/object/api-error';
import { invalid } from '@fairway/kube/object/field-error';
import { Address4 } from 'ip-address';
import type { PendingWrites } from './pending-writes.ts';
import { writtenObject } from './plugin.ts';

const FIRST_NODE_PORT = 30_000;
const LAST_NODE_PORT = 32_767;

export interface ServiceAllocatorOptions {
  readonly reader: () => ObjectReader;
  /** IPs and ports (`address` or `protocol/port`) allocated to Services that are not stored yet. */
  readonly pending: PendingWrites<readonly string[]>;
  readonly random: () => number;
  readonly serviceCidr: string;
}

interface Allocations {
  readonly addresses: ReadonlySet<string>;
  readonly nodePorts: ReadonlySet<string>;
}

/**
 * Allocates cluster IPs and node ports. Used addresses and ports are read from the Services themselves, so nothing leaks when one is deleted and
 * nothing is rebuilt after a restart; recent allocations are tracked separately until their Services are stored.
 */
export function serviceAllocator(options: ServiceAllocatorOptions): AdmissionPlugin {
  const allocator = new Allocator(options);
  return {
    name: 'ServiceAllocator',
    settle(request) {
      const service = writtenObject(request, Services);
      if (service !== undefined) allocator.settle(service, request.oldObject as Service | undefined, request.dryRun);
    },
  };
}

class Allocator {
  readonly #options: ServiceAllocatorOptions;
  readonly #first: bigint;
  readonly #size: number;
  #allocated: (Allocations & { readonly revision: number }) | undefined;

  constructor(options: ServiceAllocatorOptions) {
    this.#options = options;
    const range = new Address4(options.serviceCidr);
    this.#first = range.startAddress().bigInt() + 1n;
    this.#size = Number(range.endAddress().bigInt() - this.#first);
  }

  settle(service: Service, old: Service | undefined, dryRun: boolean): void {
    if (old !== undefined) prepareServiceUpdate(service, old);
    const { spec } = service;
    if (spec.type === 'ExternalName') return;
    const assigned: string[] = [];
    this.#settleAddress(service, old, assigned);
    if (spec.type === 'NodePort' || spec.type === 'LoadBalancer') this.#settlePorts(service, old, assigned);
    if (assigned.length === 0 || dryRun) return;
    this.#options.pending.set(Services, `${service.metadata.namespace}/${service.metadata.name}`, assigned);
  }

  #settleAddress(service: Service, old: Service | undefined, assigned: string[]): void {
    const { spec } = service;
    spec.clusterIP ||= spec.clusterIPs?.[0] ?? '';
    spec.ipFamilies = spec.ipFamilies?.length ? spec.ipFamilies : ['IPv4'];
    spec.ipFamilyPolicy ||= 'SingleStack';
    if (spec.ipFamilyPolicy === 'RequireDualStack' || spec.ipFamilies.includes('IPv6')) {
      throw refuse(service, 'spec.ipFamilies[0]', spec.ipFamilies[0], 'not configured on this cluster');
    }
    if (spec.clusterIP === '') {
      spec.clusterIP = this.#freeAddress(service);
      assigned.push(spec.clusterIP);
    } else if (spec.clusterIP !== 'None' && spec.clusterIP !== old?.spec.clusterIP) {
      this.#claimAddress(service, spec.clusterIP);
      assigned.push(spec.clusterIP);
    }
    spec.clusterIPs = spec.clusterIPs?.length ? spec.clusterIPs : [spec.clusterIP];
  }

  #claimAddress(service: Service, address: string): void {
    const { serviceCidr } = this.#options;
    const fail = (why: string) =>
      refuse(service, 'spec.clusterIPs', [address], `failed to allocate IP ${address}: ${why}`);
    const isValid = Address4.isValid(address);
    const offset = isValid ? new Address4(address).bigInt() - this.#first : -1n;
    if (offset < 0n || offset >= BigInt(this.#size)) {
      throw fail(`the provided IP (${address}) is not in the valid range. The range of valid IPs is ${serviceCidr}`);
    }
    if (this.#isAllocated(address)) throw fail('provided IP is already allocated');
  }

  /** From the upper band of the range: the lower band is reserved for static addresses (KEP-3070). */
  #freeAddress(service: Service): string {
    const reserved = Math.min(Math.max(16, Math.floor(this.#size / 16)), 256);
    const band = this.#size > reserved ? reserved : 0;
    const address = this.#pick(band, this.#size, (offset) => Address4.fromBigInt(this.#first + BigInt(offset)).address);
    if (address !== undefined) return address;
    const message = `Internal error occurred: failed to allocate a serviceIP: range is full`;
    throw new ApiError(500, 'InternalError', message, { subject: { resource: 'services', name: nameOf(service) } });
  }

  #settlePorts(service: Service, old: Service | undefined, assigned: string[]): void {
    const { spec } = service;
    const needsNodePorts = spec.type === 'NodePort' || spec.allocateLoadBalancerNodePorts !== false;
    const own = new Set((old?.spec.ports ?? []).map(nodePortKey));
    const portsByNumber = new Map<string, number>();
    for (const [index, port] of (spec.ports ?? []).entries()) {
      if (port.nodePort) {
        this.#claimPort(service, `spec.ports[${index}].nodePort`, port, own);
        assigned.push(nodePortKey(port));
      } else if (needsNodePorts) {
        // The same port over TCP and UDP gets the same node port if it is free.
        const shared = portsByNumber.get(`${port.port}`);
        port.nodePort =
          shared !== undefined && !this.#isAllocated(`${port.protocol}/${shared}`, assigned)
            ? shared
            : this.#freePort(service, port, assigned);
        assigned.push(nodePortKey(port));
      }
      if (port.nodePort) portsByNumber.set(`${port.port}`, port.nodePort);
    }
    const wantsHealthCheck = spec.type === 'LoadBalancer' && spec.externalTrafficPolicy === 'Local';
    if (wantsHealthCheck && !spec.healthCheckNodePort) {
      spec.healthCheckNodePort = this.#freePort(service, { protocol: 'TCP' }, assigned);
      assigned.push(`TCP/${spec.healthCheckNodePort}`);
    }
  }

  #claimPort(service: Service, field: string, port: ServicePort, own: ReadonlySet<string>): void {
    const { nodePort = 0 } = port;
    if (nodePort < FIRST_NODE_PORT || nodePort > LAST_NODE_PORT) {
      const detail = `provided port is not in the valid range. The range of valid ports is ${FIRST_NODE_PORT}-${LAST_NODE_PORT}`;
      throw refuse(service, field, nodePort, detail);
    }
    const key = nodePortKey(port);
    if (!own.has(key) && this.#isAllocated(key))
      throw refuse(service, field, nodePort, 'provided port is already allocated');
  }

  #freePort(
    service: Service,
    { protocol = 'TCP' }: Pick<ServicePort, 'protocol'>,
    assigned: readonly string[],
  ): number {
    const size = LAST_NODE_PORT - FIRST_NODE_PORT + 1;
    const key = this.#pick(0, size, (offset) => `${protocol}/${FIRST_NODE_PORT + offset}`, assigned);
    if (key !== undefined) return Number(key.slice(key.indexOf('/') + 1));
    const message = `Internal error occurred: failed to allocate a nodePort: range is full`;
    throw new ApiError(500, 'InternalError', message, { subject: { resource: 'services', name: nameOf(service) } });
  }

  /** The first free key, searching from a random offset. */
  #pick(
    from: number,
    to: number,
    keyOf: (offset: number) => string,
    assigned: readonly string[] = [],
  ): string | undefined {
    const count = to - from;
    const start = Math.floor(this.#options.random() * count);
    for (let step = 0; step < count; step++) {
      const key = keyOf(from + ((start + step) % count));
      if (!this.#isAllocated(key, assigned)) return key;
    }
    return undefined;
  }

  #isAllocated(key: string, assigned: readonly string[] = []): boolean {
    const { addresses, nodePorts } = this.#stored();
    if (addresses.has(key) || nodePorts.has(key) || assigned.includes(key)) return true;
    for (const keys of this.#options.pending.of(Services)) if (keys.includes(key)) return true;
    return false;
  }

  #stored(): Allocations {
    const reader = this.#options.reader();
    const revision = reader.revisionOf(Services);
    if (this.#allocated?.revision === revision) return this.#allocated;
    const addresses = new Set<string>();
    const nodePorts = new Set<string>();
    for (const { spec } of reader.list(Services)) {
      for (const address of spec.clusterIPs ?? []) if (address !== 'None') addresses.add(address);
      for (const port of spec.ports ?? []) if (port.nodePort) nodePorts.add(nodePortKey(port));
      if (spec.healthCheckNodePort) nodePorts.add(`TCP/${spec.healthCheckNodePort}`);
    }
    this.#allocated = { addresses, nodePorts, revision };
    return this.#allocated;
  }
}

function nodePortKey({ protocol = 'TCP', nodePort = 0 }: Pick<ServicePort, 'protocol' | 'nodePort'>): string {
  return `${protocol}/${nodePort}`;
}

function nameOf({ metadata }: Service): string {
  return metadata.name ?? '';
}

function refuse(service: Service, field: string, value: unknown, detail: string): ApiError {
  return invalid(Services, nameOf(service), [{ type: 'FieldValueInvalid', field, value, detail }]);
}
