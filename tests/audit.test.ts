import { readFileSync, statSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { AuditEvent } from '@fairway/apiserver/audit/audit-event';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Answer, RunningFairway, run } from './session/running-fairway.ts';
import { findKubectls } from './session/tools.ts';

const kubectl = findKubectls().at(-1);
const listen = ['--listen', '127.0.0.1:0'];

function eventsIn(text: string): AuditEvent[] {
  const lines = text.split('\n').filter((line) => line.startsWith('{"kind":"Event"'));
  return lines.map((line) => JSON.parse(line) as AuditEvent);
}

/** What people did, in few words. */
function briefly({ verb, user, impersonatedUser, objectRef, responseStatus }: AuditEvent): string {
  const who = impersonatedUser ? `${user.username} as ${impersonatedUser.username}` : user.username;
  const what = [objectRef?.resource, objectRef?.subresource].filter((part) => part !== undefined).join('/');
  return `${who ?? 'nobody'}: ${verb} ${what} ${objectRef?.name ?? ''} ${responseStatus?.code}`;
}

describe.skipIf(kubectl === undefined)(
  `fairway up and kubectl ${kubectl?.version ?? '(skipped: there is none)'}`,
  () => {
    let folder: string;
    beforeAll(async () => {
      folder = await mkdtemp(join(tmpdir(), 'fairway-audit-'));
    });
    afterAll(() => rm(folder, { recursive: true }));

    function ask(fairway: RunningFairway, ...args: readonly string[]): Promise<Answer> {
      return run(kubectl?.path ?? '', ['--kubeconfig', fairway.kubeconfig, ...args]);
    }

    test('the log says who did what, and is complete after Fairway has stopped', async () => {
      const home = join(folder, 'home');
      const fairway = await RunningFairway.start(home, ...listen);
      try {
        const file = join(folder, 'secret.json');
        const secret = { apiVersion: 'v1', kind: 'Secret', metadata: { name: 's' }, stringData: { a: 'hunter2' } };
        await writeFile(file, JSON.stringify(secret));
        await ask(fairway, 'create', '-f', file);
        await ask(fairway, 'get', 'secret', 's');
        await ask(fairway, 'get', 'clusters');
        await ask(fairway, 'delete', 'secret', 's', '--as', 'mallory');
        await ask(fairway, 'delete', 'secret', 's', '--as', 'root', '--as-group', 'system:masters');
        const { stdout } = await run('curl', [
          '-sk',
          '-H',
          'Authorization: Bearer stolen',
          `${fairway.url}/api/v1/secrets`,
        ]);
        expect(stdout).toContain('"code":401');
      } finally {
        await fairway.stop();
      }
      const path = join(home, 'audit.log');
      const text = readFileSync(path, 'utf8');
      // Whether kubectl discovers the API once more, in another's name, depends on its cache.
      const byPeople = eventsIn(text).filter(
        ({ user, objectRef }) => user.username !== 'system:fairway:controllers' && objectRef !== undefined,
      );

      expect(byPeople.map(briefly)).toEqual([
        'fairway-admin: create secrets s 201',
        'fairway-admin: get secrets s 200',
        'fairway-admin as mallory: delete secrets s 403',
        'fairway-admin as root: delete secrets s 200',
        // kubectl looks whether it is gone.
        'fairway-admin as root: get secrets s 404',
        'nobody: list secrets  401',
      ]);
      expect(text.endsWith('}\n')).toBe(true);
      expect(text).not.toMatch(/hunter2|aHVudGVyMg|stolen/);
      expect(statSync(path).mode & 0o777).toBe(0o600);
    });

    test('a full disk is reported, and stops nothing', async () => {
      const options = ['--audit-log-path', '/dev/full', ...listen];
      const fairway = await RunningFairway.start(join(folder, 'full'), ...options);
      try {
        const made = await ask(fairway, 'create', 'configmap', 'a');
        const { stdout } = await ask(fairway, 'get', '--raw', '/metrics');

        expect(made.code).toBe(0);
        expect(stdout).toMatch(/^fairway_audit_write_errors_total [1-9]/m);
        expect(stdout).toMatch(/^fairway_audit_events_total 0$/m);
        expect(fairway.output).toContain('the audit log cannot be written: events wait in memory');
      } finally {
        await fairway.stop();
      }
    });

    test('standard output works too', async () => {
      const fairway = await RunningFairway.start(join(folder, 'stdout'), '--audit-log-path', '-', ...listen);
      await ask(fairway, 'create', 'configmap', 'a');
      await fairway.stop();

      expect(eventsIn(fairway.output).map(briefly)).toContain('fairway-admin: create configmaps a 201');
    });

    test('an unusable file is an error at start', async () => {
      const path = join(folder, 'missing', 'audit.log');
      const starting = RunningFairway.start(join(folder, 'none'), '--audit-log-path', path, ...listen);

      await expect(starting).rejects.toThrow(
        /the audit log can't be written: ENOENT.*\n.*choose another file with --audit-log-path/,
      );
    });
  },
);
