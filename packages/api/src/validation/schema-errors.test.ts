import { describe, expect, it } from 'vitest';
import { clusters } from '../kinds/cluster.ts';
import { nodePools } from '../kinds/node-pool.ts';
import { parseObject } from './schema-errors.ts';

const metadata = { name: 'x', namespace: 'team' };

describe('parseObject', () => {
  it('sets defaults like an API server', () => {
    const parsed = parseObject(nodePools, { metadata, spec: { clusterName: 'demo', flavor: 'b3-8' } });
    expect(parsed).toMatchObject({
      ok: true,
      object: {
        apiVersion: 'fairway.dev/v1alpha1',
        kind: 'NodePool',
        spec: {
          replicas: 1,
          minReplicas: 0,
          antiAffinity: false,
          autoscaling: { enabled: false, scaleDownUtilizationThreshold: '0.5', scaleDownUnneededTime: '10m' },
          template: { spec: { unschedulable: false } },
        },
      },
    });
  });

  it.each([
    [{ replicas: -1 }, 'FieldValueInvalid', 'spec.replicas'],
    [{ replicas: 'three' }, 'FieldValueTypeInvalid', 'spec.replicas'],
    [{ flavor: undefined }, 'FieldValueRequired', 'spec.flavor'],
    [
      { template: { spec: { taints: [{ key: 'a', effect: 'Never' }] } } },
      'FieldValueNotSupported',
      'spec.template.spec.taints[0].effect',
    ],
    [{ availabilityZones: Array.from({ length: 11 }, String) }, 'FieldValueTooMany', 'spec.availabilityZones'],
    [{ image: 'x'.repeat(256) }, 'FieldValueTooLong', 'spec.image'],
    [
      { autoscaling: { scaleDownUtilizationThreshold: '1.5' } },
      'FieldValueInvalid',
      'spec.autoscaling.scaleDownUtilizationThreshold',
    ],
  ])('refuses %j as %s at %s', (change, type, field) => {
    const parsed = parseObject(nodePools, { metadata, spec: { clusterName: 'demo', flavor: 'b3-8', ...change } });
    expect(parsed).toMatchObject({ ok: false, errors: [{ type, field }] });
  });

  it.each([
    ['10.9.0.1/16', 'host bits'],
    ['10.9.0.0', 'IPv4 network'],
    ['10.9.0.256/16', 'IPv4 network'],
    ['10.9.0.0/33', 'IPv4 network'],
  ])('rejects the range %s', (podCIDR, detail) => {
    const parsed = parseObject(clusters, { metadata, spec: { podCIDR } });
    expect(parsed).toMatchObject({
      ok: false,
      errors: [{ field: 'spec.podCIDR', detail: expect.stringContaining(detail) }],
    });
  });
});
