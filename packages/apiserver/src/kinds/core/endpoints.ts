import type { EndpointSubset, Endpoints as EndpointsObject } from '@fairway/kube/kinds/generated/types';
import { Endpoints } from '@fairway/kube/kinds/resources';
import { setDefaults } from '../defaulting.ts';
import { defineKind } from '../define-kind.ts';
import { AGE, text } from '../printing/column.ts';

const MAX_SHOWN = 3;

/** The first addresses with their ports, and the number of remaining addresses. */
function endpointList({ subsets = [] }: EndpointsObject): string {
  const all = subsets.flatMap(hostPorts);
  if (all.length === 0) return '<none>';
  const shown = all.slice(0, MAX_SHOWN).join(',');
  return all.length > MAX_SHOWN ? `${shown} + ${all.length - MAX_SHOWN} more...` : shown;
}

function hostPorts({ addresses = [], ports = [] }: EndpointSubset): string[] {
  if (ports.length === 0) return addresses.map(({ ip }) => ip);
  return ports.flatMap(({ port }) =>
    addresses.map(({ ip }) => (ip.includes(':') ? `[${ip}]:${port}` : `${ip}:${port}`)),
  );
}

export const EndpointsKind = defineKind(Endpoints, {
  definition: 'io.k8s.api.core.v1.Endpoints',
  shortNames: ['ep'],
  hasGeneration: false,
  strategy: {
    default({ subsets }) {
      for (const { ports } of subsets ?? []) for (const port of ports ?? []) setDefaults(port, { protocol: 'TCP' });
    },
  },
  columns: [text('Endpoints', endpointList), AGE],
});
