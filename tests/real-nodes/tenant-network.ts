import type { KubeClient } from '@fairway/kube/client/kube-client';
import type { ConfigMap, DaemonSet, Node } from '@fairway/kube/kinds/generated/types';
import { ConfigMaps, DaemonSets } from '@fairway/kube/kinds/resources';

/** Built by the testbed; there is no other image. */
export const BUSYBOX = 'docker.io/library/busybox:1.35';

/**
 * A bridge on each node, with addresses from the node's own range. On request, traffic from pods has the node's address
 * outside the node. Ports on the node are forwarded to pods that request them.
 */
function cni(ipMasq: boolean): object {
  const ipam = { type: 'host-local', ranges: [[{ subnet: 'POD_CIDR' }]] };
  const bridge = { type: 'bridge', bridge: 'cni0', isDefaultGateway: true, ipMasq, ipam };
  const portmap = { type: 'portmap', capabilities: { portMappings: true } };
  return { cniVersion: '0.4.0', name: 'tenant', plugins: [bridge, portmap] };
}

/** Configures CNI on its node, and routes to the pods of the other nodes. */
const SCRIPT = `set -eu
while read -r name range address; do
  if [ "$name" = "$NODE_NAME" ]; then
    sed "s|POD_CIDR|$range|" /tenant/cni.json > /cni/new
    mv /cni/new /cni/10-tenant.conflist
  else
    ip route replace "$range" via "$address"
  fi
done < /tenant/nodes
trap exit TERM
tail -f /dev/null & wait
`;

const metadata = { name: 'tenant-network', namespace: 'kube-system' };

/**
 * Installs a minimal pod network in a tenant's cluster: routes between nodes in one network. With `ipMasq`, pods can
 * reach hosts that have no route back to them.
 */
export async function installTenantNetwork(
  client: KubeClient,
  nodes: readonly Node[],
  { ipMasq = false } = {},
): Promise<void> {
  const { configMap, daemonSet } = tenantNetwork(nodes, ipMasq);
  await client.resource<ConfigMap>(ConfigMaps).create(configMap);
  await client.resource<DaemonSet>(DaemonSets).create(daemonSet);
}

function tenantNetwork(
  nodes: readonly Node[],
  ipMasq: boolean,
): { readonly configMap: ConfigMap; readonly daemonSet: DaemonSet } {
  const lines = nodes.map(
    ({ metadata: { name }, spec, status }) =>
      `${name} ${spec?.podCIDR} ${status?.addresses?.find(({ type }) => type === 'InternalIP')?.address}\n`,
  );
  const labels = { app: metadata.name };
  const hostPath = (path: string) => ({ hostPath: { path, type: 'DirectoryOrCreate' } });
  return {
    configMap: {
      metadata,
      data: { nodes: lines.join(''), 'cni.json': JSON.stringify(cni(ipMasq)), configure: SCRIPT },
    },
    daemonSet: {
      metadata,
      spec: {
        selector: { matchLabels: labels },
        template: {
          metadata: { labels },
          spec: {
            hostNetwork: true,
            tolerations: [{ operator: 'Exists' }],
            containers: [
              {
                name: 'configure',
                image: BUSYBOX,
                command: ['sh', '/tenant/configure'],
                env: [{ name: 'NODE_NAME', valueFrom: { fieldRef: { fieldPath: 'spec.nodeName' } } }],
                securityContext: { capabilities: { add: ['NET_ADMIN'] } },
                volumeMounts: [
                  { name: 'tenant', mountPath: '/tenant' },
                  { name: 'cni', mountPath: '/cni' },
                ],
              },
            ],
            volumes: [
              { name: 'tenant', configMap: { name: metadata.name } },
              { name: 'cni', ...hostPath('/etc/cni/net.d') },
            ],
          },
        },
      },
    },
  };
}
