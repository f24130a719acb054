import { ExtensionServer } from '@fairway/apiserver/aggregation/testing/extension-server';
import type { APIService, EndpointSlice, Service } from '@fairway/kube/kinds/generated/types';
import { APIServices, EndpointSlices, Services } from '@fairway/kube/kinds/resources';
import { isApiError } from '@fairway/kube/object/api-error';
import { eventuallyObject } from '@fairway/kube/testing/eventually';
import { vi } from 'vitest';
import type { ContractServer } from './contract-server.ts';

const PORT = 443;
const WAIT = { timeout: 100_000, interval: 100 };

/** A test's aggregated API server, with its own group, a Service, and an APIService if the test creates one. */
export class Extension implements AsyncDisposable {
  readonly group: string;
  readonly version = 'v1alpha1';
  readonly namespace: string;
  readonly service: string;
  readonly extension: ExtensionServer;
  readonly #server: ContractServer;
  #port = PORT;

  private constructor(server: ContractServer, extension: ExtensionServer, service: string, namespace: string) {
    this.#server = server;
    this.extension = extension;
    this.service = service;
    this.namespace = namespace;
    this.group = `${service}.example.com`;
  }

  static async open(server: ContractServer, namespace: string): Promise<Extension> {
    const service = server.name('ext');
    const extension = await ExtensionServer.open({
      dnsName: `${service}.${namespace}.svc`,
      group: `${service}.example.com`,
      version: 'v1alpha1',
    });
    return new Extension(server, extension, service, namespace);
  }

  /** `v1alpha1.GROUP`. */
  get name(): string {
    return `${this.version}.${this.group}`;
  }

  /** `/apis/GROUP/v1alpha1`. */
  get path(): string {
    return `/apis/${this.group}/${this.version}`;
  }

  /** Points the Service at the extension server. */
  async connect(): Promise<void> {
    const service = { name: this.service, namespace: this.namespace };
    this.#port = await routeService(this.#server, service, this.extension.port);
  }

  async register(spec: Partial<APIService['spec']> = {}): Promise<void> {
    await this.#server.client.resource<APIService>(APIServices).create({
      metadata: { name: this.name },
      spec: {
        group: this.group,
        version: this.version,
        groupPriorityMinimum: 2000,
        versionPriority: 200,
        service: { namespace: this.namespace, name: this.service, port: this.#port },
        caBundle: this.extension.caBundle,
        ...spec,
      },
    });
  }

  /**
   * Connects and registers the server, and waits until it is reported as available; requests are forwarded a moment
   * later.
   */
  static async available(server: ContractServer, namespace: string): Promise<Extension> {
    const extension = await Extension.open(server, namespace);
    await extension.connect();
    await extension.register();
    await extension.waitForCondition('Passed');
    await vi.waitUntil(async () => (await server.raw('GET', extension.path)).status === 200, WAIT);
    return extension;
  }

  /** Resolves with the condition Available once it has this reason. */
  async waitForCondition(reason: string) {
    const services = this.#server.client.resource<APIService>(APIServices);
    const service = await eventuallyObject(
      services,
      { name: this.name },
      (one) => availability(one)?.reason === reason,
    );
    return availability(service);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    try {
      await this.#server.client.resource(APIServices).delete(this.name);
    } catch (error) {
      if (!isApiError(error, 'NotFound')) throw error;
    }
    await this.extension[Symbol.asyncDispose]();
  }
}

function availability({ status }: APIService) {
  return status?.conditions?.find(({ type }) => type === 'Available');
}

/**
 * Creates a Service for a port on this machine, and returns the Service's port. Uses an EndpointSlice if it may
 * contain a loopback address. kube-apiserver refuses such a slice, so there the Service uses the hostname that every
 * machine resolves to itself.
 */
export async function routeService(
  { client }: ContractServer,
  service: { readonly name: string; readonly namespace: string },
  port: number,
): Promise<number> {
  const slice: EndpointSlice = {
    metadata: { ...service, labels: { 'kubernetes.io/service-name': service.name } },
    addressType: 'IPv4',
    endpoints: [{ addresses: ['127.0.0.1'] }],
    ports: [{ name: '', port, protocol: 'TCP' }],
  };
  const services = client.resource<Service>(Services);
  try {
    await client.resource<EndpointSlice>(EndpointSlices).create(slice);
    await services.create({ metadata: service, spec: { ports: [{ port: PORT }] } });
    return PORT;
  } catch (error) {
    if (!isApiError(error, 'Invalid', 'NotFound')) throw error;
    await services.create({ metadata: service, spec: { type: 'ExternalName', externalName: 'localhost' } });
    return port;
  }
}
