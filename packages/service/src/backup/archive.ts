import type { KubeObject } from '@fairway/kube/object/meta';
import { z } from 'zod';

/** What a backup holds, in the clear. */
export interface Archive {
  readonly contents: Contents;
  /** In the order in which they can be made again; with the metadata that the source gave them, but for `managedFields`. */
  readonly objects: readonly KubeObject[];
}

const contentsSchema = z.object({
  /** URL of the API that was read. */
  server: z.string(),
  /** Whether the source was paused for it: no cluster in the file is acted on there. */
  paused: z.boolean(),
  /** Version of each list, by `group/plural` and namespace: all of them held at one moment. */
  resourceVersions: z.record(z.string(), z.string()),
});
export type Contents = Readonly<z.infer<typeof contentsSchema>>;

const firstLineSchema = z.object({ contents: contentsSchema });

const objectSchema = z.looseObject({
  apiVersion: z.string().min(1),
  kind: z.string().min(1),
  metadata: z.looseObject({ name: z.string().min(1), namespace: z.string().optional(), uid: z.string().min(1) }),
});

/** One line of JSON with the contents, then one an object. */
export function writeArchive({ contents, objects }: Archive): Buffer {
  const lines = [{ contents }, ...objects].map((line) => `${JSON.stringify(line)}\n`);
  return Buffer.from(lines.join(''));
}

/** Throws with the number of the line that is none. */
export function readArchive(payload: Buffer): Archive {
  const [first = '', ...rest] = payload.toString('utf8').split('\n');
  const { contents } = parseLine(firstLineSchema, first, 1);
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
