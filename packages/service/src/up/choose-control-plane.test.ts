import { describe, expect, test } from 'vitest';
import { type ControlPlaneChoiceInputs, chooseControlPlane } from './choose-control-plane.ts';

const NOTHING: ControlPlaneChoiceInputs = {
  requestedKind: undefined,
  existingKind: undefined,
  home: '/home',
  assets: undefined,
  found: [],
};

const OFFERED_ENGINES = [{ version: '1.36.3', folder: '/bin' }];
const OLD = [{ version: '1.20.2', folder: '/old' }];
const NONE = /^$/;

describe('the choice of control planes', () => {
  test.each<{ given: Partial<ControlPlaneChoiceInputs>; kind: string; note: RegExp; reason: string }>([
    { given: {}, kind: 'simulated', note: NONE, reason: 'works without any prerequisites' },
    {
      given: { found: OFFERED_ENGINES },
      kind: 'process',
      note: /with Kubernetes 1\.36\.3 \(\/bin\); --control-plane simulated requires none$/,
      reason: 'the binaries exist, and the user gets a note',
    },
    {
      given: { hasRealCloud: true },
      kind: 'simulated',
      note: /for evaluation only.*"fairway releases fetch 1\.\d+\.\d+".*before you create the first cluster/,
      reason: 'servers cost money, and the operator may not expect it',
    },
    {
      given: { hasRealCloud: true, requestedKind: 'simulated' },
      kind: 'simulated',
      note: NONE,
      reason: 'it was requested',
    },
    { given: { found: OLD }, kind: 'simulated', note: NONE, reason: 'Fairway does not offer the existing version' },
    {
      given: { found: [...OLD, ...OFFERED_ENGINES] },
      kind: 'process',
      note: /with Kubernetes 1\.36\.3 \(\/bin\);/,
      reason: 'Fairway offers one of two versions',
    },
    {
      given: { assets: '/assets' },
      kind: 'simulated',
      note: /KUBEBUILDER_ASSETS does not contain all/,
      reason: 'the folder of envtest lacks the controller manager',
    },
    {
      given: { requestedKind: 'process', found: OFFERED_ENGINES },
      kind: 'process',
      note: /with Kubernetes 1\.36\.3 \(\/bin\)$/,
      reason: 'asked',
    },
    {
      given: { requestedKind: 'simulated', assets: '/assets', found: OFFERED_ENGINES },
      kind: 'simulated',
      note: NONE,
      reason: 'asked',
    },
    {
      given: { existingKind: 'simulated', assets: '/assets', found: OFFERED_ENGINES },
      kind: 'simulated',
      note: NONE,
      reason: 'clusters keep their control planes',
    },
    {
      given: { existingKind: 'process', found: OFFERED_ENGINES },
      kind: 'process',
      note: /1\.36\.3 \(\/bin\)$/,
      reason: 'clusters keep their control planes',
    },
  ])('is $kind with $given: $reason', ({ given, kind, note }) => {
    const choice = chooseControlPlane({ ...NOTHING, ...given });

    expect(choice.kind).toBe(kind);
    expect(choice.note ?? '').toMatch(note);
  });

  test.each<{ given: Partial<ControlPlaneChoiceInputs>; message: RegExp }>([
    {
      given: { requestedKind: 'process', existingKind: 'simulated', found: OFFERED_ENGINES },
      message: /\/home are of kind simulated/,
    },
    { given: { requestedKind: 'process' }, message: /no folder contains etcd/ },
    {
      given: { requestedKind: 'process', found: OLD },
      message: /binaries are of Kubernetes 1\.20\.2, which Fairway does not support/,
    },
    { given: { existingKind: 'process' }, message: /no folder contains etcd/ },
  ])('fails with $given', ({ given, message }) => {
    expect(() => chooseControlPlane({ ...NOTHING, ...given })).toThrow(message);
  });
});
