import { expect, it } from 'vitest';
import { NO_SUCH_ID } from './contract-cloud.ts';
import { expectKeyError, KeyCloud } from './key-cloud.ts';
import { describeClouds } from './targets.ts';

const TEXT = { headers: { accept: 'text/plain' } };
const BYTES = { headers: { accept: 'application/octet-stream' } };
const ANY = { headers: { accept: '*/*' } };

describeClouds('secrets', (cloud) => {
  const keys = (): KeyCloud => new KeyCloud(cloud());

  it('are stored with their payload, described and read', async () => {
    const name = cloud().name();
    const fields = { name, payload: ' hello ', payload_content_type: 'text/plain', algorithm: 'aes', bit_length: 256 };
    const created = await keys().call('POST', '/secrets', { ...fields, mode: 'cbc', secret_type: 'passphrase' });
    const { secret_ref } = created.json as { secret_ref: string };
    const path = `/secrets/${secret_ref.split('/').at(-1)}`;
    cloud().defer(() => keys().call('DELETE', path));

    expect(created.status).toBe(201);
    expect(created.headers.get('location')).toBe(secret_ref);
    expect((await keys().call('GET', path)).json).toEqual({
      created: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d$/),
      updated: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d$/),
      status: 'ACTIVE',
      name,
      secret_type: 'passphrase',
      expiration: null,
      algorithm: 'aes',
      bit_length: 256,
      mode: 'cbc',
      creator_id: expect.stringMatching(/^[0-9a-f]{32}$/),
      content_types: { default: 'text/plain' },
      secret_ref,
    });
    const read = await keys().call('GET', `${path}/payload`, undefined, TEXT);
    expect([read.status, read.headers.get('content-type'), read.text]).toEqual([
      200,
      'text/plain; charset=UTF-8',
      'hello',
    ]);
    expect((await keys().call('GET', path, undefined, BYTES)).text).toBe('hello');
    expect((await keys().call('GET', path, undefined, ANY)).json).toMatchObject({ secret_ref });
    expect((await keys().call('GET', `${path}/payload`, undefined, ANY)).text).toBe('hello');
    expectKeyError(
      await keys().call('GET', `${path}/payload`),
      406,
      'Secret payload retrieval issue seen - Wrong payload content-type.',
    );
    expectKeyError(
      await keys().call('GET', path, undefined, { headers: { accept: 'text/html' } }),
      406,
      'Secret retrieval issue seen - Wrong payload content-type.',
    );
    const deleted = await keys().call('DELETE', path);
    expect([deleted.status, deleted.text]).toEqual([204, '']);
    expectKeyError(await keys().call('DELETE', path), 404, 'Secret not found.');
  });

  it('are created first and given their payload later, once', async () => {
    const { path } = await keys().secret();
    const missing = 'Not Found. Sorry but your secret has no payload.';
    expect(Object.keys((await keys().call('GET', path)).json as object)).not.toContain('content_types');
    expectKeyError(await keys().call('GET', `${path}/payload`, undefined, TEXT), 404, missing);
    const put = (body: string, headers: Record<string, string>) => keys().call('PUT', path, body, { headers });
    const binary = { 'content-type': 'application/octet-stream' };
    const types = "Unexpected content type. Expected content types are: ['application/octet-stream', 'text/plain']";

    expectKeyError(await keys().call('PUT', path, {}), 415, types);
    expectKeyError(await put('x', { 'content-type': 'image/png' }), 415, types);
    expectKeyError(
      await put('', { 'content-type': 'text/plain' }),
      400,
      'Secret update issue seen - No data supplied to process..',
    );
    expectKeyError(
      await put('a'.repeat(20_001), { 'content-type': 'text/plain' }),
      413,
      'Secret update issue seen - Provided information too large to process.',
    );
    expectKeyError(
      await put('aGk=', { ...binary, 'content-encoding': 'gzip' }),
      400,
      "Secret update issue seen - Text-based binary secret payloads must specify a content-encoding of 'base64'.",
    );
    const stored = await put('aGn/', { ...binary, 'content-encoding': 'base64' });
    expect([stored.status, stored.text]).toEqual([204, '']);
    expectKeyError(await put('x', binary), 409, 'Secret already has data, cannot modify it.');
    const raw = await keys().call('GET', `${path}/payload`, undefined, BYTES);
    expect([raw.status, raw.headers.get('content-type')]).toEqual([200, 'application/octet-stream']);
    expectKeyError(
      await keys().call('GET', `${path}/payload`, undefined, TEXT),
      406,
      'Secret payload retrieval issue seen - Wrong payload content-type.',
    );
  });

  it('are refused if they are invalid', async () => {
    const schemaError = (reason: string, field: string) =>
      `Provided object does not match schema 'Secret': ${reason}. Invalid property: '${field}'`;
    const text = { payload_content_type: 'text/plain' };
    const binary = { payload_content_type: 'application/octet-stream' };
    const refused: readonly (readonly [body: object | string, status: number, description: string])[] = [
      ['{', 400, 'Malformed JSON'],
      ['[]', 400, schemaError("[] is not of type 'object'", 'None')],
      [{ name: 1 }, 400, schemaError("1 is not of type 'string', 'null'", 'name')],
      [{ name: 'a'.repeat(256) }, 400, schemaError(`'${'a'.repeat(256)}' is too long`, 'name')],
      [{ bit_length: 0 }, 400, schemaError('0 is less than the minimum of 1', 'bit_length')],
      [{ bit_length: 'x' }, 400, schemaError("'x' is not of type 'integer'", 'bit_length')],
      [
        { secret_type: 'x' },
        400,
        schemaError(
          "'x' is not one of ['symmetric', 'passphrase', 'private', 'public', 'certificate', 'opaque']",
          'secret_type',
        ),
      ],
      [
        { payload: 'x' },
        400,
        schemaError("If 'payload' is supplied, 'payload_content_type' must also be supplied.", 'payload_content_type'),
      ],
      [{ payload: '', ...text }, 400, schemaError("If 'payload' specified, must be non empty", 'payload')],
      [
        { payload: 'x', payload_content_type: 'foo/bar' },
        400,
        schemaError(
          "payload_content_type is not one of ['text/plain', 'text/plain;charset=utf-8', 'text/plain; charset=utf-8', 'application/octet-stream', 'application/pkcs8']",
          'payload_content_type',
        ),
      ],
      [
        { payload: 'x', ...binary },
        400,
        schemaError("payload_content_encoding is not one of ['base64', 'binary']", 'payload_content_encoding'),
      ],
      [
        { payload: 'x', ...text, payload_content_encoding: 'base64' },
        400,
        schemaError('payload_content_encoding is not one of None', 'payload_content_encoding'),
      ],
      [
        { payload: 'x', ...binary, payload_content_encoding: 'base64' },
        400,
        schemaError('Invalid payload for payload_content_encoding', 'payload'),
      ],
      [text, 400, schemaError('payload must be provided when payload_content_type is specified', 'payload')],
      [{ expiration: 'x' }, 400, schemaError("Invalid date for 'expiration'", 'expiration')],
      [{ expiration: '2001-01-01T00:00:00Z' }, 400, schemaError("'expiration' is before current time", 'expiration')],
      [{ payload: 'a'.repeat(20_001), ...text }, 413, 'Provided information too large to process'],
      [`"${'x'.repeat(30_000)}"`, 400, 'Malformed JSON'],
    ];

    for (const [body, status, description] of refused)
      expectKeyError(await keys().call('POST', '/secrets', body), status, description);
    expectKeyError(
      await keys().call('POST', '/secrets', '{}', { headers: { 'content-type': 'text/plain' } }),
      415,
      "Unexpected content type. Expected content types are: ['application/json']",
    );
  });

  it('expire at a time that is returned in UTC', async () => {
    const { path } = await keys().secret({ expiration: '2041-01-01T01:30:00+02:00' });

    expect((await keys().call('GET', path)).json).toMatchObject({ expiration: '2040-12-31T23:30:00' });
  });

  it('are found by name, kind and time, sorted and paged', async () => {
    const name = cloud().name();
    await keys().secret({ name: `${name}-b`, algorithm: 'RSA', bit_length: 2048, secret_type: 'private' });
    await keys().secret({ name: `${name}-a`, algorithm: 'aes', bit_length: 256, mode: 'cbc' });
    await keys().secret({ name: `${name}-c`, expiration: '2041-01-01T00:00:00' });
    const found = async (query: string) => {
      const { secrets, ...rest } = (await keys().call('GET', `/secrets?${query}`)).json as {
        secrets: { name: string }[];
        total: number;
        next?: string;
        previous?: string;
      };
      return { ...rest, names: secrets.map((secret) => secret.name.slice(-1)) };
    };
    const ownQuery = `name=${encodeURIComponent(`${name}-%`)}`;

    expect(await found(`${ownQuery}&sort=name:asc`)).toEqual({ total: 3, names: ['a', 'b', 'c'] });
    expect(await found(`${ownQuery}&sort=name:desc`)).toEqual({ total: 3, names: ['c', 'b', 'a'] });
    expect(await found(`${ownQuery}&sort=bit_length,name`)).toEqual({ total: 3, names: ['c', 'a', 'b'] });
    expect(await found(`name=${name}-_&alg=rsa`)).toMatchObject({ names: ['b'] });
    expect(await found(`${ownQuery}&bits=256&mode=cb%25`)).toMatchObject({ names: ['a'] });
    expect(await found(`${ownQuery}&bits=x&sort=name`)).toMatchObject({ names: ['a', 'b', 'c'] });
    expect(await found(`${ownQuery}&secret_type=private`)).toMatchObject({ names: ['b'] });
    expect(await found(`${ownQuery}&expiration=gt:2040-01-01`)).toMatchObject({ names: ['c'] });
    expect(await found(`${ownQuery}&expiration=gte:2041-01-01T00:00:00,lt:2042-01-01`)).toMatchObject({ names: ['c'] });
    expect(await found(`${ownQuery}&created=lt:2020-01-01`)).toEqual({ total: 0, names: [] });
    const page = await found(`${ownQuery}&sort=name&limit=1&offset=1`);
    expect(page).toEqual({
      total: 3,
      names: ['b'],
      previous: expect.stringMatching(/\/v1\/secrets\?limit=1&offset=0$/),
      next: expect.stringMatching(/\/v1\/secrets\?limit=1&offset=2$/),
    });
    expect(await found(`${ownQuery}&offset=9`)).toEqual({ total: 3, names: [] });
    for (const query of ['sort=foo', 'sort=name:up', 'sort=name,name', 'created=foo', 'updated=gt:2020,gte:2021'])
      expectKeyError(
        await keys().call('GET', `/secrets?${query}`),
        400,
        'URI provided invalid query string parameters.',
      );
  });

  it('have user-defined metadata', async () => {
    const { path, ref } = await keys().secret();
    const metadata = `${path}/metadata`;
    const call = (method: string, suffix = '', body?: object) => keys().call(method, `${metadata}${suffix}`, body);
    const mismatch = (reason: string, field: string, form = 'SecretMetadatum') =>
      `Provided object does not match schema '${form}': ${reason}. Invalid property: '${field}'`;

    expect((await call('GET')).json).toEqual({ metadata: {} });
    const put = await call('PUT', '', { metadata: { A: 'b', c: 'd' } });
    expect([put.status, put.json]).toEqual([201, { metadata_ref: `${ref}/metadata` }]);
    expect((await call('GET')).json).toEqual({ metadata: { a: 'b', c: 'd' } });
    const added = await call('POST', '', { key: 'K', value: 'v' });
    expect([added.status, added.json, added.headers.get('location')]).toEqual([
      201,
      { key: 'k', value: 'v' },
      `${ref}/metadata/k`,
    ]);
    expectKeyError(
      await call('POST', '', { key: 'k', value: 'v' }),
      409,
      'Conflict. Key in request is already in the secret metadata',
    );
    expect((await call('PUT', '/k', { key: 'k', value: 'w' })).json).toEqual({ key: 'k', value: 'w' });
    expect((await call('GET', '/k')).json).toEqual({ key: 'k', value: 'w' });
    expectKeyError(await call('GET', '/zz'), 404, 'Secret metadata not found.');
    expectKeyError(await call('PUT', '/zz', { key: 'zz', value: 'w' }), 404, 'Secret metadata not found.');
    expectKeyError(
      await call('PUT', '/k', { key: 'q', value: 'w' }),
      409,
      'Key in request data does not match key in the ',
    );
    expectKeyError(await call('POST', '/k', {}), 405, '');
    expect((await call('DELETE', '/k')).status).toBe(204);
    expect((await call('DELETE', '/k')).status).toBe(204);
    expectKeyError(await call('DELETE'), 406, null);
    for (const [method, body, description] of [
      ['PUT', {}, mismatch("'metadata' is a required property", 'metadata', 'SecretMetadata')],
      ['PUT', { metadata: 1 }, mismatch("1 is not of type 'object'", 'metadata', 'SecretMetadata')],
      ['PUT', { metadata: { 'a b': 'x' } }, 'Invalid Key. Key must be URL safe.'],
      ['PUT', { metadata: { a: 1 } }, 'Invalid Metadata. Keys and Values must be Strings.'],
      ['POST', { key: 'k' }, mismatch("'value' is a required property", 'value')],
      ['POST', { key: 'k', value: 1 }, mismatch("1 is not of type 'string'", 'value')],
      ['POST', { key: 'k b', value: '1' }, 'Invalid Key. Key must be URL safe.'],
      [
        'POST',
        { key: 'z', value: '1', x: 1 },
        mismatch("Additional properties are not allowed ('x' was unexpected)", 'None'),
      ],
    ] as const)
      expectKeyError(await call(method, '', body), 400, description);
  });

  it('are served under versions and microversions that the root describes', async () => {
    const endpoint = (await cloud().member.session.endpoint('key-manager')).replace(/\/$/, '');
    const root = endpoint.replace(/\/v1$/, '/');
    const newer = { headers: { 'openstack-api-version': 'key-manager 1.1' } };
    const links = [
      { rel: 'self', href: expect.stringMatching(/\/v1\/$/) },
      { rel: 'describedby', type: 'text/html', href: 'https://docs.openstack.org/' },
    ];
    const old = await cloud().fetch(root, 'GET');
    expect([old.status, old.headers.get('openstack-api-version')]).toEqual([300, 'key-manager 1.0']);
    expect(old.json).toMatchObject({ versions: { values: [{ id: 'v1', status: 'stable', links }] } });
    const rejected = await cloud().fetch(root, 'GET', newer);
    const version = { id: 'v1', status: 'CURRENT', min_version: '1.0', max_version: '1.1', links };
    expect([rejected.status, rejected.json]).toEqual([300, { versions: [version] }]);
    expect((await keys().call('GET', '/', undefined, newer)).json).toEqual({ version });

    const { path } = await keys().secret();
    expect((await keys().call('GET', path, undefined, newer)).json).toMatchObject({ consumers: [] });
    const listSecrets = (version: string) =>
      keys().call('GET', '/secrets', undefined, { headers: { 'openstack-api-version': `key-manager ${version}` } });
    expect((await listSecrets('latest')).headers.get('openstack-api-version')).toBe('key-manager 1.1');
    expect((await listSecrets('1.9')).json).toEqual({
      code: '406 Not Acceptable',
      title: 'Not Acceptable',
      message: expect.stringContaining('Invalid microversion: Unacceptable version header: 1.9'),
    });
    expect((await listSecrets('x')).json).toEqual({
      code: '400 Bad Request',
      title: 'Bad Request',
      message: expect.stringContaining('Invalid microversion: invalid version string: x'),
    });
  });

  it('report unknown paths in Barbican’s own error format', async () => {
    const { path } = await keys().secret();
    const cases: readonly (readonly [method: string, path: string, status: number, description: string | null])[] = [
      ['GET', '/nope', 404, ''],
      ['GET', `${path}/nope`, 404, ''],
      ['GET', '/secrets/x', 404, 'Not Found. Provided secret id is invalid.'],
      ['GET', `/secrets/${NO_SUCH_ID}`, 404, 'Secret not found.'],
      ['DELETE', '/secrets', 406, null],
      ['POST', path, 406, null],
      ['POST', `${path}/payload`, 405, ''],
      ['PUT', '/quotas', 406, null],
      ['GET', '/secret-stores', 404, 'Not Found. Multiple backends support is not enabled in service configuration.'],
    ];

    for (const [method, at, status, description] of cases)
      expectKeyError(await keys().call(method, at), status, description);
    expect((await keys().call('GET', '/transport_keys')).json).toEqual({ transport_keys: [], total: 0 });
  });
});
