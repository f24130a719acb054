import { KubeClient } from '@fairway/kube/client/kube-client';
import type { APIService, EndpointSlice, Service } from '@fairway/kube/kinds/generated/types';
import { APIServices, EndpointSlices, Services } from '@fairway/kube/kinds/resources';
import { CUSTOM_RESOURCE_DEFINITIONS } from '../../crd/custom-resource-definition.ts';
import { ALL_KINDS } from '../../kinds/builtin-kinds.ts';
import { builtinDefinitions } from '../../kinds/definitions.ts';
import type { ApiServerOptions } from '../../server/api-server.ts';
import { TestServer } from '../../server/test-server.ts';
import { FakeOutbound } from './fake-outbound.ts';

const RESOURCES = [...ALL_KINDS, CUSTOM_RESOURCE_DEFINITIONS];

/** A server with all kinds on a fake clock, and a Service `ext` that points to a fake network. */
export class AggregatingServer extends TestServer {
  readonly outbound: FakeOutbound;
  readonly client: KubeClient;

  private constructor(outbound: FakeOutbound, options: Partial<ApiServerOptions>) {
    super({
      resources: RESOURCES,
      definitions: builtinDefinitions(),
      random: () => 0.5,
      aggregation: {
        client: outbound,
        checkingClient: outbound,
        identity: () => Promise.resolve(undefined),
      },
      ...options,
    });
    this.outbound = outbound;
    this.client = new KubeClient(this.transport, { clock: this.clock });
  }

  static async open(options: Partial<ApiServerOptions> = {}): Promise<AggregatingServer> {
    const server = new AggregatingServer(new FakeOutbound(), options);
    await server.namespace('ns');
    await server.client
      .resource<Service>(Services)
      .create({ metadata: { namespace: 'ns', name: 'ext' }, spec: { clusterIP: 'None', ports: [{ port: 443 }] } });
    await server.client.resource<EndpointSlice>(EndpointSlices).create(slice());
    return server;
  }

  /** Another process that uses the same store. */
  static reopen(store: ApiServerOptions['store']): AggregatingServer {
    return new AggregatingServer(new FakeOutbound(), { store });
  }

  async register(group: string, spec: Partial<APIService['spec']> = {}, version = 'v1'): Promise<void> {
    await this.client.resource<APIService>(APIServices).create({
      metadata: { name: `${version}.${group}` },
      spec: {
        group,
        version,
        groupPriorityMinimum: 1000,
        versionPriority: 10,
        service: { namespace: 'ns', name: 'ext' },
        ...spec,
      },
    });
    await this.clock.advance(0);
  }

  /** The condition of `v1.GROUP`: `True Passed all checks passed`. */
  async availability(group: string): Promise<string> {
    const { status } = await this.client.resource<APIService>(APIServices).get(`v1.${group}`);
    const condition = status?.conditions?.find(({ type }) => type === 'Available');
    return condition ? `${condition.status} ${condition.reason} ${condition.message}` : '';
  }
}

/** The endpoints of the Service. */
export function slice(labels: Readonly<Record<string, string>> = {}): EndpointSlice {
  return {
    metadata: { namespace: 'ns', name: 'ext', labels: { 'kubernetes.io/service-name': 'ext', ...labels } },
    addressType: 'IPv4',
    endpoints: [{ addresses: ['192.0.2.1'] }],
    ports: [{ name: '', port: 443, protocol: 'TCP' }],
  };
}
