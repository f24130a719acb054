import { ALL_KINDS } from '@fairway/apiserver/kinds/builtin-kinds';
import { builtinDefinitions } from '@fairway/apiserver/kinds/definitions';
import { ApiServer } from '@fairway/apiserver/server/api-server';
import { MemoryStore } from '@fairway/apiserver/store/memory-store';
import { systemClock } from '@fairway/base/clock';
import { KubeClient } from '@fairway/kube/client/kube-client';

/** The embedded server with only the built-in kinds. */
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
