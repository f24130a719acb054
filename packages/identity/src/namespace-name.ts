import type { KeystoneUser } from './keystone-user.ts';

export type ProjectRef = NonNullable<KeystoneUser['project']>;

/** `%i` id, `%n` name, `%d` name of the domain, as in k8s-keystone-auth's sync. */
export const DEFAULT_NAMESPACE_FORMAT = '%i';
const MAX_LABEL = 63;

/** Throws an Error that says what is wrong. The id has to be part: names belong to whoever takes them. */
export function parseNamespaceFormat(text: string): string {
  if (!text.includes('%i')) throw new Error('has no %i, the id of the project');
  if (!/^[a-z0-9-]+$/.test(text.replaceAll(/%[ind]/g, '')) && text.replaceAll(/%[ind]/g, '') !== '') {
    throw new Error('has other characters than %i, %n, %d, lower-case letters, digits and -');
  }
  if (text.startsWith('-') || text.endsWith('-')) throw new Error('begins or ends with -');
  return text;
}

/** A DNS label; the id alone where that would be too long, as in k8s-keystone-auth. */
export function namespaceName(format: string, { id, name, domain }: ProjectRef): string {
  const values: Record<string, string> = { i: id, n: label(name), d: label(domain.name) };
  const text = format.replaceAll(/%([ind])/g, (_, key: string) => values[key] ?? '').replaceAll(/^-+|-+$/g, '');
  return text.length > MAX_LABEL ? id : text;
}

function label(text: string): string {
  return text
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '-')
    .replaceAll(/^-+|-+$/g, '');
}
