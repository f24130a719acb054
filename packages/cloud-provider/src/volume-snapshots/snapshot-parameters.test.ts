import { expect, test } from 'vitest';
import { readSnapshotParameters } from './snapshot-parameters.ts';

test.each([
  { parameters: undefined, isForced: true },
  { parameters: { type: 'snapshot' }, isForced: true },
  { parameters: { 'force-create': 'true' }, isForced: true },
  { parameters: { 'force-create': 'false' }, isForced: false },
])('reads $parameters', ({ parameters, isForced }) => {
  expect(readSnapshotParameters(parameters)).toEqual({ isForced });
});

test.each([
  { parameters: { type: 'backup' }, message: /"type" is "backup", but Fairway supports only snapshots/ },
  { parameters: { 'backup-max-duration-seconds-per-gb': '20' }, message: /is for backups/ },
  { parameters: { availability: 'nova' }, message: /is for backups/ },
  { parameters: { type: 'clone' }, message: /"type" is "clone"/ },
  { parameters: { 'force-create': 'yes' }, message: /"force-create" is "yes": use "true" or "false"/ },
  { parameters: { 'csi.storage.k8s.io/snapshotter-secret-name': 'x' }, message: /refers to a credential/ },
  { parameters: { 'csi.storage.k8s.io/snapshotter-list-secret-namespace': 'x' }, message: /refers to a credential/ },
  { parameters: { speed: 'high' }, message: /"speed" is unknown: use force-create, type/ },
])('refuses $parameters', ({ parameters, message }) => {
  expect(readSnapshotParameters(parameters as Record<string, string>)).toMatch(message);
});
