import { createPrivateKey, createPublicKey } from 'node:crypto';
import { expect, it } from 'vitest';
import { expectKeyError, KeyCloud } from './key-cloud.ts';
import { describeClouds } from './targets.ts';

interface Order {
  readonly status: string;
  readonly secret_ref?: string;
  readonly container_ref?: string;
  readonly [field: string]: unknown;
}

describeClouds('orders of keys', (cloud) => {
  const keys = (): KeyCloud => new KeyCloud(cloud());
  const idOf = (ref: string | undefined) => ref?.split('/').at(-1) ?? '';
  const bytesOf = async (ref: string | undefined) =>
    (
      await keys().call('GET', `/secrets/${idOf(ref)}/payload`, undefined, {
        headers: { accept: 'application/octet-stream' },
      })
    ).text;

  /** Resolves with the order once it has been processed; its result is deleted after the test. */
  async function order(type: string, meta: object): Promise<Order> {
    const created = await keys().call('POST', '/orders', { type, meta });
    expect([created.status, created.json]).toEqual([202, { order_ref: created.headers.get('location') }]);
    const path = `/orders/${idOf(created.headers.get('location') ?? '')}`;
    const done = await cloud().waitUntil(`${path} is done`, async () => {
      const shown = (await keys().call('GET', path)).json as Order;
      return shown.status === 'PENDING' && type !== 'certificate' ? undefined : shown;
    });
    cloud().defer(() => keys().call('DELETE', `/secrets/${idOf(done.secret_ref)}`));
    cloud().defer(() => keys().call('DELETE', `/containers/${idOf(done.container_ref)}`));
    return done;
  }

  it('create a key', async () => {
    const name = cloud().name();
    const done = await order('key', { name, algorithm: 'aes', bit_length: 256, mode: 'cbc' });

    expect(done).toEqual({
      created: expect.stringMatching(/T/),
      updated: expect.stringMatching(/T/),
      status: 'ACTIVE',
      type: 'key',
      meta: { name, algorithm: 'aes', bit_length: 256, mode: 'cbc', expiration: null },
      sub_status: 'Unknown',
      sub_status_message: 'Unknown',
      creator_id: expect.any(String),
      secret_ref: expect.any(String),
      order_ref: expect.any(String),
    });
    expect((await keys().call('GET', `/secrets/${idOf(done.secret_ref)}`)).json).toMatchObject({
      name,
      secret_type: 'symmetric',
      algorithm: 'aes',
      bit_length: 256,
      mode: 'cbc',
      content_types: { default: 'application/octet-stream' },
    });
    const listed = (await keys().call('GET', '/orders?limit=100')).json as { orders: Order[] };
    expect(listed.orders.map(({ order_ref }) => order_ref)).toContain(done['order_ref']);
  });

  it('create a key pair, with a passphrase if given', async () => {
    const done = await order('asymmetric', { algorithm: 'rsa', bit_length: 1024, passphrase: 'pp' });
    const container = (await keys().call('GET', `/containers/${idOf(done.container_ref)}`)).json as {
      type: string;
      secret_refs: readonly { name: string; secret_ref: string }[];
    };
    const part = (name: string) => bytesOf(container.secret_refs.find((secret) => secret.name === name)?.secret_ref);

    expect(container).toMatchObject({ type: 'rsa' });
    const privateKey = createPrivateKey({ key: await part('private_key'), passphrase: 'pp' });
    const publicKey = createPublicKey(await part('public_key'));
    expect(createPublicKey(privateKey).equals(publicKey)).toBe(true);
    expect(await part('private_key_passphrase')).toBe('pp');
    for (const { secret_ref } of container.secret_refs)
      cloud().defer(() => keys().call('DELETE', `/secrets/${idOf(secret_ref)}`));
  });

  it.each([
    ['key', 'foo', 256, '400', 'Process TypeOrder issue seen - Secret generate supported plugin not found..'],
    ['asymmetric', 'aes', 128, '400', 'Process TypeOrder issue seen - Requested algorithm is not supported.'],
    ['asymmetric', 'rsa', 1000, '500', 'Process TypeOrder failure seen - please contact site administrator.'],
  ])('fail for a %s with %s of %i bits', async (type, algorithm, bit_length, status, reason) => {
    expect(await order(type, { algorithm, bit_length })).toMatchObject({
      status: 'ERROR',
      error_status_code: status,
      error_reason: reason,
    });
  });

  it('wait for a CA if they are certificate orders', async () => {
    expect(await order('certificate', {})).toMatchObject({ status: 'PENDING', sub_status: 'cert_request_pending' });
  });

  it('are refused if they are invalid', async () => {
    const wrong = (reason: string, field: string, form = 'Order') =>
      `Provided object does not match schema '${form}': ${reason}. Invalid property: '${field}'`;
    for (const [body, description] of [
      [{}, wrong("'meta' is a required property", 'meta')],
      [{ type: 'x', meta: {} }, wrong("'x' is not one of ['key', 'asymmetric', 'certificate']", 'type')],
      [{ type: 'key', meta: {} }, wrong("'algorithm' is required field for key type order", 'meta')],
      [
        { type: 'asymmetric', meta: { algorithm: 'rsa' } },
        wrong("'bit_length' is required field for asymmetric key type order", 'meta'),
      ],
      [{ type: 'key', meta: { algorithm: 'aes', bit_length: 255 } }, 'Provided field value is not supported'],
      [
        { type: 'key', meta: { algorithm: 'aes', bit_length: 256, payload: 'x' } },
        wrong(
          "If 'payload' is supplied, 'payload_content_type' must also be supplied.",
          'payload_content_type',
          "Secret' within 'Order",
        ),
      ],
      [{ type: 'certificate', meta: { request_type: 'zz' } }, 'Invalid Certificate Request Type'],
      [
        { type: 'certificate', meta: { request_type: 'stored-key' } },
        'Missing required metadata field for container_ref',
      ],
    ] as const)
      expectKeyError(await keys().call('POST', '/orders', body), 400, description);
    expectKeyError(await keys().call('PUT', '/orders', {}), 405, 'Order update is not supported.');
    expectKeyError(await keys().call('GET', '/orders/x'), 404, 'Order not found.');
  });
});

describeClouds('key quotas', (cloud) => {
  it('are shown to the project, and hidden from other users', async () => {
    const keys = new KeyCloud(cloud());
    const reader = await keys.as('reader');
    const notAllowed = (operation: string) =>
      `${operation} attempt not allowed - please review your user/project privileges`;

    expect((await keys.call('GET', '/quotas')).json).toEqual({
      quotas: { secrets: -1, orders: -1, containers: -1, consumers: -1, cas: -1 },
    });
    expectKeyError(await keys.call('GET', '/project-quotas'), 403, notAllowed('Project Quotas'));
    const body = { project_quotas: { secrets: 5 } };
    expectKeyError(
      await keys.call('PUT', '/project-quotas/x', body, { token: reader.token }),
      403,
      notAllowed('Project Quotas'),
    );
  });
});
