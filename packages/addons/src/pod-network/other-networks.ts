import type { DaemonSet } from '@fairway/kube/kinds/generated/types';
import { imageNames } from '../image-names.ts';

/** The directory with a node's CNI configuration. */
const CNI_CONFIG = /^\/etc\/cni(\/net\.d)?\/*$/;

/** Components that extend a pod network but are not one themselves. */
const COMPANION_IMAGES: readonly RegExp[] = [
  /^multus/,
  /^whereabouts/,
  /^istio/,
  /^install-cni$/,
  /^(linkerd-)?cni-plugin$/,
];

/** Pod networks that do not write their configuration themselves. */
const NETWORK_IMAGES: readonly RegExp[] = [
  /^calico-node$|^calico\/node$/,
  /^cilium$/,
  /^flannel$/,
  /^kube-router$/,
  /^weave-kube$/,
  /^kube-ovn$/,
  /^ovn-kube/,
  /^antrea-agent/,
];

/**
 * The pod network that a cluster already has, for messages: a second network would assign the same addresses again. It
 * is a DaemonSet that writes CNI configuration on nodes, or that has the image of a known network. Undefined if no such
 * network is found.
 */
export function findOtherNetwork(daemonSets: readonly DaemonSet[]): string | undefined {
  const other = daemonSets.find(isNetwork);
  return other && `DaemonSet ${other.metadata.namespace}/${other.metadata.name}`;
}

function isNetwork({ spec }: DaemonSet): boolean {
  const { containers = [], initContainers = [], volumes = [] } = spec.template.spec ?? {};
  const images = [...initContainers, ...containers].map(({ image = '' }) => image);
  if (images.some((image) => NETWORK_IMAGES.some((network) => imageNames(image).some((name) => network.test(name)))))
    return true;
  const isCompanion = images.some((image) =>
    COMPANION_IMAGES.some((companion) => companion.test(imageNames(image)[0] ?? '')),
  );
  return !isCompanion && volumes.some(({ hostPath }) => CNI_CONFIG.test(hostPath?.path ?? ''));
}
