import { expect, it } from 'vitest';
import { NO_SUCH_ID } from './contract-cloud.ts';
import { expectKeyError, KeyCloud } from './key-cloud.ts';
import { describeClouds } from './targets.ts';

interface Container {
  readonly secret_refs: readonly { readonly name: string | null; readonly secret_ref: string }[];
  readonly [field: string]: unknown;
}

describeClouds('containers of secrets', (cloud) => {
  const keys = (): KeyCloud => new KeyCloud(cloud());
  const show = async (path: string): Promise<Container> => {
    const container = (await keys().call('GET', path)).json as Container;
    return {
      ...container,
      secret_refs: container.secret_refs.toSorted((a, b) => (String(a.name) < String(b.name) ? -1 : 1)),
    };
  };

  it('group secrets, which can be added and removed', async () => {
    const [a, b] = [await keys().text('a'), await keys().secret()];
    const name = cloud().name();
    const { path, ref } = await keys().make('containers', {
      type: 'generic',
      name,
      secret_refs: [{ name: 'x', secret_ref: a.ref }],
    });
    const part = { name: 'y', secret_ref: b.ref };

    expect(await show(path)).toEqual({
      created: expect.stringMatching(/T/),
      updated: expect.stringMatching(/T/),
      status: 'ACTIVE',
      name,
      type: 'generic',
      creator_id: expect.any(String),
      secret_refs: [{ name: 'x', secret_ref: a.ref }],
      consumers: [],
      container_ref: ref,
    });
    const added = await keys().call('POST', `${path}/secrets`, part);
    expect([added.status, added.json, added.headers.get('location')]).toEqual([201, { container_ref: ref }, ref]);
    expectKeyError(
      await keys().call('POST', `${path}/secrets`, part),
      409,
      /^Conflict\. A secret with that name and ID/,
    );
    expect((await show(path)).secret_refs).toEqual([{ name: 'x', secret_ref: a.ref }, part]);
    expect((await keys().call('DELETE', `${path}/secrets`, part)).status).toBe(204);
    expectKeyError(
      await keys().call('DELETE', `${path}/secrets`, part),
      404,
      'Secret provided is not in the container',
    );
    const missingRef = b.ref.replace(b.id, NO_SUCH_ID);
    expectKeyError(
      await keys().call('POST', `${path}/secrets`, { secret_ref: missingRef }),
      404,
      "Secret provided doesn't exist.",
    );
    expectKeyError(await keys().call('GET', `${path}/secrets`), 406, null);

    await keys().call('DELETE', a.path);
    expect((await show(path)).secret_refs).toEqual([]);
    const list = await keys().call('GET', `/containers?name=${name}&type=generic`);
    expect(list.json).toMatchObject({ containers: [{ container_ref: ref }], total: 1 });
    expect((await keys().call('GET', `/containers?name=${name}&type=rsa`)).json).toEqual({ containers: [], total: 0 });
    expect((await keys().call('DELETE', path)).status).toBe(204);
    expectKeyError(await keys().call('GET', path), 404, 'Secrets container not found.');
  });

  it('are refused if they are invalid', async () => {
    const { ref, id } = await keys().secret();
    const other = (await keys().secret()).ref;
    const wrong = (reason: string, field = 'secret_refs') =>
      `Provided object does not match schema 'Container': ${reason}. Invalid property: '${field}'`;
    const refused: readonly (readonly [body: object, status: number, description: string])[] = [
      [{}, 400, wrong("'type' is a required property", 'None')],
      [{ type: 'x' }, 400, wrong("'x' is not one of ['generic', 'rsa', 'certificate']", 'type')],
      [{ type: 'generic', name: 1 }, 400, wrong("1 is not of type 'string', 'null'", 'name')],
      [{ type: 'generic', secret_refs: 1 }, 400, wrong("1 is not of type 'array'")],
      [{ type: 'generic', secret_refs: [{}] }, 400, wrong("'secret_ref' is a required property")],
      [
        {
          type: 'generic',
          secret_refs: [
            { secret_ref: ref, name: 'a' },
            { secret_ref: other, name: 'a' },
          ],
        },
        400,
        wrong('Duplicate reference names are not allowed'),
      ],
      [
        {
          type: 'generic',
          secret_refs: [
            { secret_ref: ref, name: 'a' },
            { secret_ref: ref, name: 'b' },
          ],
        },
        400,
        wrong('Duplicate secret ids are not allowed'),
      ],
      [
        { type: 'generic', secret_refs: [{ secret_ref: `http://elsewhere.test/v1/secrets/${id}`, name: 'a' }] },
        400,
        'Provided field value is not supported',
      ],
      [
        { type: 'generic', secret_refs: [{ secret_ref: ref.replace(id, NO_SUCH_ID), name: 'a' }] },
        404,
        "Secret provided for 'a' doesn't exist.",
      ],
      [
        { type: 'rsa', secret_refs: [{ secret_ref: ref, name: 'a' }] },
        400,
        wrong("only 'private_key', 'public_key' and 'private_key_passphrase' reference names are allowed for RSA type"),
      ],
      [
        { type: 'rsa', secret_refs: [{ secret_ref: ref, name: 'public_key' }] },
        400,
        wrong("The minimum required reference names are 'public_key' and'private_key' for RSA type"),
      ],
      [
        { type: 'certificate', secret_refs: [{ secret_ref: ref, name: 'private_key' }] },
        400,
        wrong("The minimum required reference name is 'certificate' for Certificate type"),
      ],
    ];

    for (const [body, status, description] of refused)
      expectKeyError(await keys().call('POST', '/containers', body), status, description);
    expectKeyError(await keys().call('GET', '/containers/x'), 404, 'Not Found. Provided container id is invalid.');
    const certificate = await keys().make('containers', {
      type: 'certificate',
      secret_refs: [{ name: 'certificate', secret_ref: ref }],
    });
    expectKeyError(
      await keys().call('POST', `${certificate.path}/secrets`, { secret_ref: other }),
      400,
      "Only 'generic' containers can be modified.",
    );
    expectKeyError(await keys().call('PUT', certificate.path, {}), 405, '');
  });

  it('list their consumers, including consumers from other projects that may read them', async () => {
    const { path, id } = await keys().make('containers', { type: 'generic' });
    const { token, userId } = await keys().as('other');
    const consumer = { name: 'lb', URL: 'http://lb.test/1' };
    const consumers = `${path}/consumers`;

    expectKeyError(
      await keys().call('POST', consumers, consumer, { token }),
      403,
      'ContainerConsumer creation attempt not allowed - please review your user/project privileges',
    );
    await keys().call('PUT', `${path}/acl`, { read: { users: [userId], 'project-access': false } });
    const created = await keys().call('POST', consumers, consumer, { token });
    expect([created.status, created.json]).toEqual([200, expect.objectContaining({ consumers: [consumer] })]);
    expect(created.headers.get('location')).toMatch(new RegExp(`/v1/consumers/${id}/consumers$`));
    expect((await keys().call('GET', consumers)).json).toMatchObject({
      consumers: [{ ...consumer, status: 'ACTIVE' }],
      total: 1,
    });
    expectKeyError(
      await keys().call('POST', consumers, { name: 'm' }),
      400,
      "Provided object does not match schema 'Consumer': 'URL' is a required property. Invalid property: 'None'",
    );
    expectKeyError(await keys().call('GET', `${consumers}/x`), 404, 'Not Found. Provided consumer id is invalid.');
    expectKeyError(await keys().call('GET', `${consumers}/${NO_SUCH_ID}`), 404, 'Consumer not found.');
    expect((await keys().call('DELETE', consumers, consumer)).json).toMatchObject({ consumers: [] });
    expectKeyError(await keys().call('DELETE', consumers, consumer), 404, 'Consumer not found.');
    expectKeyError(
      await keys().call('DELETE', path, undefined, { token }),
      403,
      'Container deletion attempt not allowed - please review your user/project privileges',
    );
  });
});
