import { renderKubeconfig } from '@fairway/kube/client/kubeconfig';
import { expect, test } from 'vitest';
import { kubeconfigNamespace } from './kubeconfig-namespace.ts';

const kubeconfigText = (namespace?: string) =>
  renderKubeconfig({ name: 'fairway', server: 'https://127.0.0.1:8443', ...(namespace && { namespace }) });

test.each([
  { reason: 'no kubeconfig yet', text: undefined, namespace: 'first' },
  { reason: 'an unchanged kubeconfig', text: kubeconfigText('project'), namespace: 'project' },
  { reason: 'a namespace that the user selected', text: kubeconfigText('team-a'), namespace: 'team-a' },
  { reason: 'no namespace, as in earlier releases', text: kubeconfigText(), namespace: undefined },
  {
    reason: 'the namespace of the current context',
    text: kubeconfigText('project').replace('current-context: fairway', 'current-context: other'),
    namespace: undefined,
  },
  { reason: 'an empty file', text: '', namespace: undefined },
  { reason: 'an invalid kubeconfig', text: 'contexts: {', namespace: 'first' },
])('$reason: $namespace', ({ text, namespace }) => {
  expect(kubeconfigNamespace({ kubeconfig: '/home/kubeconfig', read: () => text }, 'first')).toBe(namespace);
});
