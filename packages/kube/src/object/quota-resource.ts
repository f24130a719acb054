/** Legacy names of count quotas, older than `count/…`. */
export const LEGACY_COUNT_NAMES = new Set<string>([
  'pods',
  'services',
  'secrets',
  'configmaps',
  'persistentvolumeclaims',
  'replicationcontrollers',
  'resourcequotas',
]);

/** The kind that a quota's resource counts: `pods` for `requests.cpu`, `deployments.apps` for `count/deployments.apps`. */
export function countedResource(name: string): string {
  if (name.startsWith('count/')) return name.slice('count/'.length);
  if (name === 'requests.storage' || name.includes('.storageclass.storage.k8s.io/')) return 'persistentvolumeclaims';
  if (name.startsWith('services.')) return 'services';
  if (LEGACY_COUNT_NAMES.has(name)) return name;
  return /^(requests|limits)\./.test(name) || ['cpu', 'memory', 'ephemeral-storage'].includes(name) ? 'pods' : '';
}
