import { SqliteDatabase } from './sqlite-database.ts';

/**
 * Runs as a separate process that a test kills. It writes into two keyspaces as fast as possible, and prints each
 * acknowledged write: `keyspace key revision`, with `-` before the key of a removal.
 */
async function main(path: string): Promise<void> {
  const database = SqliteDatabase.open(path);
  const stores = ['a', 'b'].map((name) => ({ name, store: database.store(name) }));
  for (let round = 0; ; round++) {
    const writes = stores.flatMap(({ name, store }) =>
      [0, 1, 2].map(async (slot) => {
        const key = `ns/${(round + slot * 7) % 40}`;
        const expected = store.get('pods', key);
        const remove = expected !== undefined && (round + slot) % 5 === 0;
        const encode = (revision: number) => ({ text: JSON.stringify({ metadata: { name: key, revision } }) });
        const { entry } = await store.write({ bucket: 'pods', key, expected, remove, encode });
        return `${name} ${remove ? '-' : ''}${key} ${entry.revision}\n`;
      }),
    );
    const lines = await Promise.all(writes);
    process.stdout.write(lines.join(''));
  }
}

await main(process.argv[2] ?? '');
