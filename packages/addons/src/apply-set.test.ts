import { DaemonSets, ServiceAccounts } from '@fairway/kube/kinds/resources';
import { expect, test } from 'vitest';
import { APPLY_SET_ID, adoptedRequest, applySet } from './apply-set.ts';

test('the ID follows the proposal: it is built from the name, namespace, kind and group, and is a valid label value', () => {
  // printf 'fairway-addons.kube-system.ConfigMap.' | sha256sum | xxd -r -p | basenc --base64url
  expect(APPLY_SET_ID).toBe('applyset-BMWOiD40debfSmD3tQGw0qJGCo8gheR_110GCMmAlxo-v1');
  expect(APPLY_SET_ID.length).toBeLessThanOrEqual(63);
});

test('the record contains each kind once, in order, and the fulfilled request', () => {
  const members = [
    { type: ServiceAccounts, name: 'a' },
    { type: DaemonSets, name: 'a' },
    { type: ServiceAccounts, name: 'b' },
  ];
  const { object } = applySet(members, 'now');

  expect(object.metadata.annotations).toMatchObject({
    'applyset.kubernetes.io/contains-group-kinds': 'DaemonSet.apps,ServiceAccount',
    'applyset.kubernetes.io/tooling': 'fairway/v1',
  });
  expect(adoptedRequest(object)).toBe('now');
  expect(adoptedRequest(applySet(members, undefined).object)).toBeUndefined();
});
