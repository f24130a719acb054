import { FakeClock } from '@fairway/base/clock-fake';
import { createClusterPki } from '@fairway/control-plane/pki/cluster-pki';
import {
  beginClusterRotation,
  completeClusterRotation,
  switchSigners,
} from '@fairway/control-plane/pki/cluster-rotation';
import { describe, expect, test } from 'vitest';
import {
  type CredentialRequests,
  type CredentialsStep,
  NOT_AT_WORK,
  nextCredentialsStep,
  takeCredentialsStep,
} from './credentials-step.ts';

const clock = new FakeClock();
const stable = await createClusterPki(clock);
const old = { ...stable, users: stable.cluster };
const revoked = { ...stable, rotation: { ...stable.rotation, revocation: 'monday' } };
const trusting = await beginClusterRotation(stable, 'monday', clock);
const renewing = await switchSigners(trusting, clock);
const completing = completeClusterRotation(renewing, clock);
const ended = { ...completing, rotation: { ...completing.rotation, stage: 'Stable' as const } };
const ROOTS = { stable, old, revoked, trusting, renewing, completing, ended };

const NOTHING: CredentialRequests = { revocation: undefined, rotation: undefined, completion: undefined, isNew: false };
const running = { isRunning: true, areNodesRenewed: false };
const renewed = { isRunning: true, areNodesRenewed: true };

describe.each<{
  of: keyof typeof ROOTS;
  asked?: Partial<CredentialRequests>;
  atWork?: typeof NOT_AT_WORK;
  step: CredentialsStep | undefined;
  reason?: string;
}>([
  { of: 'stable', step: undefined },
  { of: 'stable', atWork: renewed, step: undefined },
  { of: 'stable', asked: { revocation: 'monday' }, step: 'revoke' },
  { of: 'revoked', asked: { revocation: 'monday' }, step: undefined, reason: 'a request counts once' },
  { of: 'revoked', asked: { revocation: 'tuesday' }, step: 'revoke' },
  { of: 'revoked', step: undefined, reason: 'the annotation may be taken away' },
  { of: 'stable', asked: { revocation: 'monday', isNew: true }, step: 'adopt', reason: 'nothing was issued yet' },
  { of: 'stable', asked: { rotation: 'monday', isNew: true }, step: 'adopt', reason: 'all is new' },
  { of: 'old', step: 'ownUsers' },
  {
    of: 'old',
    asked: { revocation: 'monday' },
    step: 'ownUsers',
    reason: 'users need an authority of their own first',
  },
  { of: 'old', asked: { rotation: 'monday' }, step: 'ownUsers' },
  { of: 'stable', asked: { rotation: 'monday' }, step: 'begin' },
  { of: 'stable', asked: { rotation: 'monday', revocation: 'monday' }, step: 'revoke', reason: 'it is urgent' },
  { of: 'stable', asked: { completion: 'monday' }, atWork: renewed, step: undefined, reason: 'nothing is under way' },
  {
    of: 'trusting',
    asked: { rotation: 'monday' },
    step: undefined,
    reason: 'the control plane does not trust them yet',
  },
  { of: 'trusting', asked: { rotation: 'monday' }, atWork: running, step: 'switch' },
  { of: 'trusting', atWork: running, step: 'switch', reason: 'what has begun goes on' },
  {
    of: 'trusting',
    asked: { completion: 'monday' },
    atWork: renewed,
    step: 'switch',
    reason: 'one stage after the other',
  },
  { of: 'renewing', asked: { rotation: 'monday' }, atWork: renewed, step: undefined, reason: 'nobody has asked' },
  { of: 'renewing', asked: { completion: 'monday' }, atWork: running, step: undefined, reason: 'nodes would be lost' },
  { of: 'renewing', asked: { completion: 'monday' }, step: undefined, reason: 'nobody has looked' },
  { of: 'renewing', asked: { completion: 'sunday' }, atWork: renewed, step: undefined, reason: 'it is of another one' },
  { of: 'renewing', asked: { completion: 'monday' }, atWork: renewed, step: 'complete' },
  {
    of: 'renewing',
    asked: { rotation: 'tuesday' },
    atWork: renewed,
    step: undefined,
    reason: 'one rotation at a time',
  },
  { of: 'renewing', asked: { revocation: 'now' }, step: 'revoke' },
  { of: 'completing', step: undefined },
  { of: 'completing', asked: { rotation: 'tuesday' }, atWork: renewed, step: 'end' },
  { of: 'ended', asked: { rotation: 'monday', completion: 'monday' }, atWork: renewed, step: undefined },
  { of: 'ended', asked: { rotation: 'tuesday', completion: 'monday' }, atWork: renewed, step: 'begin' },
])('$of, asked for $asked: $step', ({ of, asked, atWork = NOT_AT_WORK, step }) => {
  const requests = { ...NOTHING, ...asked };

  test('is the step', () => {
    expect(nextCredentialsStep(ROOTS[of], requests, atWork)).toBe(step);
  });

  if (step === undefined) return;
  test('is not made a second time', async () => {
    const after = await takeCredentialsStep(ROOTS[of], step, requests, clock);
    expect(nextCredentialsStep(after, requests, atWork)).not.toBe(step);
  });
});

test('rotations and revocations of before the last ones are not made again, when a repository has them', () => {
  const [monday, tuesday, wednesday] = ['2026-06-01T12:00:00Z', '2026-06-02T12:00:00Z', '2026-06-03T12:00:00Z'];
  const { rotation } = ROOTS.ended;
  const roots = { ...ROOTS.ended, rotation: { ...rotation, request: tuesday, revocation: tuesday } };
  const stepFor = (time: string) => [
    nextCredentialsStep(roots, { ...NOTHING, rotation: time }, NOT_AT_WORK),
    nextCredentialsStep(roots, { ...NOTHING, revocation: time }, NOT_AT_WORK),
  ];

  expect(stepFor(monday)).toEqual([undefined, undefined]);
  expect(stepFor(wednesday)).toEqual(['begin', 'revoke']);
});
