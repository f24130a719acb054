import type { Token } from '@fairway/openstack/types/identity';

/** Whether the holder of a token may validate those of others, by Keystone's own rule. It can't be tried with the token itself, which anybody may validate who has it. */
export function mayValidate({ roles, system }: Token): boolean {
  const names = roles.map(({ name }) => name);
  return names.includes('admin') || names.includes('service') || (system?.all === true && names.includes('reader'));
}
