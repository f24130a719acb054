import type { CloudCredentialPhase } from '@fairway/api/kinds/cloud-credential';
import { expect, it } from 'vitest';
import { phaseOf } from './phase.ts';

it.each<{ previous: CloudCredentialPhase | undefined; users: number; phase: CloudCredentialPhase; reason: string }>([
  { previous: undefined, users: 0, phase: 'Available', reason: 'new' },
  { previous: undefined, users: 1, phase: 'Bound', reason: 'new, and awaited by a cluster' },
  { previous: 'Available', users: 0, phase: 'Available', reason: 'no cluster has come' },
  { previous: 'Available', users: 1, phase: 'Bound', reason: 'the first cluster has come' },
  { previous: 'Bound', users: 2, phase: 'Bound', reason: 'several share it' },
  { previous: 'Bound', users: 0, phase: 'Released', reason: 'the last is gone' },
  { previous: 'Released', users: 0, phase: 'Released', reason: 'nobody has come since' },
  { previous: 'Released', users: 1, phase: 'Bound', reason: 'a retained one is used again' },
])('$previous with $users clusters is $phase: $reason', ({ previous, users, phase }) => {
  expect(phaseOf(previous, users)).toBe(phase);
});
