import { describe, expect, test } from 'vitest';
import { type ControlPlaneChoiceInputs, chooseControlPlane } from './choose-control-plane.ts';

const NOTHING: ControlPlaneChoiceInputs = {
  asked: undefined,
  remembered: undefined,
  home: '/home',
  assets: undefined,
  versions: [],
};

const NONE = /^$/;

describe('how control planes run', () => {
  test.each<{ given: Partial<ControlPlaneChoiceInputs>; kind: string; note: RegExp; reason: string }>([
    { given: {}, kind: 'simulated', note: NONE, reason: 'nothing more is needed' },
    {
      given: { versions: ['1.36.3'] },
      kind: 'simulated',
      note: NONE,
      reason: 'what happens to be on PATH changes nothing',
    },
    {
      given: { assets: '/assets', versions: ['1.36.3'] },
      kind: 'process',
      note: /1\.36\.3, as KUBEBUILDER_ASSETS is set/,
      reason: 'the variable is a wish, and the person is told',
    },
    {
      given: { assets: '/assets' },
      kind: 'simulated',
      note: /KUBEBUILDER_ASSETS does not hold all/,
      reason: 'the folder of envtest lacks the controller manager',
    },
    {
      given: { asked: 'process', versions: ['1.36.3'] },
      kind: 'process',
      note: /with Kubernetes 1\.36\.3$/,
      reason: 'asked',
    },
    {
      given: { asked: 'simulated', assets: '/assets', versions: ['1.36.3'] },
      kind: 'simulated',
      note: NONE,
      reason: 'asked',
    },
    {
      given: { remembered: 'simulated', assets: '/assets', versions: ['1.36.3'] },
      kind: 'simulated',
      note: NONE,
      reason: 'clusters keep what they run on',
    },
    {
      given: { remembered: 'process', versions: ['1.36.3'] },
      kind: 'process',
      note: /1\.36\.3$/,
      reason: 'so do these',
    },
  ])('$kind with $given: $reason', ({ given, kind, note }) => {
    const choice = chooseControlPlane({ ...NOTHING, ...given });

    expect(choice.kind).toBe(kind);
    expect(choice.note ?? '').toMatch(note);
  });

  test.each<{ given: Partial<ControlPlaneChoiceInputs>; message: RegExp }>([
    {
      given: { asked: 'process', remembered: 'simulated', versions: ['1.36.3'] },
      message: /\/home are of kind simulated/,
    },
    { given: { asked: 'process' }, message: /no folder with etcd/ },
    { given: { remembered: 'process' }, message: /no folder with etcd/ },
  ])('refused: $given', ({ given, message }) => {
    expect(() => chooseControlPlane({ ...NOTHING, ...given })).toThrow(message);
  });
});
