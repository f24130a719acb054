import type { EndpointSlice } from '@fairway/kube/kinds/generated/types';
import { EndpointSlices } from '@fairway/kube/kinds/resources';
import type { FieldError } from '@fairway/kube/object/field-error';
import { dns1123LabelErrors } from '@fairway/kube/object/names';
import { setDefaults } from '../defaulting.ts';
import { defineKind } from '../define-kind.ts';
import { duplicate, invalidName, oneOf, required } from '../field-errors.ts';
import { AGE, text } from '../printing/column.ts';
import { immutable } from '../validation-common.ts';

const ADDRESS_TYPES = ['FQDN', 'IPv4', 'IPv6'];
const PROTOCOLS = ['SCTP', 'TCP', 'UDP'];
const MAX_ENDPOINTS = 1000;
const MAX_PORTS = 20_000;

function sliceErrors({ addressType, endpoints = [], ports = [] }: EndpointSlice): FieldError[] {
  const errors = oneOf('addressType', addressType, ADDRESS_TYPES, true);
  if (endpoints.length > MAX_ENDPOINTS) errors.push(tooMany('endpoints', endpoints.length, MAX_ENDPOINTS));
  if (ports.length > MAX_PORTS) errors.push(tooMany('ports', ports.length, MAX_PORTS));
  for (const [index, { addresses }] of endpoints.entries()) {
    const field = `endpoints[${index}].addresses`;
    if (!addresses?.length) errors.push(required(field, 'must contain at least 1 address'));
    else if (addresses.length > 100) errors.push(tooMany(field, addresses.length, 100));
  }
  const names = new Set<string>();
  for (const [index, { name = '', protocol }] of ports.entries()) {
    if (name !== '') errors.push(...invalidName(`ports[${index}].name`, name, dns1123LabelErrors(name)));
    if (names.has(name)) errors.push(duplicate(`ports[${index}].name`, name));
    names.add(name);
    errors.push(...oneOf(`ports[${index}].protocol`, protocol, PROTOCOLS, true));
  }
  return errors;
}

function tooMany(field: string, value: number, max: number): FieldError {
  return { type: 'FieldValueTooMany', field, value, detail: `must have at most ${max} items` };
}

function ports({ ports = [] }: EndpointSlice): string {
  if (ports.length === 0) return '<unset>';
  const shown = ports.slice(0, 3).map(({ name, port }) => `${port ?? (name || '*')}`);
  return ports.length > 3 ? `${shown.join(',')} + ${ports.length - 3} more...` : shown.join(',');
}

function endpoints({ endpoints = [] }: EndpointSlice): string {
  const addresses = endpoints.flatMap((endpoint) => endpoint.addresses);
  if (addresses.length === 0) return '<unset>';
  const shown = addresses.slice(0, 3).join(',');
  return addresses.length > 3 ? `${shown} + ${addresses.length - 3} more...` : shown;
}

export const EndpointSliceKind = defineKind(EndpointSlices, {
  definition: 'io.k8s.api.discovery.v1.EndpointSlice',
  strategy: {
    default(slice) {
      slice.endpoints ??= [];
      for (const port of slice.ports ?? []) {
        port.name ??= '';
        setDefaults(port, { protocol: 'TCP' });
      }
    },
    validate: (slice, old) => [
      ...sliceErrors(slice),
      ...(old === undefined ? [] : immutable('addressType', slice.addressType, old.addressType)),
    ],
  },
  columns: [text('AddressType', '.addressType'), text('Ports', ports), text('Endpoints', endpoints), AGE],
});
