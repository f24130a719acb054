import { Controller } from '@fairway/kube/controller/controller';
import { Nodes } from '@fairway/kube/kinds/resources';
import { Address4 } from 'ip-address';
import type { ControllerContext } from '../context.ts';

/** --node-cidr-mask-size-ipv4. */
const NODE_PREFIX = 24;

/** Allocates every node's pod CIDR: `spec.podCIDR` (pkg/controller/nodeipam, range allocator). */
export function nodeIpamController(context: ControllerContext): Controller {
  const { client, informers, clock, random, log, podCidr } = context;
  const nodes = informers.informer(Nodes);
  const events = context.events('cidrAllocator');
  const range = new Address4(podCidr);
  const prefix = Math.max(NODE_PREFIX, range.subnetMask);
  const first = range.startAddress().bigInt();
  const size = 2n ** BigInt(32 - prefix);
  const count = 2 ** (prefix - range.subnetMask);
  /** Allocated, but possibly missing from the cache. */
  const assigned = new Map<string, string>();
  let next = 0;

  function allocate(): string | undefined {
    const taken = new Set([...assigned.values(), ...nodes.list().flatMap(({ spec }) => spec.podCIDRs ?? [])]);
    for (let step = 0; step < count; step++) {
      const index = (next + step) % count;
      const cidr = `${Address4.fromBigInt(first + BigInt(index) * size).address}/${prefix}`;
      if (taken.has(cidr)) continue;
      next = index + 1;
      return cidr;
    }
    return undefined;
  }

  const controller = new Controller({
    name: 'node-ipam',
    clock,
    random,
    log,
    async reconcile(name) {
      const node = nodes.get(name);
      if (node === undefined || node.spec.podCIDR) {
        assigned.delete(name);
        return {};
      }
      const podCIDR = assigned.get(name) ?? allocate();
      if (podCIDR === undefined) {
        events.normal(node, 'CIDRNotAvailable', `Node ${name} status is now: CIDRNotAvailable`);
        throw new Error(`the pod network ${podCidr} has no room for another node`);
      }
      assigned.set(name, podCIDR);
      const value = { metadata: { uid: node.metadata.uid }, spec: { podCIDR, podCIDRs: [podCIDR] } };
      await client.resource(Nodes).patch(name, { type: 'merge', value });
      return {};
    },
  });
  return controller.watch(nodes, undefined, { isRelevant: (old, node) => old.spec.podCIDR !== node.spec.podCIDR });
}
