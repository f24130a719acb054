import { DeviceClasses, ResourceClaims, ResourceClaimTemplates, ResourceSlices } from '@fairway/kube/kinds/resources';
import { defineKind } from '../define-kind.ts';
import { AGE, text } from '../printing/column.ts';
import { immutable } from '../validation-common.ts';

/**
 * Dynamic resource allocation. Since 1.34, schedulers wait until these kinds are served. Drivers implement it; this
 * server only stores and serves the objects.
 */

const ALLOCATED_STATE = 'allocated';

export const ResourceClaimKind = defineKind(ResourceClaims, {
  definition: 'io.k8s.api.resource.v1.ResourceClaim',
  hasStatus: true,
  hasGeneration: false,
  strategy: {
    statusWritesMetadata: false,
    prepareForCreate(claim) {
      claim.status = {};
    },
    validate: ({ spec }, old) => (old === undefined ? [] : immutable('spec', spec, old.spec)),
  },
  columns: [
    text('State', ({ status }) => {
      const states = [
        ...(status?.allocation ? [ALLOCATED_STATE] : []),
        ...(status?.reservedFor?.length ? ['reserved'] : []),
      ];
      return states.join(',') || 'pending';
    }),
    AGE,
  ],
});

export const ResourceClaimTemplateKind = defineKind(ResourceClaimTemplates, {
  definition: 'io.k8s.api.resource.v1.ResourceClaimTemplate',
  hasGeneration: false,
  strategy: {
    validate: ({ spec }, old) => (old === undefined ? [] : immutable('spec', spec, old.spec)),
  },
  columns: [AGE],
});

export const DeviceClassKind = defineKind(DeviceClasses, {
  definition: 'io.k8s.api.resource.v1.DeviceClass',
  columns: [AGE],
});

export const ResourceSliceKind = defineKind(ResourceSlices, {
  definition: 'io.k8s.api.resource.v1.ResourceSlice',
  strategy: {
    validate: ({ spec }, old) =>
      old === undefined
        ? []
        : [
            ...immutable('spec.nodeName', spec.nodeName, old.spec.nodeName),
            ...immutable('spec.driver', spec.driver, old.spec.driver),
            ...immutable('spec.pool.name', spec.pool.name, old.spec.pool.name),
          ],
  },
  selectableFields: { 'spec.nodeName': '.spec.nodeName', 'spec.driver': '.spec.driver' },
  columns: [text('Node', '.spec.nodeName'), text('Driver', '.spec.driver'), text('Pool', '.spec.pool.name'), AGE],
});
