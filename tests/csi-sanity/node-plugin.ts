import { readFileSync } from 'node:fs';
import { csiServices, servicesOf } from '@fairway/csi/protocol/services';
import { Server, ServerCredentials, type ServerUnaryCall, type sendUnaryData } from '@grpc/grpc-js';

export interface NodePlugin {
  close(): void;
}

/** The driver's node half, which mounts nothing: csi-sanity asks it which server it is, and cleans up through it. */
export async function serveNodePlugin(
  path: string,
  { serverID, zone }: { readonly serverID: string; readonly zone: string },
): Promise<NodePlugin> {
  const { Node = {} } = servicesOf(readFileSync(new URL('./node.proto', import.meta.url), 'utf8'));
  const server = new Server();
  server.addService(Node, {
    NodeGetInfo: answering({
      node_id: serverID,
      accessible_topology: { segments: { 'topology.cinder.csi.openstack.org/zone': zone } },
    }),
    NodeGetCapabilities: answering({}),
    NodeUnpublishVolume: answering({}),
  });
  server.addService(csiServices().Identity, {
    GetPluginInfo: answering({ name: 'cinder.csi.openstack.org', vendor_version: 'test' }),
    GetPluginCapabilities: answering({}),
    Probe: answering({}),
  });
  await new Promise<void>((resolve, reject) => {
    server.bindAsync(`unix:${path}`, ServerCredentials.createInsecure(), (error) =>
      error ? reject(error) : resolve(),
    );
  });
  return { close: () => server.forceShutdown() };
}

function answering(response: object) {
  return (_: ServerUnaryCall<object, object>, done: sendUnaryData<object>) => done(null, response);
}
