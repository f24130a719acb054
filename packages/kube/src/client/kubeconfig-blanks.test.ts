import { describe, expect, test } from 'vitest';
import { parseKubeconfig } from './kubeconfig.ts';
import { loadKubeConnection } from './kubeconfig-loader.ts';

const validKubeconfig = `
clusters: [{ name: a, cluster: { server: "https://a.test" } }]
users: [{ name: a, user: { token: t } }]
contexts: [{ name: a, context: { cluster: a, user: a } }]
current-context: a
`;
const load = (text: string, context?: string) =>
  loadKubeConnection({ path: '/k', context, readFile: () => Promise.resolve(text) });

describe('a kubeconfig that kubectl accepts', () => {
  test.each([
    { reason: 'a namespace without a value', text: validKubeconfig.replace('user: a }', 'user: a, namespace: }') },
    { reason: 'an empty namespace', text: validKubeconfig.replace('user: a }', 'user: a, namespace: "" }') },
    {
      reason: 'blank fields of a user',
      text: validKubeconfig.replace('token: t', 'token: t, username: , tokenFile: "", client-key: '),
    },
    {
      reason: 'blank fields of a cluster',
      text: validKubeconfig.replace('a.test"', 'a.test", certificate-authority: , proxy-url: ""'),
    },
    { reason: 'blank preferences', text: `${validKubeconfig}preferences:\nextensions:\n` },
    {
      reason: 'a broken context that is not selected',
      text: validKubeconfig.replace(
        'contexts: [',
        'contexts: [{ name: b, context: }, { name: c, context: { user: a } }, ',
      ),
    },
    {
      reason: 'a broken cluster and user that are not selected',
      text: validKubeconfig
        .replace('clusters: [', 'clusters: [{ name: b, cluster: {} }, ')
        .replace('users: [', 'users: [{ name: b, user: }, '),
    },
  ])('may have $reason', async ({ text }) => {
    const { transport, namespace } = await load(text);

    expect(transport).toMatchObject({ server: 'https://a.test' });
    expect(namespace).toBeUndefined();
  });

  test('a context without a user provides no credential', async () => {
    const { transport } = await load(validKubeconfig.replace(', user: a }', ' }'));

    expect(transport).toMatchObject({ server: 'https://a.test' });
    expect(transport).not.toHaveProperty('token');
  });
});

test('refuses a broken context that is selected, and reports its name', async () => {
  const text = validKubeconfig.replace('contexts: [', 'contexts: [{ name: b, context: { cluster: c } }, ');

  await expect(load(text, 'b')).rejects.toThrow(/no cluster "c"/);
  await expect(load(validKubeconfig.replace('"https://a.test"', ''), 'a')).rejects.toThrow(
    /cluster "a": server must be/,
  );
});

test.each(['[]', 'text', 'clusters: 1', 'contexts: [{ context: {} }]'])('%s is not a kubeconfig', (text) => {
  expect(() => parseKubeconfig(text)).toThrow(/is not a kubeconfig/);
});
