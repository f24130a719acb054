import { expect, it } from 'vitest';
import { execRequestOf, renderExecCredential } from './exec-info.ts';

const info = (spec: object, apiVersion = 'client.authentication.k8s.io/v1') =>
  JSON.stringify({ kind: 'ExecCredential', apiVersion, spec });

it.each([
  { text: undefined, request: undefined },
  { text: '', request: undefined },
  { text: info({ interactive: true }), request: { isInteractive: true } },
  { text: info({ interactive: false, cluster: { server: 'https://x' } }), request: { isInteractive: false } },
])('reads what kubectl passes: $text', ({ text, request }) => {
  expect(execRequestOf(text === undefined ? {} : { KUBERNETES_EXEC_INFO: text })).toEqual(request);
});

it.each([
  { text: '{', message: 'is not an ExecCredential' },
  {
    text: info({ interactive: true }, 'client.authentication.k8s.io/v1beta1'),
    message: 'of client.authentication.k8s.io/v1beta1',
  },
])('refuses $text', ({ text, message }) => {
  expect(() => execRequestOf({ KUBERNETES_EXEC_INFO: text })).toThrow(message);
});

it('prints a credential that kubectl can read', () => {
  const text = renderExecCredential('t', Date.UTC(2026, 0, 1, 12, 0, 0, 500), false);

  expect(JSON.parse(text)).toEqual({
    apiVersion: 'client.authentication.k8s.io/v1',
    kind: 'ExecCredential',
    spec: { interactive: false },
    status: { expirationTimestamp: '2026-01-01T12:00:00Z', token: 't' },
  });
});
