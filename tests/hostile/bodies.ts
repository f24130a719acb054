export interface HostileBody {
  readonly name: string;
  readonly contentType: string;
  /** A body of about this many bytes. */
  of(length: number): string | Buffer;
}

const JSON_TYPE = 'application/json';
const YAML = 'application/yaml';
const JSON_PATCH = 'application/json-patch+json';
const MERGE_PATCH = 'application/merge-patch+json';
const STRATEGIC_PATCH = 'application/strategic-merge-patch+json';
const APPLY_PATCH = 'application/apply-patch+yaml';

/** `part` repeated as many times as it fits between `head` and `tail`; `#` in it becomes a unique number. */
function repeatedPart(part: string, { head = '', tail = '' } = {}) {
  return (length: number): string => {
    const parts: string[] = [];
    for (let size = 0, index = 0; size < length; index++) {
      const next = part.replaceAll('#', String(index));
      parts.push(next);
      size += next.length;
    }
    return `${head}${parts.join('')}${tail}`;
  };
}

const OBJECT = { head: '{"metadata":{"name":"a"},"data":{"z":"z"', tail: '}}' };
const SPEC = { head: '{"metadata":{"name":"a"},"spec":[0', tail: ']}' };
const DATA = { head: '{"data":{"z":"z"', tail: '}}' };

/** Bodies that every decoder must handle quickly, whether or not they are valid. */
const BODY_FORMS: readonly (readonly [name: string, contentType: string, of: HostileBody['of']])[] = [
  ['lists in lists', JSON_TYPE, repeatedPart('[')],
  ['closed lists in lists', JSON_TYPE, (length) => '['.repeat(length / 2) + ']'.repeat(length / 2)],
  ['objects in objects', JSON_TYPE, repeatedPart('{"a":')],
  ['__proto__ in __proto__', JSON_TYPE, repeatedPart('{"__proto__":')],
  ['many keys', JSON_TYPE, repeatedPart(',"k#":"v"', OBJECT)],
  ['one key many times', JSON_TYPE, repeatedPart(',"a":"v"', OBJECT)],
  ['many __proto__', JSON_TYPE, repeatedPart(',"__proto__":{"a":1}', OBJECT)],
  ['many unknown fields', JSON_TYPE, repeatedPart(',"k#":1', { head: '{"metadata":{"name":"a"}', tail: '}' })],
  ['many numbers', JSON_TYPE, repeatedPart(',1e308', SPEC)],
  ['one number', JSON_TYPE, repeatedPart('9', { head: '{"spec":', tail: '}' })],
  ['one fraction', JSON_TYPE, repeatedPart('0', { head: '{"spec":0.', tail: '1e-400}' })],
  ['escapes', JSON_TYPE, repeatedPart('\\u0000', { head: '{"metadata":{"name":"', tail: '"}}' })],
  ['halves of surrogates', JSON_TYPE, repeatedPart('\\ud800', { head: '{"metadata":{"name":"', tail: '"}}' })],
  ['an open string', JSON_TYPE, repeatedPart('\\"', { head: '{"a":"' })],
  ['white space', JSON_TYPE, repeatedPart(' \n\t')],
  ['NULs', JSON_TYPE, repeatedPart('\0')],
  ['broken UTF-8', JSON_TYPE, (length) => Buffer.alloc(length, 0xc3)],
  [
    'finalizers',
    JSON_TYPE,
    repeatedPart(',"a/f#"', { head: '{"metadata":{"name":"a","finalizers":["a/z"', tail: ']}}' }),
  ],
  [
    'one finalizer',
    JSON_TYPE,
    repeatedPart(',"a/f"', { head: '{"metadata":{"name":"a","finalizers":["a/z"', tail: ']}}' }),
  ],
  [
    'labels',
    JSON_TYPE,
    repeatedPart(',"a/l#":"v"', { head: '{"metadata":{"name":"a","labels":{"z":"z"', tail: '}}}' }),
  ],
  [
    'owners',
    JSON_TYPE,
    repeatedPart(',{"apiVersion":"v1","kind":"A","name":"a","uid":"u#"}', {
      head: '{"metadata":{"name":"a","ownerReferences":[{"apiVersion":"v1","kind":"A","name":"a","uid":"u"}',
      tail: ']}}',
    }),
  ],
  [
    'owned fields',
    JSON_TYPE,
    repeatedPart(',"f:k#":{}', {
      head: '{"metadata":{"name":"a","managedFields":[{"manager":"m","operation":"Apply","apiVersion":"v1","fieldsType":"FieldsV1","fieldsV1":{"f:z":{}',
      tail: '}}]}}',
    }),
  ],
  [
    'owned items',
    JSON_TYPE,
    repeatedPart(',"k:{\\"name\\":\\"n#\\"}":{}', {
      head: '{"metadata":{"name":"a","managedFields":[{"manager":"m","operation":"Apply","apiVersion":"v1","fieldsType":"FieldsV1","fieldsV1":{"f:secrets":{"f:z":{}',
      tail: '}}}]}}',
    }),
  ],
  ['lists in lists of YAML', YAML, repeatedPart('- ')],
  ['keys of keys of YAML', YAML, repeatedPart('? ')],
  [
    'deeper lines of YAML',
    YAML,
    (length) => Array.from({ length: Math.sqrt(2 * length) }, (_, level) => `${' '.repeat(level)}a:`).join('\n'),
  ],
  ['flow lists of YAML', YAML, repeatedPart('[')],
  ['keys of YAML', YAML, repeatedPart('k#: v\n')],
  ['one key of YAML', YAML, repeatedPart('a: v\n')],
  ['anchors of YAML', YAML, repeatedPart('- &a# x\n')],
  ['one anchor of YAML', YAML, repeatedPart('- &a x\n')],
  ['aliases of YAML', YAML, repeatedPart('- *a\n', { head: '- &a x\n' })],
  ['merged keys of YAML', YAML, repeatedPart(', *a', { head: 'a: &a {b: c}\n<<: [*a', tail: ']\n' })],
  ['documents of YAML', YAML, repeatedPart('---\n')],
  ['comments of YAML', YAML, repeatedPart('# a\n')],
  ['directives of YAML', YAML, repeatedPart('%A\n')],
  ['tags of YAML', YAML, repeatedPart('!')],
  ['lines of one text of YAML', YAML, repeatedPart(' a\n', { head: 'a: a\n' })],
  ['empty lines of a block of YAML', YAML, repeatedPart('\n', { head: 'a: |\n' })],
  ['quoted lines of YAML', YAML, repeatedPart("\n ''", { head: "a: '" })],
  ['escaped lines of YAML', YAML, repeatedPart('\\\n ', { head: 'a: "' })],
  ['colons of YAML', YAML, repeatedPart('a:')],
  ['blanks of YAML', YAML, repeatedPart(' ', { head: 'a: ', tail: 'b' })],
  ['tabs of YAML', YAML, repeatedPart('\t')],
  ['numbers of YAML', YAML, repeatedPart('1_', { head: 'a: ' })],
  ['times of YAML', YAML, repeatedPart('1:', { head: 'a: ' })],
  [
    'operations',
    JSON_PATCH,
    repeatedPart(',{"op":"add","path":"/data/k#","value":"v"}', {
      head: '[{"op":"add","path":"/data/z","value":"z"}',
      tail: ']',
    }),
  ],
  ['a path of many steps', JSON_PATCH, repeatedPart('/a', { head: '[{"op":"add","path":"', tail: '","value":1}]' })],
  [
    'a path of escapes',
    JSON_PATCH,
    repeatedPart('~1', { head: '[{"op":"add","path":"/data/', tail: '","value":"1"}]' }),
  ],
  [
    'moves within a list',
    JSON_PATCH,
    repeatedPart(',{"op":"move","from":"/l/0","path":"/l/-"}', {
      head: '[{"op":"add","path":"/l","value":[1,2,3]}',
      tail: ']',
    }),
  ],
  ['a merge of many keys', MERGE_PATCH, repeatedPart(',"k#":"v"', DATA)],
  ['a merge of many nulls', MERGE_PATCH, repeatedPart(',"k#":null', DATA)],
  ['a deep merge', MERGE_PATCH, repeatedPart('{"a":')],
  ['a strategic merge of many keys', STRATEGIC_PATCH, repeatedPart(',"k#":"v"', DATA)],
  [
    'a strategic merge of many items',
    STRATEGIC_PATCH,
    repeatedPart(',{"name":"n#"}', { head: '{"secrets":[{"name":"z"}', tail: ']}' }),
  ],
  [
    'a strategic merge that orders many items',
    STRATEGIC_PATCH,
    repeatedPart(',{"name":"n#"}', { head: '{"$setElementOrder/secrets":[{"name":"z"}', tail: ']}' }),
  ],
  [
    'a strategic merge that deletes many items',
    STRATEGIC_PATCH,
    repeatedPart(',{"$patch":"delete","name":"n#"}', { head: '{"secrets":[{"name":"z"}', tail: ']}' }),
  ],
  [
    'a strategic merge that deletes many texts',
    STRATEGIC_PATCH,
    repeatedPart(',"a/n#"', { head: '{"metadata":{"$deleteFromPrimitiveList/finalizers":["a/z"', tail: ']}}' }),
  ],
  [
    'a strategic merge that retains many keys',
    STRATEGIC_PATCH,
    repeatedPart(',"n#"', { head: '{"$retainKeys":["z"', tail: ']}' }),
  ],
  [
    'applied keys',
    APPLY_PATCH,
    repeatedPart(',"k#":"v"', {
      head: '{"apiVersion":"v1","kind":"KIND","metadata":{"name":"victim"},"data":{"z":"z"',
      tail: '}}',
    }),
  ],
  [
    'applied items',
    APPLY_PATCH,
    repeatedPart(',{"name":"n#"}', {
      head: '{"apiVersion":"v1","kind":"KIND","metadata":{"name":"victim"},"secrets":[{"name":"z"}',
      tail: ']}',
    }),
  ],
  [
    'applied finalizers',
    APPLY_PATCH,
    repeatedPart(',"a/f#"', {
      head: '{"apiVersion":"v1","kind":"KIND","metadata":{"name":"victim","finalizers":["a/z"',
      tail: ']}}',
    }),
  ],
  [
    'Protobuf without an end',
    'application/vnd.kubernetes.protobuf',
    (length) => Buffer.concat([Buffer.from('k8s\0'), Buffer.alloc(length, 0x0a)]),
  ],
  [
    'Protobuf of many fields',
    'application/vnd.kubernetes.protobuf',
    (length) => Buffer.concat([Buffer.from('k8s\0'), Buffer.alloc(length, Buffer.from([0x12, 0x00]))]),
  ],
  ['a form of many fields', 'application/x-www-form-urlencoded', repeatedPart('a#=b&')],
  ['an encoded form', 'application/x-www-form-urlencoded', repeatedPart('%3d')],
  ['text', 'text/plain', repeatedPart('a ')],
];

export const HOSTILE_BODIES: readonly HostileBody[] = BODY_FORMS.map(([name, contentType, of]) => ({
  name,
  contentType,
  of,
}));
