import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { kubectlMinor, kubectlTooOld } from '@fairway/kube/testing/kubectl';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ALL_KINDS } from '../../kinds/builtin-kinds.ts';
import { builtinDefinitions } from '../../kinds/definitions.ts';
import { type HttpsFixture, startHttpsServer } from '../../server/https-server-fixture.ts';

const serverSide = kubectlTooOld(22);

/** A GitOps user's first steps. */
const MANIFESTS = `
apiVersion: v1
kind: Service
metadata: {name: web}
spec: {selector: {app: web}, ports: [{port: 80, name: http}, {port: 53, protocol: UDP, name: dns}]}
---
apiVersion: apps/v1
kind: Deployment
metadata: {name: web}
spec:
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}}
    spec: {containers: [{name: web, image: nginx, ports: [{containerPort: 80}], resources: {limits: {memory: 1Gi}}}]}
`;

describe.skipIf(kubectlMinor === undefined || serverSide.isTooOld)(
  `kubectl apply --server-side${kubectlMinor === undefined ? ' (skipped: kubectl is not installed)' : serverSide.reason}`,
  () => {
    let fixture: HttpsFixture;
    let folder: string;

    beforeAll(async () => {
      folder = await mkdtemp(join(tmpdir(), 'fairway-kubectl-'));
      fixture = await startHttpsServer({ resources: ALL_KINDS, definitions: builtinDefinitions() });
      await fixture.test.namespace();
      await writeFile(join(folder, 'config'), fixture.kubeconfig);
      await writeFile(join(folder, 'web.yaml'), MANIFESTS);
      await writeFile(
        join(folder, 'other.yaml'),
        MANIFESTS.replaceAll('80', '8080').replace('image: nginx', 'image: x'),
      );
    });

    afterAll(async () => {
      await fixture[Symbol.asyncDispose]();
      await rm(folder, { recursive: true });
    });

    function kubectl(...args: string[]): Promise<string> {
      return new Promise((resolve, reject) => {
        const env = { PATH: process.env['PATH'], KUBECONFIG: join(folder, 'config'), HOME: folder };
        execFile('kubectl', args, { env }, (error, stdout) => (error === null ? resolve(stdout) : reject(error)));
      });
    }

    async function contentOf(kind: string) {
      const { metadata, spec } = JSON.parse(await kubectl('get', kind, 'web', '-o', 'json')) as {
        metadata: { resourceVersion: string };
        spec: unknown;
      };
      return { version: metadata.resourceVersion, spec };
    }

    it.each([
      ['first', []],
      ['after client-side apply', ['--field-manager=kubectl']],
    ])('changes nothing the second time, %s', async (when, options) => {
      const file = join(folder, 'web.yaml');
      if (when !== 'first') await kubectl('apply', '-f', file);
      const apply = (name: string) => kubectl('apply', '--server-side', '-f', join(folder, name), ...options);
      await apply('web.yaml');
      for (const kind of ['service', 'deployment']) {
        const previous = await contentOf(kind);
        await apply('web.yaml');
        expect(await contentOf(kind)).toEqual(previous);
        await apply('other.yaml');
        await apply('web.yaml');
        expect((await contentOf(kind)).spec).toEqual(previous.spec);
      }
      await kubectl('delete', '-f', file);
    });
  },
);
