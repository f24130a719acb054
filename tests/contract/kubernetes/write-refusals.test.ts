import { beforeAll, expect, it } from 'vitest';
import { describeServers } from './targets.ts';

const merge = { 'content-type': 'application/merge-patch+json' };
const jsonPatch = { 'content-type': 'application/json-patch+json' };
const apply = { 'content-type': 'application/apply-patch+yaml' };

function configMap(name: string, rest: object = {}, metadata: object = {}) {
  return { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name, ...metadata }, ...rest };
}

function exactly(text: string): RegExp {
  return new RegExp(`^${text.replaceAll(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`)}$`);
}

describeServers('refused writes', (server, target) => {
  let maps: string;

  beforeAll(async () => {
    maps = `/api/v1/namespaces/${await server().namespace()}/configmaps`;
    for (const name of ['taken', 'target']) {
      await server().raw('POST', maps, { body: configMap(name, { data: { a: '1' } }) });
    }
  });

  interface Refusal {
    readonly what: string;
    readonly method: 'POST' | 'PUT' | 'PATCH' | 'DELETE';
    /** The part of the path after the collection. */
    readonly path: string;
    readonly body?: unknown;
    readonly headers?: Record<string, string>;
    readonly code: number;
    readonly reason: string;
    readonly message: string | RegExp;
    readonly since?: number;
  }

  const refusals: Refusal[] = [
    {
      what: 'a name that is taken',
      method: 'POST',
      path: '',
      body: configMap('taken'),
      code: 409,
      reason: 'AlreadyExists',
      message: 'configmaps "taken" already exists',
    },
    {
      what: 'an invalid name',
      method: 'POST',
      path: '',
      body: configMap('Wrong_Name'),
      code: 422,
      reason: 'Invalid',
      message:
        /^ConfigMap "Wrong_Name" is invalid: metadata\.name: Invalid value: "Wrong_Name": a (lowercase RFC 1123|DNS-1123) subdomain must consist of lower case alphanumeric characters, '-' or '\.'/,
    },
    {
      what: 'no name',
      method: 'POST',
      path: '',
      body: { apiVersion: 'v1', kind: 'ConfigMap', metadata: {} },
      code: 422,
      reason: 'Invalid',
      message: /^ConfigMap "" is invalid: metadata\.name: Required value: name or generateName is required$/,
    },
    {
      what: 'an invalid generateName',
      method: 'POST',
      path: '',
      body: { apiVersion: 'v1', kind: 'ConfigMap', metadata: { generateName: 'A_' } },
      code: 422,
      reason: 'Invalid',
      message: /is invalid: \[metadata\.generateName: Invalid value: "A_": .*metadata\.name: Invalid value: "A_.{5}": /,
    },
    {
      what: 'another kind',
      method: 'POST',
      path: '',
      body: { apiVersion: 'v1', kind: 'Secret', metadata: { name: 'x' } },
      code: 400,
      reason: 'BadRequest',
      message: /^Secret in version "v1" cannot be handled as a ConfigMap/,
    },
    {
      what: 'another namespace',
      method: 'POST',
      path: '',
      body: configMap('x', {}, { namespace: 'elsewhere' }),
      code: 400,
      reason: 'BadRequest',
      message: /^the namespace of the provided object does not match the namespace sent on the request/,
    },
    {
      what: 'an incomplete object',
      method: 'POST',
      path: '',
      body: '{"apiVersion":',
      code: 400,
      reason: 'BadRequest',
      message: /couldn't get version\/kind; json parse error: /,
    },
    {
      what: 'a body in an unknown format',
      method: 'POST',
      path: '',
      body: 'x',
      headers: { 'content-type': 'text/plain' },
      code: 415,
      reason: 'UnsupportedMediaType',
      message:
        /^the body of the request was in an unknown format - accepted media types include: application\/json, application\/yaml/,
    },
    {
      what: 'a value of another type',
      method: 'POST',
      path: '',
      body: configMap('x', { data: { a: 1 } }),
      code: 400,
      reason: 'BadRequest',
      message: /^ConfigMap in version "v1" cannot be handled as a ConfigMap: .*(cannot unmarshal number|ReadString)/,
    },
    {
      what: 'invalid labels and annotations',
      method: 'POST',
      path: '',
      body: configMap('x', {}, { labels: { 'a b': 'c d' }, annotations: { 'x y': 'z' } }),
      code: 422,
      reason: 'Invalid',
      message:
        /metadata\.labels: Invalid value: "a b": name part must consist of .*metadata\.labels: Invalid value: "c d": a valid label must be an empty string or consist of .*metadata\.annotations: Invalid value: "x y": /,
    },
    {
      what: 'owners without an identity',
      method: 'POST',
      path: '',
      body: configMap('x', {}, { ownerReferences: [{ apiVersion: '', kind: '', name: '', uid: '' }] }),
      code: 422,
      reason: 'Invalid',
      message:
        /^ConfigMap "x" is invalid: \[metadata\.ownerReferences\.apiVersion: Invalid value: "": version must not be empty, metadata\.ownerReferences\.kind: .*metadata\.ownerReferences\.uid: Invalid value: "": (uid )?must not be empty\]$/,
    },
    {
      what: 'two controllers',
      method: 'POST',
      path: '',
      body: configMap(
        'x',
        {},
        {
          ownerReferences: ['a', 'b'].map((name) => ({
            apiVersion: 'v1',
            kind: 'Pod',
            name,
            uid: name,
            controller: true,
          })),
        },
      ),
      code: 422,
      reason: 'Invalid',
      message:
        /Only one reference can have Controller set to true\. Found "?true"? in references for (Pod\/)?a and (Pod\/)?b$/,
    },
    {
      what: 'a finalizer without a domain',
      method: 'POST',
      path: '',
      body: configMap('x', {}, { finalizers: ['plain'] }),
      code: 422,
      reason: 'Invalid',
      message:
        /metadata\.finalizers(\[0\])?: Invalid value: "plain": name is neither a standard finalizer name nor is it fully qualified$/,
    },
    {
      what: 'invalid keys',
      method: 'POST',
      path: '',
      body: configMap('x', { data: { 'a b': '1' } }),
      code: 422,
      reason: 'Invalid',
      message:
        /^ConfigMap "x" is invalid: data\[a b\]: Invalid value: "a b": a valid config key must consist of alphanumeric characters/,
    },
    {
      what: 'an object in a namespace that does not exist',
      method: 'POST',
      path: '/../../nowhere/configmaps',
      body: configMap('x'),
      code: 404,
      reason: 'NotFound',
      message: 'namespaces "nowhere" not found',
    },
    {
      what: 'creation by name',
      method: 'POST',
      path: '/taken',
      body: configMap('taken'),
      code: 405,
      reason: 'MethodNotAllowed',
      message: 'the server does not allow this method on the requested resource',
    },
    {
      what: 'an update of a whole collection',
      method: 'PUT',
      path: '',
      body: configMap('taken'),
      code: 405,
      reason: 'MethodNotAllowed',
      message: 'the server does not allow this method on the requested resource',
    },
    {
      what: 'an unknown value of dryRun',
      method: 'POST',
      path: '?dryRun=Some',
      body: configMap('x'),
      code: 422,
      reason: 'Invalid',
      message:
        /^CreateOptions\.meta\.k8s\.io "" is invalid: dryRun: Unsupported value: \[(\]string\{)?"Some"[\]}]: supported values: "All"$/,
    },
    {
      what: 'a field manager with a long name',
      method: 'POST',
      path: `?fieldManager=${'x'.repeat(129)}`,
      body: configMap('x'),
      code: 422,
      reason: 'Invalid',
      message:
        /^CreateOptions\.meta\.k8s\.io "" is invalid: fieldManager: Too long: (may not be more than 128 bytes|must have at most 128)/,
    },
    {
      what: 'an unknown value of fieldValidation',
      method: 'POST',
      path: '?fieldValidation=Hard',
      body: configMap('x'),
      code: 422,
      reason: 'Invalid',
      message:
        'CreateOptions.meta.k8s.io "" is invalid: fieldValidation: Unsupported value: "Hard": supported values: "", "Ignore", "Strict", "Warn"',
      since: 25,
    },
    {
      what: 'unknown fields with strict validation',
      method: 'POST',
      path: '?fieldValidation=Strict',
      body: configMap('x', { foo: 1 }, { bar: 2 }),
      code: 400,
      reason: 'BadRequest',
      message:
        'ConfigMap in version "v1" cannot be handled as a ConfigMap: strict decoding error: unknown field "metadata.bar", unknown field "foo"',
      since: 25,
    },
    {
      what: 'a duplicate field with strict validation',
      method: 'POST',
      path: '?fieldValidation=Strict',
      body: '{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"x"},"data":{"a":"1","a":"2"}}',
      code: 400,
      reason: 'BadRequest',
      message:
        'ConfigMap in version "v1" cannot be handled as a ConfigMap: strict decoding error: duplicate field "data.a"',
      since: 25,
    },
    {
      what: 'an update from an old version',
      method: 'PUT',
      path: '/target',
      body: configMap('target', {}, { resourceVersion: '1' }),
      code: 409,
      reason: 'Conflict',
      message:
        'Operation cannot be fulfilled on configmaps "target": the object has been modified; please apply your changes to the latest version and try again',
    },
    {
      what: 'an update with another UID',
      method: 'PUT',
      path: '/target',
      body: configMap('target', {}, { uid: 'former' }),
      code: 409,
      reason: 'Conflict',
      message:
        /^Operation cannot be fulfilled on configmaps "target": .*Precondition failed: UID in precondition: former, UID in object meta: /,
    },
    {
      what: 'an update with another name',
      method: 'PUT',
      path: '/target',
      body: configMap('other'),
      code: 400,
      reason: 'BadRequest',
      message: 'the name of the object (other) does not match the name on the URL (target)',
    },
    {
      what: 'an update without a name',
      method: 'PUT',
      path: '/target',
      body: { apiVersion: 'v1', kind: 'ConfigMap' },
      code: 400,
      reason: 'BadRequest',
      message: /was undeterminable: name must be provided$/,
    },
    {
      what: 'an update of an object that does not exist',
      method: 'PUT',
      path: '/none',
      body: configMap('none'),
      code: 404,
      reason: 'NotFound',
      message: 'configmaps "none" not found',
    },
    {
      what: 'a patch of an object that does not exist',
      method: 'PATCH',
      path: '/none',
      headers: merge,
      body: {},
      code: 404,
      reason: 'NotFound',
      message: 'configmaps "none" not found',
    },
    {
      what: 'a patch from an old version',
      method: 'PATCH',
      path: '/target',
      headers: merge,
      body: { metadata: { resourceVersion: '1' } },
      code: 409,
      reason: 'Conflict',
      message: /^Operation cannot be fulfilled on configmaps "target": the object has been modified/,
    },
    {
      what: 'a patch with another UID',
      method: 'PATCH',
      path: '/target',
      headers: merge,
      body: { metadata: { uid: 'former' } },
      code: 422,
      reason: 'Invalid',
      message: 'ConfigMap "target" is invalid: metadata.uid: Invalid value: "former": field is immutable',
      since: 25,
    },
    {
      what: 'a patch of the name',
      method: 'PATCH',
      path: '/target',
      headers: merge,
      body: { metadata: { name: 'other' } },
      code: 400,
      reason: 'BadRequest',
      message: 'the name of the object (other) does not match the name on the URL (target)',
    },
    {
      what: 'a patch of the kind',
      method: 'PATCH',
      path: '/target',
      headers: merge,
      body: { kind: 'Secret' },
      code: 422,
      reason: 'Invalid',
      message: /./,
    },
    {
      // 1.20 returns 500.
      since: 25,
      what: 'a patch with malformed JSON',
      method: 'PATCH',
      path: '/target',
      headers: merge,
      body: '[1',
      code: 400,
      reason: 'BadRequest',
      message: /./,
    },
    {
      what: 'a JSON patch whose test fails',
      method: 'PATCH',
      path: '/target',
      headers: jsonPatch,
      body: [{ op: 'test', path: '/data/a', value: '2' }],
      code: 422,
      reason: 'Invalid',
      message: 'the server rejected our request due to an error in our request',
    },
    {
      what: 'a JSON patch that cannot be applied',
      method: 'PATCH',
      path: '/target',
      headers: jsonPatch,
      body: [{ op: 'remove', path: '/data/none' }],
      code: 422,
      reason: 'Invalid',
      message: 'the server rejected our request due to an error in our request',
    },
    {
      what: 'a JSON patch with an unknown operation',
      method: 'PATCH',
      path: '/target',
      headers: jsonPatch,
      body: [{ op: 'frobnicate', path: '/data/a' }],
      code: 422,
      reason: 'Invalid',
      message: 'the server rejected our request due to an error in our request',
    },
    {
      // 1.20 returns 500.
      since: 25,
      what: 'a JSON patch that is not a list',
      method: 'PATCH',
      path: '/target',
      headers: jsonPatch,
      body: { op: 'add' },
      code: 400,
      reason: 'BadRequest',
      message: /./,
    },
    {
      what: 'a patch of an unknown type',
      method: 'PATCH',
      path: '/target',
      headers: { 'content-type': 'application/json' },
      body: {},
      code: 415,
      reason: 'UnsupportedMediaType',
      message: /./,
    },
    {
      what: 'an apply without a field manager',
      method: 'PATCH',
      path: '/applied',
      headers: apply,
      body: configMap('applied'),
      code: 422,
      reason: 'Invalid',
      message: 'PatchOptions.meta.k8s.io "" is invalid: fieldManager: Required value: is required for apply patch',
    },
    {
      what: 'force without apply',
      method: 'PATCH',
      path: '/target?force=true',
      headers: merge,
      body: {},
      code: 422,
      reason: 'Invalid',
      message: 'PatchOptions.meta.k8s.io "" is invalid: force: Forbidden: may not be specified for non-apply patch',
    },
    {
      what: 'a deletion with another UID',
      method: 'DELETE',
      path: '/target',
      body: { preconditions: { uid: 'former' } },
      code: 409,
      reason: 'Conflict',
      message: /the UID in the precondition \(former\) does not match the UID in record/,
    },
    {
      what: 'a deletion of an old version',
      method: 'DELETE',
      path: '/target',
      body: { preconditions: { resourceVersion: '1' } },
      code: 409,
      reason: 'Conflict',
      message: /the ResourceVersion in the precondition \(1\) does not match the ResourceVersion in record/,
    },
    {
      what: 'a deletion with an unknown propagation policy',
      method: 'DELETE',
      path: '/target',
      body: { propagationPolicy: 'Sometimes' },
      code: 422,
      reason: 'Invalid',
      message:
        /^DeleteOptions\.meta\.k8s\.io "" is invalid: propagationPolicy: Unsupported value: "Sometimes": supported values: "Foreground", "Background", "Orphan", "nil"$/,
    },
    {
      what: 'a deletion with an empty dryRun',
      method: 'DELETE',
      path: '/target?dryRun=&dryRun=All',
      code: 422,
      reason: 'Invalid',
      message: /^DeleteOptions\.meta\.k8s\.io "" is invalid: dryRun: Unsupported value: .*: supported values: "All"$/,
    },
    {
      what: 'a deletion with two policies',
      method: 'DELETE',
      path: '/target',
      body: { propagationPolicy: 'Orphan', orphanDependents: true },
      code: 422,
      reason: 'Invalid',
      message: /orphanDependents and deletionPropagation cannot be both set$/,
    },
    {
      what: 'a deletion of an object that does not exist',
      method: 'DELETE',
      path: '/none',
      code: 404,
      reason: 'NotFound',
      message: 'configmaps "none" not found',
    },
    {
      what: 'a deletion of a namespace that every cluster has',
      method: 'DELETE',
      path: '/../../kube-system',
      code: 403,
      reason: 'Forbidden',
      message: 'namespaces "kube-system" is forbidden: this namespace may not be deleted',
    },
  ];

  it.skipIf(true).for(refusals.filter(({ since = 0 }) => target.minor < since))(
    'refuses $what (skipped: not before 1.$since)',
    ({ since }) => expect(target.minor).toBeGreaterThanOrEqual(since ?? 0),
  );

  it.for(refusals.filter(({ since = 0 }) => target.minor >= since))(
    'refuses $what with $code $reason',
    async ({ method, path, body, headers, code, reason, message }) => {
      const url = path.startsWith('/../../') ? `/api/v1/namespaces/${path.slice('/../../'.length)}` : `${maps}${path}`;

      const status = await server().refusal(method, url, {
        ...(body !== undefined && { body }),
        ...(headers && { headers }),
      });

      expect(status).toMatchObject({ kind: 'Status', apiVersion: 'v1', status: 'Failure', code, reason });
      expect(status.message).toMatch(typeof message === 'string' ? exactly(message) : message);
    },
  );
});
