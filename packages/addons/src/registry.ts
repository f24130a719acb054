/** The registry of images. Nodes try the operator's mirrors of it first (`registryMirrors` in the node settings). */
export const REGISTRY = 'registry.k8s.io';
