import protobuf from 'protobufjs/minimal.js';

/** Bodies that expand a thousandfold or more in a naive server. */

const LETTERS = ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h'];

/** Eight levels, each nine times as large as the previous one: 43 million values of half a kilobyte. */
export function aliases(): string {
  const level = (letter: string, before: string | undefined) =>
    `${letter}: &${letter} [${Array(9)
      .fill(before === undefined ? 'x' : `*${before}`)
      .join(',')}]`;
  const lines = LETTERS.map((letter, index) => `  ${level(letter, LETTERS[index - 1])}`);
  return `apiVersion: v1\nkind: ConfigMap\nmetadata: {name: aliases}\ndata:\n${lines.join('\n')}\n`;
}

/** The same aliases in a field without a schema, so that it would be stored unchanged. */
export function managedAliases(): string {
  const level = (letter: string, before: string | undefined) => {
    const entries = Array.from(
      { length: 9 },
      (_, index) => `"f:${index}": ${before === undefined ? '{}' : `*${before}`}`,
    );
    return `"f:${letter}": &${letter} {${entries.join(', ')}}`;
  };
  const fields = LETTERS.map((letter, index) => `      ${level(letter, LETTERS[index - 1])}`);
  const entry = '  - manager: m\n    operation: Update\n    apiVersion: v1\n    fieldsType: FieldsV1\n    fieldsV1:';
  return `apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: managed\n  managedFields:\n${entry}\n${fields.join('\n')}\n`;
}

/** Each operation copies the whole document into itself. */
export function copies(): string {
  const operations = Array.from({ length: 24 }, (_, index) => ({
    op: 'copy',
    from: '/metadata/labels',
    path: `/metadata/labels/${index}`,
  }));
  return JSON.stringify([{ op: 'add', path: '/metadata/labels', value: { a: 'x' } }, ...operations]);
}

export function digits(): string {
  const resources = { limits: { cpu: '9'.repeat(60_000) } };
  const spec = { containers: [{ name: 'a', image: 'a', resources }] };
  return JSON.stringify({ apiVersion: 'v1', kind: 'Pod', metadata: { name: 'digits' }, spec });
}

export function deepObject(): string {
  const levels = 20_000;
  return `{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"deep"},"data":${'{"a":'.repeat(levels)}1${'}'.repeat(levels)}}`;
}

/** A Protobuf-encoded Pod of this many bytes, with many small labels. */
export function protobufPod(bytes: number): Buffer {
  const field = (number: number, content: Uint8Array) =>
    protobuf.Writer.create()
      .uint32((number << 3) | 2)
      .bytes(content)
      .finish();
  const text = (number: number, content: string) => field(number, Buffer.from(content));
  // ObjectMeta.labels is field 11; its entries are pairs of fields 1 and 2.
  const label = (index: number) => field(11, Buffer.concat([text(1, index.toString(36)), text(2, 'x')]));
  const labels: Uint8Array[] = [];
  for (let length = 0; length < bytes; length += labels.at(-1)?.length ?? 0) labels.push(label(labels.length));
  const type = Buffer.concat([text(1, 'v1'), text(2, 'Pod')]);
  return Buffer.concat([Buffer.from('k8s\0'), field(1, type), field(2, field(1, Buffer.concat(labels)))]);
}
