import { expect, test } from 'vitest';
import { type ApiServerSettings, type SettingsRecord, SettingsTrial } from './api-server-settings.ts';
import { perComponent } from './components.ts';
import type { ComponentState, SupervisedState } from './supervisor.ts';

const PLAIN: ApiServerSettings = { admissionPlugins: { enabled: ['NodeRestriction'], disabled: [] } };
const OIDC: NonNullable<ApiServerSettings['oidc']> = {
  issuerURL: 'https://login.example.org',
  clientID: 'kubernetes',
  usernameClaim: 'sub',
  signingAlgorithms: ['RS256'],
};
const WITH_OIDC: ApiServerSettings = { ...PLAIN, oidc: OIDC };
const BAD_PEM: ApiServerSettings = { ...PLAIN, oidc: { ...OIDC, certificateAuthority: 'not a pem' } };

function state(apiServer: 'serves' | 'starts' | 'fails', change: Partial<SupervisedState> = {}): SupervisedState {
  const good: ComponentState = { running: true, ready: true, current: true, failures: 0, lastFailure: undefined };
  const components = perComponent(() => good);
  const misconfigured = { ...good, running: false, ready: false };
  if (apiServer === 'starts') components['kube-apiserver'] = misconfigured;
  if (apiServer === 'fails')
    components['kube-apiserver'] = { ...misconfigured, failures: 3, lastFailure: 'no such thing' };
  return { components, databaseBytes: 1, isDatabaseFull: false, ...change };
}

/** Selects settings and applies them. */
function step(trial: SettingsTrial, desired: ApiServerSettings, record: SettingsRecord, seen: SupervisedState) {
  const chosen = trial.choose(desired, '1.36.3', record, seen);
  trial.recordApplied(chosen.settings);
  return chosen;
}

const SERVES_PLAIN: SettingsRecord = { good: PLAIN };

test('keeps the last working settings of the API server as a fallback', () => {
  const trial = new SettingsTrial();
  expect(step(trial, PLAIN, {}, state('starts'))).toEqual({ settings: PLAIN, problem: undefined, record: {} });

  expect(step(trial, PLAIN, {}, state('serves')).record).toEqual({ good: PLAIN });
});

test('never applies settings that are known to be invalid', () => {
  const chosen = new SettingsTrial().choose(BAD_PEM, '1.36.3', SERVES_PLAIN, state('serves'));

  expect(chosen).toMatchObject({
    settings: PLAIN,
    problem: expect.stringMatching(
      /^spec.apiServer.oidc.certificateAuthority: .*contains no certificate.*last working settings/,
    ),
    record: SERVES_PLAIN,
  });
});

test('starts a new cluster without an issuer if its settings are invalid', () => {
  const { settings, problem } = new SettingsTrial().choose(BAD_PEM, '1.36.3', {}, state('starts'));

  expect(settings).toEqual(PLAIN);
  expect(problem).toContain('contains no certificate');
});

test('sets no issuer in a release that would bypass the egress policy to contact it', () => {
  const { settings, problem } = new SettingsTrial().choose(WITH_OIDC, '1.33.9', SERVES_PLAIN, state('serves'));

  expect(settings).toEqual(PLAIN);
  expect(problem).toContain('upgrade to 1.34');
});

test('rolls back settings with which the API server fails to start, until they change', () => {
  const trial = new SettingsTrial();
  const apply = step(trial, WITH_OIDC, SERVES_PLAIN, state('serves'));
  expect(apply).toMatchObject({ settings: WITH_OIDC, problem: undefined, record: SERVES_PLAIN });

  const back = step(trial, WITH_OIDC, SERVES_PLAIN, state('fails'));
  expect(back).toMatchObject({
    settings: PLAIN,
    problem: expect.stringContaining('no such thing'),
    record: SERVES_PLAIN,
  });
  const proven = step(trial, WITH_OIDC, SERVES_PLAIN, state('serves'));
  expect(proven).toMatchObject({ settings: PLAIN, record: { good: PLAIN, rejected: { complaint: 'no such thing' } } });

  // After a restart or a handover, the other process only has the record.
  const next = new SettingsTrial().choose(WITH_OIDC, '1.36.3', proven.record, state('serves'));
  expect(next).toMatchObject({ settings: PLAIN, problem: expect.stringContaining('no such thing') });
  const other = { ...PLAIN, oidc: { ...OIDC, clientID: 'other' } };
  expect(step(trial, other, proven.record, state('serves'))).toMatchObject({ settings: other });
  expect(step(trial, PLAIN, proven.record, state('serves')).problem).toBeUndefined();
});

test('does not consider settings proven before they are written', () => {
  const trial = new SettingsTrial();
  trial.choose(WITH_OIDC, '1.36.3', SERVES_PLAIN, state('serves'));

  expect(trial.choose(WITH_OIDC, '1.36.3', SERVES_PLAIN, state('serves')).record).toEqual(SERVES_PLAIN);
});

test('does not blame the settings if the API server fails with the previous ones too', () => {
  const trial = new SettingsTrial();
  step(trial, WITH_OIDC, SERVES_PLAIN, state('serves'));
  expect(step(trial, WITH_OIDC, SERVES_PLAIN, state('fails')).settings).toEqual(PLAIN);

  const again = step(trial, WITH_OIDC, SERVES_PLAIN, state('fails'));

  expect(again).toMatchObject({ settings: WITH_OIDC, problem: undefined, record: SERVES_PLAIN });
});

test.each([
  { change: { isDatabaseFull: true }, reason: 'a full database' },
  {
    change: { components: { ...state('fails').components, etcd: state('fails').components['kube-apiserver'] } },
    reason: 'an etcd that is not ready',
  },
])('does not blame the settings for $reason', ({ change }) => {
  const trial = new SettingsTrial();
  step(trial, WITH_OIDC, SERVES_PLAIN, state('serves'));

  expect(step(trial, WITH_OIDC, SERVES_PLAIN, state('fails', change)).settings).toEqual(WITH_OIDC);
});
