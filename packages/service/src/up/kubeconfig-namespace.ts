import { parseKubeconfig } from '@fairway/kube/client/kubeconfig';
import type { Home } from './home.ts';

/**
 * The namespace for the kubeconfig that is about to be written to the home: the namespace in the existing kubeconfig,
 * because the user may have changed it (undefined if that kubeconfig has none), or else `first`.
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
    // The existing file contains nothing to keep.
    return first;
  }
}
