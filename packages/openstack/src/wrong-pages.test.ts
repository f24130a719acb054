import { describe, expect, it } from 'vitest';
import { ServerGroups } from './compute/server-groups.ts';
import { ResponseTooLargeError } from './http/response-too-large-error.ts';
import { KeyManager } from './key-manager/key-manager.ts';
import type { ApiCall, ServiceApi } from './service-api.ts';
import { Shares } from './shared-file-system/shares.ts';

const CALL = { service: 'any', method: 'GET', template: '/any' } as const;
const LIMIT = 16;

interface ListRequest {
  readonly limit: number;
  readonly offset: number;
  /** Number of earlier calls. */
  readonly before: number;
}

/** Returns the items of a page, or throws the page's error. */
type Cloud = (question: ListRequest) => { readonly ids: readonly string[]; readonly isMore: boolean };

const LISTS = {
  'shares of Manila': (api: ServiceApi) => new Shares(api).list({}, { pageSize: LIMIT }),
  'server groups of Nova': (api: ServiceApi) => new ServerGroups(api).list({ pageSize: LIMIT }),
  'secrets of Barbican': (api: ServiceApi) => new KeyManager(api).secrets({}, { pageSize: LIMIT }),
};

function apiOf(cloud: Cloud): { readonly api: ServiceApi; readonly requests: ListRequest[] } {
  const requests: ListRequest[] = [];
  const get = async (_schema: unknown, _template: string, { query }: ApiCall) => {
    const question = { limit: Number(query?.['limit']), offset: Number(query?.['offset']), before: requests.length };
    requests.push(question);
    const { ids, isMore } = cloud(question);
    return {
      shares: ids.map((id) => ({ id, status: 'available', size: 1, share_proto: 'NFS' })),
      server_groups: ids.map((id) => ({ id, name: id, policy: 'anti-affinity' })),
      secrets: ids.map((id) => ({ id, secret_ref: `http://keys/v1/secrets/${id}`, status: 'ACTIVE' })),
      total: ids.length,
      ...(isMore && { next: 'http://keys/v1/secrets' }),
    };
  };
  return { api: { service: 'any', get } as unknown as ServiceApi, requests };
}

const ALL_IDS = Array.from({ length: 40 }, (_, index) => `id-${index}`);

/** A cloud whose pages are too large if they have more than `most` items. */
function cloudWithPageLimit(most: number): Cloud {
  return ({ limit, offset }) => {
    const ids = ALL_IDS.slice(offset, offset + limit);
    if (ids.length > most) throw new ResponseTooLargeError({ ...CALL, message: 'too large' });
    return { ids, isMore: offset + limit < ALL_IDS.length };
  };
}

describe.each(Object.entries(LISTS))('%s', (_, list) => {
  const idsOf = async (api: ServiceApi) => (await Array.fromAsync<{ id: string }>(list(api))).map(({ id }) => id);

  it('are read in smaller pages after a page that was too large', async () => {
    const { api, requests } = apiOf(cloudWithPageLimit(5));

    expect(await idsOf(api)).toEqual(ALL_IDS);
    expect(requests.map(({ limit }) => limit).slice(0, 2)).toEqual([16, 2]);
  });

  it('fail if the smallest page is too large', async () => {
    const { api, requests } = apiOf(cloudWithPageLimit(0));

    await expect(idsOf(api)).rejects.toBeInstanceOf(ResponseTooLargeError);
    expect(requests.length).toBeLessThan(4);
  });

  it.each<{ is: string; cloud: Cloud }>([
    { is: 'the same page forever', cloud: () => ({ ids: ALL_IDS.slice(0, LIMIT), isMore: true }) },
    { is: 'the whole list forever', cloud: () => ({ ids: ALL_IDS, isMore: true }) },
  ])('are not read forever if a cloud returns $is', async ({ cloud }) => {
    const { api, requests } = apiOf(cloud);

    await expect(idsOf(api)).rejects.toThrow('the list does not end');
    expect(requests.length).toBeLessThan(12);
  });

  it('are listed once if a cloud’s pages grow regardless of the limit', async () => {
    const { api, requests } = apiOf(({ offset, before }) => {
      const size = LIMIT + 8 * before;
      return { ids: ALL_IDS.slice(offset, offset + size), isMore: offset + size < ALL_IDS.length };
    });

    expect(await idsOf(api)).toEqual(ALL_IDS);
    expect(requests.length).toBeLessThan(4);
  });
});
