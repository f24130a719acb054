import { beforeAll, expect, it } from 'vitest';
import type { ContractServer } from './contract-server.ts';
import { describeServers } from './targets.ts';

const merge = { 'content-type': 'application/merge-patch+json' };

interface SeenEvent {
  readonly type: string;
  readonly object: {
    readonly kind: string;
    readonly code?: number;
    readonly reason?: string;
    readonly metadata: { name?: string; resourceVersion: string; annotations?: Record<string, string> };
  };
}

/** The events of a watch, until the server ends it. */
async function readWatch(server: ContractServer, path: string): Promise<SeenEvent[]> {
  const { text } = await server.raw('GET', `${path}${path.includes('?') ? '&' : '?'}watch=1&timeoutSeconds=1`);
  return text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as SeenEvent);
}

function summarize(events: readonly SeenEvent[]): string[] {
  return events.map(({ type, object }) => `${type} ${object.metadata.name ?? ''}`.trim());
}

describeServers('watches', (server, target) => {
  let maps: string;

  beforeAll(async () => {
    maps = `/api/v1/namespaces/${await server().namespace()}/configmaps`;
  });

  async function create(name: string, labels: Record<string, string> = {}): Promise<string> {
    const body = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name, labels } };
    return (await server().raw('POST', maps, { body })).json.metadata.resourceVersion;
  }

  async function label(name: string, labels: Record<string, string | null>): Promise<string> {
    const body = { metadata: { labels } };
    return (await server().raw('PATCH', `${maps}/${name}`, { body, headers: merge })).json.metadata.resourceVersion;
  }

  it('continue after the given version, in order, with each change once', async () => {
    const before = await create('ordered', { own: 'order' });
    const changes = [await label('ordered', { step: '1' }), await label('ordered', { step: '2' })];
    await server().raw('DELETE', `${maps}/ordered`);

    const events = await readWatch(server(), `${maps}?labelSelector=own%3Dorder&resourceVersion=${before}`);

    expect(summarize(events)).toEqual(['MODIFIED ordered', 'MODIFIED ordered', 'DELETED ordered']);
    expect(events.slice(0, 2).map(({ object }) => object.metadata.resourceVersion)).toEqual(changes);
    const versions = events.map(({ object }) => Number(object.metadata.resourceVersion));
    expect(versions).toEqual(versions.toSorted((a, b) => a - b));
    expect(versions[2]).toBeGreaterThan(versions[1] ?? 0);
  });

  it('neither miss nor repeat events when resumed at any version', async () => {
    const versions = [await create('resumed', { own: 'resumption' })];
    for (const step of ['1', '2', '3']) versions.push(await label('resumed', { step }));

    const watchesFrom = await Promise.all(
      versions.map((version) =>
        readWatch(server(), `${maps}?labelSelector=own%3Dresumption&resourceVersion=${version}`),
      ),
    );

    expect(watchesFrom.map((events) => events.map(({ object }) => object.metadata.resourceVersion))).toEqual(
      versions.map((_, index) => versions.slice(index + 1)),
    );
  });

  it('report objects as they enter and leave a selection', async () => {
    const before = await create('passing');
    await label('passing', { own: 'passage' });
    await label('passing', { step: '1' });
    await label('passing', { own: null });
    await label('passing', { step: '2' });

    const events = await readWatch(server(), `${maps}?labelSelector=own%3Dpassage&resourceVersion=${before}`);

    expect(summarize(events)).toEqual(['ADDED passing', 'MODIFIED passing', 'DELETED passing']);
  });

  it.each(['', 'resourceVersion=0'])(
    'start with the current objects if they specify no version ("%s")',
    async (version) => {
      await create(`there-${version.length}`, { own: `there${version.length}` });

      const events = await readWatch(server(), `${maps}?labelSelector=own%3Dthere${version.length}&${version}`);

      expect(summarize(events)).toEqual([`ADDED there-${version.length}`]);
    },
  );

  it('report only the object with the selected name', async () => {
    const before = await create('single');
    await create('other-single');
    await label('single', { step: '1' });

    const events = await readWatch(server(), `${maps}?fieldSelector=metadata.name%3Dsingle&resourceVersion=${before}`);

    expect(summarize(events)).toEqual(['MODIFIED single']);
  });

  // Streaming lists are off by default in 1.31 and 1.33.
  it.runIf(target.minor >= 34)('stream the initial state, and mark its end', async () => {
    await create('initial', { own: 'initial' });

    const events = await readWatch(
      server(),
      `${maps}?labelSelector=own%3Dinitial&sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true`,
    );

    expect(summarize(events.slice(0, 2))).toEqual(['ADDED initial', 'BOOKMARK']);
    expect(events[1]?.object.kind).toBe('ConfigMap');
    expect(events[1]?.object.metadata.annotations).toEqual({ 'k8s.io/initial-events-end': 'true' });
    expect(Number(events[1]?.object.metadata.resourceVersion)).toBeGreaterThanOrEqual(
      Number(events[0]?.object.metadata.resourceVersion),
    );
  });

  it('return tables and metadata on request', async () => {
    const before = await create('formed', { own: 'form' });
    await label('formed', { step: '1' });
    const path = `${maps}?watch=1&timeoutSeconds=1&labelSelector=own%3Dform&resourceVersion=${before}`;
    const as = async (kind: string) => {
      const accept = `application/json;as=${kind};v=v1;g=meta.k8s.io`;
      return JSON.parse(
        (await server().raw('GET', path, { headers: { accept } })).text.split('\n')[0] ?? '',
      ) as SeenEvent;
    };

    expect(await as('Table')).toMatchObject({
      type: 'MODIFIED',
      object: { kind: 'Table', rows: [{ cells: ['formed', 0, expect.any(String)] }] },
    });
    expect(await as('PartialObjectMetadata')).toMatchObject({
      type: 'MODIFIED',
      object: { kind: 'PartialObjectMetadata', metadata: { name: 'formed' } },
    });
  });
});
