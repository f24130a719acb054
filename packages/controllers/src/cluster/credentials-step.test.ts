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
  NO_ROTATION,
  nextCredentialsStep,
  takeCredentialsStep,
} from './credentials-step.ts';

const clock = new FakeClock();
const stable = await createClusterPki(clock);
const old = { ...stable, users: stable.cluster };
const revoked = { ...stable, rotation: { ...stable.rotation, revocation: 'monday' } };
const preparedState = await beginClusterRotation(stable, 'monday', clock);
const renewingState = await switchSigners(preparedState, clock);
const completingState = completeClusterRotation(renewingState, clock);
const ended = { ...completingState, rotation: { ...completingState.rotation, stage: 'Stable' as const } };
const CA_STATES = {
  stable,
  old,
  revoked,
  trusting: preparedState,
  renewing: renewingState,
  completing: completingState,
  ended,
};

const NOTHING: CredentialRequests = { revocation: undefined, rotation: undefined, completion: undefined, isNew: false };
const running = { isRunning: true, areNodesRenewed: false };
const renewed = { isRunning: true, areNodesRenewed: true };

describe.each<{
  of: keyof typeof CA_STATES;
  asked?: Partial<CredentialRequests>;
  rotationProgress?: typeof NO_ROTATION;
  step: CredentialsStep | undefined;
  reason?: string;
}>([
  { of: 'stable', step: undefined },
  { of: 'stable', rotationProgress: renewed, step: undefined },
  { of: 'stable', asked: { revocation: 'monday' }, step: 'revoke' },
  { of: 'revoked', asked: { revocation: 'monday' }, step: undefined, reason: 'a request counts once' },
  { of: 'revoked', asked: { revocation: 'tuesday' }, step: 'revoke' },
  { of: 'revoked', step: undefined, reason: 'the annotation may be removed' },
  { of: 'stable', asked: { revocation: 'monday', isNew: true }, step: 'adopt', reason: 'nothing was issued yet' },
  { of: 'stable', asked: { rotation: 'monday', isNew: true }, step: 'adopt', reason: 'everything is new' },
  { of: 'old', step: 'ownUsers' },
  {
    of: 'old',
    asked: { revocation: 'monday' },
    step: 'ownUsers',
    reason: 'users need a CA of their own first',
  },
  { of: 'old', asked: { rotation: 'monday' }, step: 'ownUsers' },
  { of: 'stable', asked: { rotation: 'monday' }, step: 'begin' },
  { of: 'stable', asked: { rotation: 'monday', revocation: 'monday' }, step: 'revoke', reason: 'it is urgent' },
  {
    of: 'stable',
    asked: { completion: 'monday' },
    rotationProgress: renewed,
    step: undefined,
    reason: 'no rotation is in progress',
  },
  {
    of: 'trusting',
    asked: { rotation: 'monday' },
    step: undefined,
    reason: 'the control plane does not trust the new CA yet',
  },
  { of: 'trusting', asked: { rotation: 'monday' }, rotationProgress: running, step: 'switch' },
  { of: 'trusting', rotationProgress: running, step: 'switch', reason: 'a stage in progress continues' },
  {
    of: 'trusting',
    asked: { completion: 'monday' },
    rotationProgress: renewed,
    step: 'switch',
    reason: 'completion must wait for the switch',
  },
  {
    of: 'renewing',
    asked: { rotation: 'monday' },
    rotationProgress: renewed,
    step: undefined,
    reason: 'completion was not requested',
  },
  {
    of: 'renewing',
    asked: { completion: 'monday' },
    rotationProgress: running,
    step: undefined,
    reason: 'nodes would be lost',
  },
  { of: 'renewing', asked: { completion: 'monday' }, step: undefined, reason: 'the state was not observed' },
  {
    of: 'renewing',
    asked: { completion: 'sunday' },
    rotationProgress: renewed,
    step: undefined,
    reason: 'the request is for another rotation',
  },
  { of: 'renewing', asked: { completion: 'monday' }, rotationProgress: renewed, step: 'complete' },
  {
    of: 'renewing',
    asked: { rotation: 'tuesday' },
    rotationProgress: renewed,
    step: undefined,
    reason: 'only one rotation runs at a time',
  },
  { of: 'renewing', asked: { revocation: 'now' }, step: 'revoke' },
  { of: 'completing', step: undefined },
  { of: 'completing', asked: { rotation: 'tuesday' }, rotationProgress: renewed, step: 'end' },
  { of: 'ended', asked: { rotation: 'monday', completion: 'monday' }, rotationProgress: renewed, step: undefined },
  { of: 'ended', asked: { rotation: 'tuesday', completion: 'monday' }, rotationProgress: renewed, step: 'begin' },
])('$of with request $asked: $step', ({ of, asked, rotationProgress = NO_ROTATION, step }) => {
  const requests = { ...NOTHING, ...asked };

  test('is the next step', () => {
    expect(nextCredentialsStep(CA_STATES[of], requests, rotationProgress)).toBe(step);
  });

  if (step === undefined) return;
  test('is not repeated', async () => {
    const after = await takeCredentialsStep(CA_STATES[of], step, requests, clock);
    expect(nextCredentialsStep(after, requests, rotationProgress)).not.toBe(step);
  });
});

test('does not repeat earlier rotations and revocations requested by a manifest in a Git repository', () => {
  const [monday, tuesday, wednesday] = ['2026-06-01T12:00:00Z', '2026-06-02T12:00:00Z', '2026-06-03T12:00:00Z'];
  const { rotation } = CA_STATES.ended;
  const caState = { ...CA_STATES.ended, rotation: { ...rotation, request: tuesday, revocation: tuesday } };
  const stepAt = (time: string) => [
    nextCredentialsStep(caState, { ...NOTHING, rotation: time }, NO_ROTATION),
    nextCredentialsStep(caState, { ...NOTHING, revocation: time }, NO_ROTATION),
  ];

  expect(stepAt(monday)).toEqual([undefined, undefined]);
  expect(stepAt(wednesday)).toEqual(['begin', 'revoke']);
});
