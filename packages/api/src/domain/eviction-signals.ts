/** Kubelet eviction signals that tenants can set. */
export const EVICTION_SIGNALS: readonly string[] = [
  'memory.available',
  'nodefs.available',
  'nodefs.inodesFree',
  'imagefs.available',
  'imagefs.inodesFree',
  'pid.available',
];
