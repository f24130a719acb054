import { bucketOf } from '@fairway/apiserver/server/served-resource';
import {
  createEncryptionKey,
  encryptBuckets,
  parseEncryptionKeys,
  renderEncryptionKeys,
  type ValueCodec,
} from '@fairway/apiserver/store/encryption';
import { type Clock, formatTime } from '@fairway/base/clock';
import { Secrets } from '@fairway/kube/kinds/resources';
import type { Home } from './home.ts';

/** Encrypts Secrets with the keys in the home; creates the first key if none exists. */
export function secretsEncryption(home: Home, clock: Clock): ValueCodec {
  const stored = home.read(home.encryptionKeys);
  const keys =
    stored === undefined ? [createEncryptionKey(formatTime(clock.now()).slice(0, 10))] : parseEncryptionKeys(stored);
  if (stored === undefined) home.write(home.encryptionKeys, renderEncryptionKeys(keys));
  return encryptBuckets([bucketOf(Secrets)], keys);
}
