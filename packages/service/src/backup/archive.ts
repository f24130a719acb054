import type { KubeObject } from '@fairway/kube/object/meta';
import { z } from 'zod';

/** Decrypted contents of a backup. */
export interface Archive {
  readonly contents: Contents;
  /** In the order in which a restore creates them, with the source's metadata except `managedFields`. */
  readonly objects: readonly KubeObject[];
}

const contentsSchema = z.object({
  /** URL of the source API. */
  server: z.string(),
  /** Whether the source was paused for the backup: none of its clusters is reconciled there. */
  paused: z.boolean(),
  /** resourceVersion of each list, by `group/plural` and namespace; all lists reflect the same moment. */
  resourceVersions: z.record(z.string(), z.string()),
});
export type Contents = Readonly<z.infer<typeof contentsSchema>>;

const archiveHeaderSchema = z.object({ contents: contentsSchema });

const objectSchema = z.looseObject({
  apiVersion: z.string().min(1),
  kind: z.string().min(1),
  metadata: z.looseObject({ name: z.string().min(1), namespace: z.string().optional(), uid: z.string().min(1) }),
});

/** One line of JSON with the contents, then one line per object. */
export function writeArchive({ contents, objects }: Archive): Buffer {
  const lines = [{ contents }, ...objects].map((line) => `${JSON.stringify(line)}\n`);
  return Buffer.from(lines.join(''));
}

/** Throws with the number of the invalid line. */
export function readArchive(payload: Buffer): Archive {
  const [first = '', ...rest] = payload.toString('utf8').split('\n');
  const { contents } = parseLine(archiveHeaderSchema, first, 1);
  const objects = rest.filter((line) => line !== '').map((line, index) => parseLine(objectSchema, line, index + 2));
  return { contents, objects: objects as KubeObject[] };
}

function parseLine<T>(schema: z.ZodType<T>, line: string, number: number): T {
  let value: unknown;
  try {
    value = JSON.parse(line);
  } catch (error) {
    throw new Error(`line ${number} of its contents is not valid JSON`, { cause: error });
  }
  const parsed = schema.safeParse(value);
  if (!parsed.success) throw new Error(`line ${number} of its contents: ${z.prettifyError(parsed.error)}`);
  return parsed.data;
}
