/**
 * The image registry. Nodes try the operator's mirrors of the registry first (`registryMirrors` in the node
 * settings).
 */
export const REGISTRY = 'registry.k8s.io';
