import { readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { pidsOf } from './process-runtime/local-processes.ts';
import { isRunning, ProcessCluster } from './process-runtime/process-cluster.ts';
import { testReleases } from './process-runtime/releases.ts';

const { offered, old } = await testReleases();
const release = offered ?? old;
const described = release ? `with Kubernetes ${release.described}` : '(skipped: no binaries are found)';

describe.skipIf(release === undefined || process.platform !== 'linux')(`limits of a control plane ${described}`, () => {
  let parent: string;
  let cluster: ProcessCluster;

  const setMemory = (memoryMiB: number) => {
    const { spec } = cluster;
    cluster.spec = { ...spec, topology: { ...spec.topology, memoryMiB } };
  };

  beforeAll(async () => {
    parent = await mkdtemp(join(tmpdir(), 'fairway-limits-'));
    cluster = await ProcessCluster.open(parent, release?.assets(parent) ?? '', release?.version ?? '');
  });
  afterAll(async () => {
    await cluster?.runtime.close();
    await rm(parent, { recursive: true, force: true });
  });

  test('apply to the memory of the control plane’s processes, which are killed before Fairway when memory runs out', async () => {
    setMemory(2048);
    await cluster.waitForState(isRunning);

    const pid = pidsOf(cluster.folder)['kube-apiserver'];
    const env = readFileSync(`/proc/${pid}/environ`, 'utf8').split('\0');
    expect(env).toEqual(expect.arrayContaining(['GOMAXPROCS=2', `GOMEMLIMIT=${Math.floor(1126 * 2 ** 20 * 0.9)}`]));
    expect(readFileSync(`/proc/${pid}/oom_score_adj`, 'utf8').trim()).toBe('500');
    const openFiles = /^Max open files +(\d+) +(\d+)/m.exec(readFileSync(`/proc/${pid}/limits`, 'utf8'));
    expect(Number(openFiles?.[2])).toBeLessThanOrEqual(65_536);
  });

  test('kill a process that exceeds its limit, and inform the tenant', async () => {
    setMemory(150);
    const state = await cluster.waitForState(({ phase }) => phase === 'Failed');

    expect(state.message).toMatch(/ is not running: it used \d+ MiB of memory; the plan allows \d+ MiB\./);
  });
});
