import type { KubeClient } from '@fairway/kube/client/kube-client';
import type { EndpointSlice, Node, Service } from '@fairway/kube/kinds/generated/types';
import { EndpointSlices, Services } from '@fairway/kube/kinds/resources';
import { type CommandResult, run } from '../session/running-fairway.ts';

/** Replaces kube-proxy, which the testbed's nodes do not have. */
const CHAIN = 'FAIRWAY-TESTBED';

/**
 * Gives this machine routes to pods and Services through a node. The routes are removed along with the testbed's
 * bridge.
 */
export async function joinNetworks({ status }: Node, ranges: readonly string[]): Promise<void> {
  const address = status?.addresses?.find(({ type }) => type === 'InternalIP')?.address ?? '';
  for (const range of ranges) succeed(await run('ip', ['route', 'replace', range, 'via', address]));
}

/** Writes rules for all Services that have an address and an endpoint. Replaces earlier rules atomically. */
export async function serveServices(
  client: KubeClient,
  runOnNode: (...command: readonly string[]) => Promise<CommandResult>,
): Promise<void> {
  const { items: services } = await client.resource<Service>(Services).list();
  const { items: slices } = await client.resource<EndpointSlice>(EndpointSlices).list();
  const rules = services.flatMap((service) => rulesOf(service, slices));
  const restore = ['*nat', `:${CHAIN} - [0:0]`, ...rules, 'COMMIT', ''].join('\n');
  const script = `printf '%s' "$1" | iptables-restore --noflush
    for hook in PREROUTING OUTPUT; do
      iptables -t nat -C $hook -j ${CHAIN} 2>/dev/null || iptables -t nat -A $hook -j ${CHAIN}
    done`;
  succeed(await runOnNode('bash', '-euc', script, 'bash', restore));
}

function rulesOf({ metadata, spec }: Service, slices: readonly EndpointSlice[]): string[] {
  const own = slices.filter(
    (slice) =>
      slice.metadata.namespace === metadata.namespace &&
      slice.metadata.labels?.['kubernetes.io/service-name'] === metadata.name &&
      // Null if there are no endpoints.
      slice.ports,
  );
  return (spec?.ports ?? []).flatMap(({ name = '', port }) =>
    own.slice(0, 1).flatMap(({ ports = [], endpoints = [] }) => {
      const target = ports.find((each) => (each.name ?? '') === name)?.port;
      const address = endpoints.find(({ conditions }) => conditions?.ready !== false)?.addresses[0];
      if (target === undefined || address === undefined || spec?.clusterIP === undefined) return [];
      return [`-A ${CHAIN} -d ${spec.clusterIP} -p tcp --dport ${port} -j DNAT --to-destination ${address}:${target}`];
    }),
  );
}

function succeed({ code, stderr }: CommandResult): void {
  if (code !== 0) throw new Error(stderr);
}
