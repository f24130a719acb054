import { describe, expect, test } from 'vitest';
import { type ControlPlaneChoiceInputs, chooseControlPlane } from './choose-control-plane.ts';

const NOTHING: ControlPlaneChoiceInputs = {
  asked: undefined,
  remembered: undefined,
  home: '/home',
  assets: undefined,
  found: [],
};

const OFFERED = [{ version: '1.36.3', folder: '/bin' }];
const OLD = [{ version: '1.20.2', folder: '/old' }];
const NONE = /^$/;

describe('how control planes run', () => {
  test.each<{ given: Partial<ControlPlaneChoiceInputs>; kind: string; note: RegExp; reason: string }>([
    { given: {}, kind: 'simulated', note: NONE, reason: 'nothing more is needed' },
    {
      given: { found: OFFERED },
      kind: 'process',
      note: /with Kubernetes 1\.36\.3 \(\/bin\); --control-plane simulated requires none$/,
      reason: 'the programs are there, and the person is told',
    },
    {
      given: { hasRealCloud: true },
      kind: 'simulated',
      note: /for evaluation only.*"fairway releases fetch 1\.\d+\.\d+".*before you create the first cluster/,
      reason: 'servers cost, and the operator may not know',
    },
    { given: { hasRealCloud: true, asked: 'simulated' }, kind: 'simulated', note: NONE, reason: 'it was asked for' },
    { given: { found: OLD }, kind: 'simulated', note: NONE, reason: 'Fairway does not offer what is there' },
    {
      given: { found: [...OLD, ...OFFERED] },
      kind: 'process',
      note: /with Kubernetes 1\.36\.3 \(\/bin\);/,
      reason: 'one of two is offered',
    },
    {
      given: { assets: '/assets' },
      kind: 'simulated',
      note: /KUBEBUILDER_ASSETS does not contain all/,
      reason: 'the folder of envtest lacks the controller manager',
    },
    {
      given: { asked: 'process', found: OFFERED },
      kind: 'process',
      note: /with Kubernetes 1\.36\.3 \(\/bin\)$/,
      reason: 'asked',
    },
    {
      given: { asked: 'simulated', assets: '/assets', found: OFFERED },
      kind: 'simulated',
      note: NONE,
      reason: 'asked',
    },
    {
      given: { remembered: 'simulated', assets: '/assets', found: OFFERED },
      kind: 'simulated',
      note: NONE,
      reason: 'clusters keep what they run on',
    },
    {
      given: { remembered: 'process', found: OFFERED },
      kind: 'process',
      note: /1\.36\.3 \(\/bin\)$/,
      reason: 'so do these',
    },
  ])('$kind with $given: $reason', ({ given, kind, note }) => {
    const choice = chooseControlPlane({ ...NOTHING, ...given });

    expect(choice.kind).toBe(kind);
    expect(choice.note ?? '').toMatch(note);
  });

  test.each<{ given: Partial<ControlPlaneChoiceInputs>; message: RegExp }>([
    {
      given: { asked: 'process', remembered: 'simulated', found: OFFERED },
      message: /\/home are of kind simulated/,
    },
    { given: { asked: 'process' }, message: /no folder contains etcd/ },
    {
      given: { asked: 'process', found: OLD },
      message: /binaries are of Kubernetes 1\.20\.2, which Fairway does not support/,
    },
    { given: { remembered: 'process' }, message: /no folder contains etcd/ },
  ])('refused: $given', ({ given, message }) => {
    expect(() => chooseControlPlane({ ...NOTHING, ...given })).toThrow(message);
  });
});
