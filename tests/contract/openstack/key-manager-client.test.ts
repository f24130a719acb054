import { expect, it } from 'vitest';
import { NO_SUCH_ID } from './contract-cloud.ts';
import { KeyCloud } from './key-cloud.ts';
import { describeClouds } from './targets.ts';

const BYTES = { payload_content_type: 'application/octet-stream', payload_content_encoding: 'base64' } as const;

describeClouds('the key manager client', (cloud) => {
  const keys = () => cloud().member.keyManager;

  async function store(name: string): Promise<string> {
    const reference = await keys().createSecret({ name, payload: Buffer.from('x').toString('base64'), ...BYTES });
    cloud().defer(() => keys().deleteSecret(reference.split('/').at(-1) ?? ''));
    return reference;
  }

  it('stores a secret under a name, with its creator', async () => {
    const name = cloud().name();
    const reference = await store(name);
    const id = reference.split('/').at(-1) ?? '';

    const secret = await keys().secret(id);

    const creator_id = await keys().userId();
    expect(secret).toMatchObject({ id, secret_ref: reference, name, status: 'ACTIVE', creator_id });
    expect(secret.content_types).toEqual({ default: 'application/octet-stream' });
    await keys().deleteSecret(id);
    await expect(keys().secret(id)).rejects.toMatchObject({ kind: 'notFound' });
    await expect(keys().deleteSecret(id)).rejects.toMatchObject({ kind: 'notFound' });
  });

  it('lists secrets by name prefix, page by page', async () => {
    const prefix = cloud().name();
    const created: string[] = [];
    for (const each of ['a', 'b', 'c']) created.push(await store(`${prefix}-${each} default/x`));
    await store(`other-${prefix}`);

    const found = await Array.fromAsync(keys().secrets({ name: `${prefix}-%` }, { pageSize: 2 }));

    expect(found.map(({ secret_ref: ref }) => ref).sort()).toEqual(created.sort());
  });

  it('reads containers by their secrets’ roles', async () => {
    const reference = await store(cloud().name());
    const secret_refs = [{ name: 'certificate', secret_ref: reference }];
    const { id, ref } = await new KeyCloud(cloud()).make('containers', { type: 'certificate', secret_refs });

    expect(await keys().container(id)).toEqual({ container_ref: ref, type: 'certificate', secret_refs });
    await expect(keys().container(NO_SUCH_ID)).rejects.toMatchObject({ kind: 'notFound' });
  });

  it('reports a secret of another project as forbidden', async () => {
    const reference = await store(cloud().name());
    const id = reference.split('/').at(-1) ?? '';

    await expect(cloud().other?.keyManager.secret(id)).rejects.toMatchObject({ kind: 'forbidden' });
  });
});
