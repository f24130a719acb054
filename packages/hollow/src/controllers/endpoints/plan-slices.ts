import type { Endpoint, EndpointSlice } from '@fairway/kube/kinds/generated/types';
import { canonicalJson, jsonEqual } from '@fairway/kube/object/json';
import type { EndpointGroup } from './endpoints-of-service.ts';

/** --max-endpoints-per-slice. */
const MAX_ENDPOINTS = 100;

export interface SlicePlan {
  readonly create: readonly EndpointGroup[];
  readonly update: readonly EndpointSlice[];
  readonly remove: readonly EndpointSlice[];
}

/**
 * Packs endpoints into slices with few writes: each stays in its slice, new ones fill free capacity, and only the
 * remainder gets new slices. A Service without endpoints keeps one empty slice.
 */
export function planSlices(groups: readonly EndpointGroup[], existing: readonly EndpointSlice[]): SlicePlan {
  const create: EndpointGroup[] = [];
  const update: EndpointSlice[] = [];
  const used = new Set<EndpointSlice>();
  for (const { ports, endpoints } of groups.length > 0 ? groups : [{ ports: [], endpoints: [] }]) {
    const key = canonicalJson(ports);
    const slices = existing.filter(
      (slice) => canonicalJson(slice.ports ?? []) === key || (groups.length === 0 && existing[0] === slice),
    );
    const missing = new Map(endpoints.map((endpoint) => [idOf(endpoint), endpoint]));
    const kept = slices.map((slice) => {
      const retained = (slice.endpoints ?? []).flatMap((endpoint) => {
        const desiredEndpoint = missing.get(idOf(endpoint));
        missing.delete(idOf(endpoint));
        return desiredEndpoint ? [desiredEndpoint] : [];
      });
      return { slice, stay: retained };
    });
    const waiting = [...missing.values()];
    for (const [index, { slice, stay }] of kept.entries()) {
      stay.push(...waiting.splice(0, Math.max(0, MAX_ENDPOINTS - stay.length)));
      const isLastResort = index === 0 && endpoints.length === 0 && groups.length === 0;
      if (stay.length === 0 && !isLastResort) continue;
      used.add(slice);
      const desiredPorts = groups.length === 0 ? [] : [...ports];
      if (!jsonEqual(stay, slice.endpoints ?? []) || !jsonEqual(desiredPorts, slice.ports ?? [])) {
        update.push({ ...slice, endpoints: stay, ports: desiredPorts });
      }
    }
    while (waiting.length > 0) create.push({ ports, endpoints: waiting.splice(0, MAX_ENDPOINTS) });
    if (endpoints.length === 0 && kept.length === 0) create.push({ ports, endpoints: [] });
  }
  return { create, update, remove: existing.filter((slice) => !used.has(slice)) };
}

function idOf({ targetRef, addresses }: Endpoint): string {
  return `${targetRef?.uid ?? ''}/${addresses[0] ?? ''}`;
}
