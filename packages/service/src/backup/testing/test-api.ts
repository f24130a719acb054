import { KINDS } from '@fairway/api/kinds/all';
import { resourceDefinition } from '@fairway/api/server/resource-definitions';
import { authKinds } from '@fairway/apiserver/auth/auth-kinds';
import type { UserInfo } from '@fairway/apiserver/auth/user';
import { MANAGEMENT_KINDS } from '@fairway/apiserver/kinds/builtin-kinds';
import { builtinDefinitions } from '@fairway/apiserver/kinds/definitions';
import { ApiServer } from '@fairway/apiserver/server/api-server';
import { MemoryStore } from '@fairway/apiserver/store/memory-store';
import { systemClock } from '@fairway/base/clock';
import { KubeClient } from '@fairway/kube/client/kube-client';
import type { Transport, TransportRequest } from '@fairway/kube/client/transport';
import { apiVersionOf, type KubeObject, type ResourceType } from '@fairway/kube/object/meta';

const ADMIN: UserInfo = { username: 'admin', groups: ['system:masters', 'system:authenticated'] };

/** Thrown on every call after the simulated kill. */
export class KilledError extends Error {
  override readonly name = 'Killed';
}

/** Fairway's API in memory, without controllers. */
export class TestApi {
  readonly server: ApiServer;
  readonly client: KubeClient;

  constructor(gitVersion = 'v1.34.0+fairway-0.0.0') {
    this.server = new ApiServer({
      store: new MemoryStore(),
      resources: [...authKinds(MANAGEMENT_KINDS), ...KINDS.map((kind) => resourceDefinition(kind))],
      definitions: builtinDefinitions(),
      clock: systemClock,
      version: { gitVersion, major: '1', minor: '34' },
    });
    this.client = new KubeClient(this.server.transport(ADMIN));
  }

  create<T extends KubeObject>(type: ResourceType<T>, object: T): Promise<T> {
    return this.client.resource(type).create({ ...object, apiVersion: apiVersionOf(type), kind: type.kind });
  }

  async setStatus<T extends KubeObject>(type: ResourceType<T>, object: T, status: object): Promise<void> {
    const { name = '', namespace = '' } = object.metadata;
    const options = { namespace, subresource: 'status' };
    await this.client.resource(type).patch(name, { type: 'merge', value: { status } }, options);
  }

  /**
   * A client whose process is killed at its `count`th write: either before the server receives the write, or after that
   * but before the response. `onWrite` is called after every write that the server received.
   */
  killableClient(count: number, shouldKill: 'before' | 'after', onWrite: () => void = () => {}): KubeClient {
    const inner = this.server.transport(ADMIN);
    let writes = 0;
    let isDead = false;
    const transport: Transport = {
      async request(request: TransportRequest) {
        if (isDead) throw new KilledError();
        if (request.method === 'GET') return inner.request(request);
        writes += 1;
        isDead = writes === count;
        if (isDead && shouldKill === 'before') throw new KilledError();
        const response = await inner.request(request);
        onWrite();
        if (isDead) throw new KilledError();
        return response;
      },
      close: () => inner.close(),
    };
    return new KubeClient(transport);
  }

  close(): Promise<void> {
    return this.server.close();
  }
}
