import { trimmed } from '@fairway/base/trim';
import type { KeystoneUser } from './keystone-user.ts';

export type ProjectRef = NonNullable<KeystoneUser['project']>;

/** `%i` is the ID, `%n` the name, `%d` the name of the domain, as in k8s-keystone-auth's sync. */
export const DEFAULT_NAMESPACE_FORMAT = '%i';
const MAX_LABEL_LENGTH = 63;

/**
 * Validates a naming pattern. Throws an Error with the reason. The pattern must include the ID, because any project can
 * take any name.
 */
export function parseNamespaceFormat(text: string): string {
  if (!text.includes('%i')) throw new Error('must contain %i, the project ID');
  if (!/^[a-z0-9-]+$/.test(text.replaceAll(/%[ind]/g, '')) && text.replaceAll(/%[ind]/g, '') !== '') {
    throw new Error('may only contain %i, %n, %d, lowercase letters, digits and -');
  }
  if (text.startsWith('-') || text.endsWith('-')) throw new Error('must not start or end with -');
  return text;
}

/** A DNS label. If it would be too long, it consists of the ID only, as in k8s-keystone-auth. */
export function namespaceName(format: string, { id, name, domain }: ProjectRef): string {
  const values: Record<string, string> = { i: id, n: label(name), d: label(domain.name) };
  const filled = format.replaceAll(/%([ind])/g, (_, key: string) => values[key] ?? '');
  const text = trimmed(filled, '-');
  return text.length > MAX_LABEL_LENGTH ? id : text;
}

function label(text: string): string {
  return trimmed(text.toLowerCase().replaceAll(/[^a-z0-9]+/g, '-'), '-');
}
