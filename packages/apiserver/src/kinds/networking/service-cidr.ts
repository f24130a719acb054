import { isIP } from 'node:net';
import { IPAddresses, ServiceCIDRs } from '@fairway/kube/kinds/resources';
import { defineKind } from '../define-kind.ts';
import { invalidValue, required } from '../field-errors.ts';
import { AGE, text } from '../printing/column.ts';
import { immutable } from '../validation-common.ts';

/** The ranges of Service addresses; hollow clusters keep the range that they are created with. */
export const ServiceCIDRKind = defineKind(ServiceCIDRs, {
  definition: 'io.k8s.api.networking.v1.ServiceCIDR',
  hasStatus: true,
  hasGeneration: false,
  strategy: {
    statusWritesMetadata: false,
    validate: ({ spec }, old) => [
      ...(spec?.cidrs?.length ? [] : [required('spec.cidrs', 'at least one CIDR required')]),
      ...(old === undefined ? [] : immutable('spec', spec, old.spec)),
    ],
  },
  columns: [text('CIDRs', ({ spec }) => (spec?.cidrs ?? []).join(',')), AGE],
});

/** An address that is assigned to a Service. */
export const IPAddressKind = defineKind(IPAddresses, {
  definition: 'io.k8s.api.networking.v1.IPAddress',
  hasGeneration: false,
  strategy: {
    nameErrors: (name) => (isIP(name) === 0 ? ['must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)'] : []),
    validate: ({ spec }, old) => {
      if (old !== undefined) return immutable('spec.parentRef', spec?.parentRef, old.spec?.parentRef);
      return spec?.parentRef?.name ? [] : [invalidValue('spec.parentRef', '', 'it must name its parent')];
    },
  },
  selectableFields: { 'spec.parentRef.name': '.spec.parentRef.name' },
  columns: [
    text('ParentRef', ({ spec }) => {
      const { group, resource, namespace, name } = spec?.parentRef ?? {};
      return [group, resource, namespace, name].filter((part) => part).join('/');
    }),
    AGE,
  ],
});
