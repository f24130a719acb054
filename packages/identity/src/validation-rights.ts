import type { Token } from '@fairway/openstack/types/identity';

/**
 * Whether the holder of a token may validate other users' tokens, by Keystone's own rule. This cannot be tested with
 * the holder's own token, which the holder may always validate.
 */
export function mayValidate({ roles, system }: Token): boolean {
  const names = roles.map(({ name }) => name);
  return names.includes('admin') || names.includes('service') || (system?.all === true && names.includes('reader'));
}
