import { createServer, request, type ServerResponse } from 'node:http';
import { createInterface } from 'node:readline';
import type { FleetCloud, ListedServer } from '@fairway/hollow/node/hollow-node-fleet';
import type { Cloud } from '@fairway/simulator/cloud';
import { serverOwner } from '@fairway/tenancy/cloud/ownership';

/** A line of the stream: a running server with its cluster, or the ID of a stopped one. */
type ServerEvent =
  | { readonly type: 'runs'; readonly clusterUid: string; readonly server: ListedServer }
  | { readonly type: 'gone'; readonly id: string };

/**
 * Streams the running servers, and changes to them, over each connection to the Unix socket. Listing ten thousand
 * servers every other second would dominate the load.
 */
export function streamServers(cloud: Cloud, socket: string): Promise<void> {
  const server = createServer((_, response) => follow(cloud, response));
  return new Promise((resolve) => {
    server.listen(socket, resolve);
  });
}

function follow(cloud: Cloud, response: ServerResponse): void {
  response.flushHeaders();
  const send = (line: ServerEvent) => response.write(`${JSON.stringify(line)}\n`);
  const unsubscribe = [
    cloud.onServerActive(({ id, name, imageId, metadata, tags }) => {
      const clusterUid = serverOwner({ tags })?.clusterUid;
      if (clusterUid === undefined) return;
      send({
        type: 'runs',
        clusterUid,
        server: { id, name, status: 'ACTIVE', imageId: imageId ?? undefined, metadata },
      });
    }),
    cloud.onServerDown(({ id }) => send({ type: 'gone', id })),
  ];
  response.once('close', () => {
    for (const unsubscribeListener of unsubscribe) unsubscribeListener();
  });
}

/** Follows the stream, and returns a function that lists the servers whose clusters `isAssigned` accepts. */
export function followServers(
  socketPath: string,
  { isAssigned, onChange }: { readonly isAssigned: (clusterUid: string) => boolean; readonly onChange: () => void },
): FleetCloud['list'] {
  const servers = new Map<string, ListedServer>();
  const call = request({ socketPath }, (response) => {
    const lines = createInterface(response);
    lines.on('line', (text) => {
      const line = JSON.parse(text) as ServerEvent;
      if (line.type === 'runs' && isAssigned(line.clusterUid)) servers.set(line.server.id, line.server);
      else if (line.type === 'runs' || !servers.delete(line.id)) return;
      onChange();
    });
    // The cloud's process is stopped first.
    lines.on('error', () => {});
  });
  call.end();
  return async function* list() {
    yield* servers.values();
  };
}
