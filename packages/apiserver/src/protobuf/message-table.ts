import { readFileSync } from 'node:fs';

/**
 * A field: its JSON name, its type (a scalar, one of the types with a JSON form of their own, or another message) and
 * flags: `r` a list, `m` a map from strings, `i` inlined in JSON, `z` zero is left out in JSON.
 */
export type FieldEntry = readonly [name: string, type: string, flags?: string];

/** How the messages of Kubernetes' built-in kinds are written, made by tools/generate-protobuf.ts. */
export interface MessageTable {
  /** `group/version kind` to message. */
  readonly kinds: Readonly<Record<string, string>>;
  readonly messages: Readonly<Record<string, Readonly<Record<number, FieldEntry>>>>;
}

let table: MessageTable | undefined;

/** Read when the first Protobuf body arrives: most processes never see one. */
export function messageTable(): MessageTable {
  table ??= JSON.parse(
    readFileSync(new URL('./generated/kubernetes-messages.json', import.meta.url), 'utf8'),
  ) as MessageTable;
  return table;
}
