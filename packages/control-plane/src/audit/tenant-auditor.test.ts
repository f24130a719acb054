import { mkdtemp, readFile, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { AuditEvent } from '@fairway/apiserver/audit/audit-event';
import { FakeClock } from '@fairway/base/clock-fake';
import { silentLogger } from '@fairway/base/log';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { openTenantAuditor } from './tenant-auditor.ts';

let parent: string;
beforeEach(async () => {
  parent = await mkdtemp(join(tmpdir(), 'fairway-tenant-auditor-'));
});
afterEach(() => rm(parent, { recursive: true }));

interface AuditedRequest {
  readonly method: string;
  readonly path: string;
  /** Unauthenticated if absent. */
  readonly username?: string;
  readonly groups?: readonly string[];
  readonly status: number;
}

async function writtenLines(...requests: readonly AuditedRequest[]): Promise<string[]> {
  const folder = join(parent, 'cluster/logs');
  const observer = { onWritten: () => {}, onLost: () => {}, onWriteFailed: () => {} };
  const audit = { level: 'Metadata', reads: false } as const;
  const clock = new FakeClock();
  const opened = await openTenantAuditor({ audit, folder, observer, clock, log: silentLogger });
  const { auditor } = opened;
  for (const { method, path, username, groups = [], status } of requests) {
    const request = { auditId: 'a', method, path, query: new URLSearchParams(), headers: {}, peer: '192.0.2.1' };
    const trail = auditor.begin(request);
    if (username !== undefined) trail.setUser({ username, groups: [...groups, 'system:authenticated'] });
    auditor.end(trail, { status });
  }
  await opened.close();
  const text = await readFile(join(folder, 'tenant-audit.log'), 'utf8').catch(() => '');
  const events = text.split('\n').flatMap((line) => (line === '' ? [] : [JSON.parse(line) as AuditEvent]));
  return events.map(({ verb, user, responseStatus }) => `${user.username} ${verb} ${responseStatus?.code}`);
}

const PODS = '/api/v1/namespaces/shop/pods';
const SECRETS = '/api/v1/namespaces/shop/secrets';

test('logs the actions of every authenticated user, including refused ones', async () => {
  const account = 'system:serviceaccount:shop:a';
  const found = await writtenLines(
    { method: 'POST', path: PODS, username: 'alice', status: 201 },
    { method: 'DELETE', path: PODS, username: account, status: 403 },
    { method: 'GET', path: SECRETS, username: account, status: 200 },
  );

  expect(found).toEqual(['alice create 201', `${account} deletecollection 403`, `${account} list 200`]);
  expect((await stat(join(parent, 'cluster/logs/tenant-audit.log'))).mode & 0o777).toBe(0o600);
});

test('does not log requests of unauthenticated clients, or reads by the control plane and nodes', async () => {
  const found = await writtenLines(
    { method: 'DELETE', path: PODS, status: 401 },
    {
      method: 'GET',
      path: SECRETS,
      username: 'system:kube-controller-manager',
      groups: ['system:masters'],
      status: 200,
    },
    { method: 'GET', path: `${SECRETS}/a`, username: 'system:node:a', groups: ['system:nodes'], status: 403 },
    { method: 'GET', path: PODS, username: 'alice', status: 200 },
  );

  expect(found).toEqual([]);
});
