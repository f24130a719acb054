import type { Pod, RuntimeClass } from '@fairway/kube/kinds/generated/types';
import { Pods, RuntimeClasses } from '@fairway/kube/kinds/resources';
import { describe, expect, it } from 'vitest';
import { TestCluster } from '../testing/test-cluster.ts';
import { pod } from '../testing/workloads.ts';

const overhead = { podFixed: { cpu: '250m' } };
const toleration = { key: 'kata', operator: 'Exists', effect: 'NoSchedule' };

function created(fields: Partial<RuntimeClass>, spec: Partial<Pod['spec']>) {
  return async (cluster: TestCluster) => {
    await cluster.client.resource(RuntimeClasses).create({ metadata: { name: 'kata' }, handler: 'kata', ...fields });
    return cluster.client.resource(Pods).create(pod('one', { runtimeClassName: 'kata', ...spec }));
  };
}

describe('a pod with a RuntimeClass', () => {
  it('gets its overhead and node selection', async () => {
    await using cluster = await TestCluster.start({ nodes: [] });
    const scheduling = { nodeSelector: { kata: 'yes' }, tolerations: [toleration] };
    const { spec } = await created({ overhead, scheduling }, { nodeSelector: { disk: 'ssd' } })(cluster);
    expect(spec).toMatchObject({ overhead: { cpu: '250m' }, nodeSelector: { disk: 'ssd', kata: 'yes' } });
    expect(spec.tolerations).toContainEqual(toleration);
  });

  it.each([
    {
      fields: { overhead },
      spec: { overhead: { cpu: '1' } },
      message: "pod rejected: Pod's Overhead doesn't match RuntimeClass's defined Overhead",
    },
    {
      fields: {},
      spec: { overhead: { cpu: '1' } },
      message: 'pod rejected: Pod Overhead set without corresponding RuntimeClass defined Overhead',
    },
    {
      fields: { scheduling: { nodeSelector: { kata: 'yes' } } },
      spec: { nodeSelector: { kata: 'no' } },
      message: 'conflict: runtimeClass.scheduling.nodeSelector[kata] = yes; pod.spec.nodeSelector[kata] = no',
    },
    { fields: {}, spec: { runtimeClassName: 'gone' }, message: 'pod rejected: RuntimeClass "gone" not found' },
  ])('is refused: $message', async ({ fields, spec, message }) => {
    await using cluster = await TestCluster.start({ nodes: [] });
    await expect(created(fields, spec)(cluster)).rejects.toMatchObject({
      reason: 'Forbidden',
      message: `pods "one" is forbidden: ${message}`,
    });
  });
});
