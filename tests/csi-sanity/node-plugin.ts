import { readFileSync } from 'node:fs';
import { csiServices, servicesOf } from '@fairway/csi/protocol/services';
import { Server, ServerCredentials, type ServerUnaryCall, type sendUnaryData } from '@grpc/grpc-js';

export interface NodePlugin {
  close(): void;
}

/** The driver's node service, which mounts nothing: csi-sanity requests its server ID, and cleans up through it. */
export async function serveNodePlugin(
  path: string,
  { serverID, zone }: { readonly serverID: string; readonly zone: string },
): Promise<NodePlugin> {
  const { Node = {} } = servicesOf(readFileSync(new URL('./node.proto', import.meta.url), 'utf8'));
  const server = new Server();
  server.addService(Node, {
    NodeGetInfo: respondWith({
      node_id: serverID,
      accessible_topology: { segments: { 'topology.cinder.csi.openstack.org/zone': zone } },
    }),
    NodeGetCapabilities: respondWith({}),
    NodeUnpublishVolume: respondWith({}),
  });
  server.addService(csiServices().Identity, {
    GetPluginInfo: respondWith({ name: 'cinder.csi.openstack.org', vendor_version: 'test' }),
    GetPluginCapabilities: respondWith({}),
    Probe: respondWith({}),
  });
  await new Promise<void>((resolve, reject) => {
    server.bindAsync(`unix:${path}`, ServerCredentials.createInsecure(), (error) =>
      error ? reject(error) : resolve(),
    );
  });
  return { close: () => server.forceShutdown() };
}

function respondWith(response: object) {
  return (_: ServerUnaryCall<object, object>, done: sendUnaryData<object>) => done(null, response);
}
