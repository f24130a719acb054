import { systemClock } from '@fairway/base/clock';
import { MissingObjectError } from '@fairway/control-plane/off-host/object-store';
import { S3Store } from '@fairway/control-plane/off-host/s3-store';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ACCESS_KEY, missingForSwift, SECRET_KEY, SwiftServer } from './off-host/swift-server.ts';

const described = missingForSwift.length === 0 ? '' : ` (skipped: there is no ${missingForSwift.join(', no ')})`;

describe.skipIf(missingForSwift.length > 0)(`an S3 bucket of a real Swift${described}`, () => {
  let swift: SwiftServer;
  let store: S3Store;

  beforeAll(async () => {
    swift = await SwiftServer.start();
    store = storeWith(SECRET_KEY);
    await swift.makeBucket('fairway');
  });
  afterAll(async () => {
    await store?.close();
    await swift?.[Symbol.asyncDispose]();
  });

  function storeWith(secretAccessKey: string, bucket = 'fairway'): S3Store {
    return new S3Store({
      endpoint: swift.endpoint,
      bucket,
      region: 'us-east-1',
      prefix: 'a prefix/',
      credentials: () => ({ accessKeyId: ACCESS_KEY, secretAccessKey }),
      clock: systemClock,
    });
  }

  test('stores objects, lists them in pages, and deletes them', async () => {
    const bytes = Buffer.alloc(3_000_000, 'x');
    await store.put('one/ä & <b>+', bytes);
    await store.put('one/two', Buffer.from('2'));
    await store.put('other', Buffer.from(''));

    expect(await store.list('one/')).toEqual([
      { key: 'one/two', sizeBytes: 1 },
      { key: 'one/ä & <b>+', sizeBytes: 3_000_000 },
    ]);
    expect((await store.get('one/ä & <b>+')).equals(bytes)).toBe(true);
    await store.remove('one/two');
    await store.remove('one/two');
    await expect(store.get('one/two')).rejects.toThrow(MissingObjectError);
    expect((await store.list('')).length).toBe(2);
  });

  test('reports the error for wrong keys and for a missing bucket', async () => {
    const wrongKeyStore = storeWith('another secret');
    const missingBucketStore = storeWith(SECRET_KEY, 'nowhere');

    await expect(wrongKeyStore.list('')).rejects.toThrow(/answers 403 \(SignatureDoesNotMatch/);
    await expect(missingBucketStore.list('')).rejects.toThrow(/answers 404 \(NoSuchBucket/);
    await Promise.all([wrongKeyStore.close(), missingBucketStore.close()]);
  });
});
