import { afterAll, beforeAll, describe } from 'vitest';
import { findBinaries } from './binaries.ts';
import { ContractServer } from './contract-server.ts';
import { type RunningControlPlane, startEmbeddedControlPlane } from './control-planes.ts';
import { startRealControlPlane } from './real-control-plane.ts';

export interface Target {
  /** Includes the reason if it is skipped. */
  readonly name: string;
  readonly isMissing: boolean;
  /** The minor version: 36 for 1.36. Cases that need a newer release are skipped. */
  readonly minor: number;
  readonly start: () => Promise<RunningControlPlane>;
}

const EMBEDDED: Target = {
  name: 'the embedded server',
  isMissing: false,
  minor: 34,
  start: () => startEmbeddedControlPlane(),
};

const MISSING_TARGET: Target = {
  name: 'kube-apiserver (skipped: no KUBEBUILDER_ASSETS, nothing on PATH, and testbed/kubernetes is not built)',
  isMissing: true,
  minor: 34,
  start: () => Promise.reject(new Error('no binaries of Kubernetes')),
};

const REAL: readonly Target[] = findBinaries().map((binaries) => ({
  name: `kube-apiserver ${binaries.version}`,
  isMissing: false,
  minor: binaries.minor,
  start: () => startRealControlPlane(binaries),
}));

/**
 * Runs the same cases against the embedded API server and every available real one. `cases` also gets the target, to
 * skip by name the cases that its release does not support.
 */
export function describeServers(title: string, cases: (server: () => ContractServer, target: Target) => void): void {
  for (const target of [EMBEDDED, ...(REAL.length === 0 ? [MISSING_TARGET] : REAL)]) {
    describe.skipIf(target.isMissing)(`${title} on ${target.name}`, () => {
      let plane: RunningControlPlane | undefined;
      let server: ContractServer | undefined;

      beforeAll(async () => {
        plane = await target.start();
        server = await ContractServer.open(plane);
      });

      afterAll(async () => {
        server?.close();
        await plane?.[Symbol.asyncDispose]();
      });

      cases(() => {
        if (server === undefined) throw new Error('the server is not open yet');
        return server;
      }, target);
    });
  }
}
