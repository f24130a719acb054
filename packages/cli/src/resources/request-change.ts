import type { Kind } from '@fairway/api/kinds/kind';
import type { KubeObject } from '@fairway/kube/object/meta';
import type { Connection } from '../client/connect.ts';
import type { CliContext } from '../command/context.ts';
import { dryRunText } from '../output/changes.ts';
import { qualifiedName } from './kinds.ts';

interface ChangeRequest<T extends KubeObject> {
  readonly kind: Kind<T>;
  /** The object as it was read. */
  readonly before: T;
  /** A merge patch. */
  readonly value: { readonly metadata?: object; readonly spec?: object };
  /** The message after the object's name. */
  readonly words: string;
  readonly dryRun?: boolean | undefined;
}

/**
 * Patches an object and prints a message. With `dryRun`, the server validates the patch and only the changes are
 * shown. Resolves with the updated object; undefined after a dry run. Never changes a newer object with the same name.
 */
export async function requestChange<T extends KubeObject>(
  { stdout, signal }: Pick<CliContext, 'stdout' | 'signal'>,
  { client }: Pick<Connection, 'client'>,
  { kind, before, value, words, dryRun = false }: ChangeRequest<T>,
): Promise<T | undefined> {
  const { name = '', namespace, uid } = before.metadata;
  const write = { fieldManager: 'fairway', signal, dryRun, ...(namespace !== undefined && { namespace }) };
  const boundPatch = { ...value, metadata: { ...value.metadata, uid } };
  const after = await client.resource(kind).patch(name, { type: 'merge', value: boundPatch }, write);
  const sentence = `${qualifiedName(kind, name)} ${words}`;
  stdout.write(dryRun ? dryRunText(sentence, before, after) : `${sentence}\n`);
  return dryRun ? undefined : after;
}
