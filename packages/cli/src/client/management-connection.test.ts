import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { systemClock } from '@fairway/base/clock';
import { renderKubeconfig } from '@fairway/kube/client/kubeconfig';
import { TransportError } from '@fairway/kube/client/transport';
import { ApiError } from '@fairway/kube/object/api-error';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { explainManagementError, managementConnection } from './management-connection.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'fairway-management-connection-'));
  for (const name of ['option', 'variable']) {
    writeFileSync(join(folder, name), renderKubeconfig({ name, server: `https://${name}.test:6443`, token: 't' }));
  }
});
afterEach(() => rmSync(folder, { recursive: true }));

describe('the connection to the management cluster', () => {
  const connect = (env: Record<string, string>, options: { kubeconfig?: string; context?: string } = {}) =>
    managementConnection({ env, cwd: folder, clock: systemClock }, options);
  /** A pod whose files can't be read here: they must not be used if another source exists. */
  const inPod = { KUBERNETES_SERVICE_HOST: '10.3.0.1' };

  it('uses the option, relative to the working directory', async () => {
    const env = { ...inPod, KUBECONFIG: join(folder, 'variable') };

    expect((await connect(env, { kubeconfig: 'option' })).transport.server).toBe('https://option.test:6443');
  });

  it('uses KUBECONFIG next, even in a pod', async () => {
    const connection = await connect({ ...inPod, KUBECONFIG: join(folder, 'variable') });

    expect(connection.description).toBe('https://variable.test:6443 (context variable)');
  });

  it('never uses the API of a fairway up in this directory', async () => {
    await expect(connect({ HOME: folder, FAIRWAY_HOME: folder })).rejects.toThrow(/no kubeconfig at .*\.kube\/config/);
  });

  it('lists the contexts if the requested one does not exist', async () => {
    await expect(connect({}, { kubeconfig: 'option', context: 'other' })).rejects.toThrow(/no context "other".*option/);
  });
});

describe('errors from a management cluster', () => {
  const connection = { transport: { server: 'https://a.test' }, description: 'https://a.test (context a)' };
  const refused = Object.assign(new Error('connect ECONNREFUSED'), { code: 'ECONNREFUSED' });

  it.each([
    {
      reason: 'silence',
      error: new TransportError('GET /version', { cause: refused }),
      expected: { exitCode: 3, advice: expect.stringContaining('it must be running when Fairway starts') },
    },
    {
      reason: 'an expired token',
      error: new ApiError(401, 'Unauthorized', 'Unauthorized'),
      expected: { exitCode: 1, advice: expect.stringContaining('create token fairway') },
    },
  ])('are explained: $reason', ({ error, expected }) => {
    expect(explainManagementError(error, connection)).toMatchObject(expected);
  });

  it('are returned unchanged if they have a different cause', () => {
    const error = new ApiError(409, 'Conflict', 'changed');

    expect(explainManagementError(error, connection)).toBe(error);
  });
});
