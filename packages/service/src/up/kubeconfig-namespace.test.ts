import { renderKubeconfig } from '@fairway/kube/client/kubeconfig';
import { expect, test } from 'vitest';
import { kubeconfigNamespace } from './kubeconfig-namespace.ts';

const written = (namespace?: string) =>
  renderKubeconfig({ name: 'fairway', server: 'https://127.0.0.1:8443', ...(namespace && { namespace }) });

test.each([
  { reason: 'no kubeconfig yet', text: undefined, namespace: 'first' },
  { reason: 'its own, as it was written', text: written('project'), namespace: 'project' },
  { reason: 'one that its user chose', text: written('team-a'), namespace: 'team-a' },
  { reason: 'none, as earlier releases wrote it', text: written(), namespace: undefined },
  {
    reason: 'that of the current context',
    text: written('project').replace('current-context: fairway', 'current-context: other'),
    namespace: undefined,
  },
  { reason: 'an empty file', text: '', namespace: undefined },
  { reason: 'no kubeconfig at all', text: 'contexts: {', namespace: 'first' },
])('$reason: $namespace', ({ text, namespace }) => {
  expect(kubeconfigNamespace({ kubeconfig: '/home/kubeconfig', read: () => text }, 'first')).toBe(namespace);
});
