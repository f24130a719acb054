import type { CloudCredentialPhase } from '@fairway/api/kinds/cloud-credential';
import { expect, it } from 'vitest';
import { phaseOf } from './phase.ts';

it.each<{ previous: CloudCredentialPhase | undefined; users: number; phase: CloudCredentialPhase; reason: string }>([
  { previous: undefined, users: 0, phase: 'Available', reason: 'new' },
  { previous: undefined, users: 1, phase: 'Bound', reason: 'a cluster waits for the new credential' },
  { previous: 'Available', users: 0, phase: 'Available', reason: 'no cluster uses it yet' },
  { previous: 'Available', users: 1, phase: 'Bound', reason: 'the first cluster uses it' },
  { previous: 'Bound', users: 2, phase: 'Bound', reason: 'several clusters share it' },
  { previous: 'Bound', users: 0, phase: 'Released', reason: 'the last cluster was deleted' },
  { previous: 'Released', users: 0, phase: 'Released', reason: 'no cluster has used it since' },
  { previous: 'Released', users: 1, phase: 'Bound', reason: 'a retained credential is used again' },
])('$previous with $users clusters is $phase: $reason', ({ previous, users, phase }) => {
  expect(phaseOf(previous, users)).toBe(phase);
});
