/**
 * The Kubernetes version in `status.upgrade.target` of a NodePool: the digest that follows it is not human-readable.
 */
export function versionOfTarget(target: string): string {
  return target.replace(/-[0-9a-f]{8}$/, '');
}
