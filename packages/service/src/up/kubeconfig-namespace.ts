import { parseKubeconfig } from '@fairway/kube/client/kubeconfig';
import type { Home } from './home.ts';

/**
 * The namespace for the kubeconfig that is about to be written into the home: the one of the kubeconfig that is there, since its user may have
 * changed it (undefined if it names none), else `first`.
 */
export function kubeconfigNamespace(
  home: Pick<Home, 'kubeconfig' | 'read'>,
  first: string | undefined,
): string | undefined {
  const text = home.read(home.kubeconfig);
  if (text === undefined) return first;
  try {
    const { contexts, 'current-context': current } = parseKubeconfig(text);
    return contexts.find(({ name }) => name === current)?.context.namespace;
  } catch {
    // Nothing in it can be kept.
    return first;
  }
}
