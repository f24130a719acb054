import { KubeClient } from '@fairway/kube/client/kube-client';
import { systemClock } from '@fairway/kube/clock';
import { ALL_KINDS } from '@fairway/kube/kinds/builtin-kinds';
import { builtinDefinitions } from '@fairway/kube/kinds/definitions';
import { ApiServer } from '@fairway/kube/server/api-server';
import { MemoryStore } from '@fairway/kube/store/memory-store';

/** The embedded server with the built-in kinds and nothing beside. */
export function startEmbedded(): { readonly client: KubeClient; readonly server: ApiServer } {
  const server = new ApiServer({
    store: new MemoryStore(),
    resources: ALL_KINDS,
    definitions: builtinDefinitions(),
    clock: systemClock,
    version: { gitVersion: 'v1.36.3+test', major: '1', minor: '36' },
  });
  const user = { username: 'admin', groups: ['system:masters', 'system:authenticated'] };
  return { server, client: new KubeClient(server.transport(user)) };
}
