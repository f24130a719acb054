import { existsSync, readFileSync, statSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import type { AuditEvent } from '@fairway/apiserver/audit/audit-event';
import { startTlsServer } from '@fairway/kube/testing/tls-server';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type CommandResult, RunningFairway, run } from './session/running-fairway.ts';
import { findKubectls } from './session/tools.ts';

const kubectl = findKubectls().at(-1);
const listen = ['--listen', '127.0.0.1:0'];

function eventsIn(text: string): AuditEvent[] {
  const lines = text.split('\n').filter((line) => line.startsWith('{"kind":"Event"'));
  return lines.map((line) => JSON.parse(line) as AuditEvent);
}

/** Summarizes an event for a user's action. */
function summarize({ verb, user, impersonatedUser, objectRef, responseStatus }: AuditEvent): string {
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

    function queryAudit(fairway: RunningFairway, ...args: readonly string[]): Promise<CommandResult> {
      return run(kubectl?.path ?? '', ['--kubeconfig', fairway.kubeconfig, ...args]);
    }

    test('records who did what, and has a complete log after Fairway has stopped', async () => {
      const home = join(folder, 'home');
      const fairway = await RunningFairway.start(home, ...listen);
      try {
        const file = join(folder, 'secret.json');
        const secret = { apiVersion: 'v1', kind: 'Secret', metadata: { name: 's' }, stringData: { a: 'hunter2' } };
        await writeFile(file, JSON.stringify(secret));
        await queryAudit(fairway, 'create', '-f', file);
        await queryAudit(fairway, 'get', 'secret', 's');
        await queryAudit(fairway, 'get', 'clusters');
        await queryAudit(fairway, 'delete', 'secret', 's', '--as', 'mallory');
        await queryAudit(fairway, 'delete', 'secret', 's', '--as', 'root', '--as-group', 'system:masters');
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
      const log = readFileSync(path, 'utf8');
      // Whether kubectl repeats discovery while impersonating depends on its cache.
      const userEvents = eventsIn(log).filter(
        ({ user, objectRef }) => user.username !== 'system:fairway:controllers' && objectRef !== undefined,
      );

      expect(userEvents.map(summarize)).toEqual([
        'fairway-admin: create secrets s 201',
        'fairway-admin: get secrets s 200',
        'fairway-admin as mallory: delete secrets s 403',
        'fairway-admin as root: delete secrets s 200',
        // kubectl checks whether the object has been deleted.
        'fairway-admin as root: get secrets s 404',
        'nobody: list secrets  401',
      ]);
      expect(log.endsWith('}\n')).toBe(true);
      expect(log).not.toMatch(/hunter2|aHVudGVyMg|stolen/);
      expect(statSync(path).mode & 0o777).toBe(0o600);
    });

    test('reports a full disk, and keeps running', async () => {
      const options = ['--audit-log-path', '/dev/full', ...listen];
      const fairway = await RunningFairway.start(join(folder, 'full'), ...options);
      try {
        const created = await queryAudit(fairway, 'create', 'configmap', 'a');
        const { stdout } = await queryAudit(fairway, 'get', '--raw', '/metrics');

        expect(created.code).toBe(0);
        expect(stdout).toMatch(/^fairway_audit_write_errors_total [1-9]/m);
        expect(stdout).toMatch(/^fairway_audit_events_total 0$/m);
        expect(fairway.output).toContain('the audit log cannot be written: events wait in memory');
      } finally {
        await fairway.stop();
      }
    });

    test('writes the log to standard output', async () => {
      const fairway = await RunningFairway.start(join(folder, 'stdout'), '--audit-log-path', '-', ...listen);
      await queryAudit(fairway, 'create', 'configmap', 'a');
      await fairway.stop();

      expect(eventsIn(fairway.output).map(summarize)).toContain('fairway-admin: create configmaps a 201');
    });

    test('lets tenants read only the events of their own namespace with kubectl', async () => {
      const fairway = await RunningFairway.start(join(folder, 'tenants'), ...listen);
      try {
        const as = ['--as', 'alice', '--as-group', 'system:authenticated'];
        for (const namespace of ['red', 'blue']) await queryAudit(fairway, 'create', 'namespace', namespace);
        const bind = [
          'create',
          'rolebinding',
          'alice',
          '--clusterrole',
          'fairway-member',
          '--user',
          'alice',
          '-n',
          'red',
        ];
        await queryAudit(fairway, ...bind);
        for (const name of ['hers', 'again']) await queryAudit(fairway, 'create', 'configmap', name, '-n', 'red');
        await queryAudit(fairway, 'delete', 'configmap', 'hers', '-n', 'red', '--dry-run=server');
        await queryAudit(fairway, 'create', 'configmap', 'theirs', '-n', 'blue');
        const events = (namespace: string) =>
          `/apis/fairway.dev/v1alpha1/namespaces/${namespace}/auditevents?as=EventList`;
        const raw = await queryAudit(fairway, 'get', '--raw', events('red'), ...as);
        const other = await queryAudit(fairway, 'get', '--raw', events('blue'), ...as);
        const table = await queryAudit(fairway, 'get', 'auditevents', '-n', 'red', ...as);
        const filterOptions = ['--field-selector', 'objectRef.resource=configmaps', '--chunk-size', '1', '-o', 'json'];
        const json = await queryAudit(fairway, 'get', 'auditevents', '-n', 'red', ...filterOptions, ...as);

        const cli = ['--kubeconfig', fairway.kubeconfig, '-n', 'red', 'audit'];
        const shown = await run('npx', ['fairway', ...cli, '--verb', 'create', '--limit', '1', '--since', '1h']);
        const printed = await run('npx', ['fairway', ...cli, '--user', 'fairway-admin', '-o', 'json']);

        const { kind, items } = JSON.parse(raw.stdout) as { kind: string; items: AuditEvent[] };
        expect(kind).toBe('EventList');
        expect(items.map(summarize)).toContain('fairway-admin: create configmaps hers 201');
        expect(raw.stdout).not.toContain('theirs');
        // Tenants must not see operators' addresses.
        expect(
          items.filter(({ user }) => user.username === 'fairway-admin').flatMap((each) => each.sourceIPs ?? []),
        ).toEqual(items.flatMap((each) => (each.impersonatedUser === undefined ? [] : (each.sourceIPs ?? []))));
        expect(table.stdout).toMatch(/delete \(dry run\) +configmaps hers +200$/m);
        expect(shown.stdout).toMatch(/^AGE +USER +VERB +OBJECT +CODE\n\S+ +fairway-admin +create +\S+ \S+ +201\n$/);
        expect(JSON.parse(printed.stdout)).toMatchObject({ kind: 'EventList', apiVersion: 'audit.k8s.io/v1' });
        expect((JSON.parse(printed.stdout) as { items: AuditEvent[] }).items.map(summarize)).toContain(
          'fairway-admin: create configmaps hers 201',
        );
        expect(other).toMatchObject({ code: 1, stderr: expect.stringContaining('forbidden') as string });
        expect(table.stdout).toMatch(
          /AGE +USER +VERB +OBJECT +CODE\n[\s\S]*fairway-admin +create +configmaps hers +201/,
        );
        expect((JSON.parse(json.stdout) as { items: AuditEvent[] }).items.map(summarize)).toEqual([
          'fairway-admin: delete configmaps hers 200',
          'fairway-admin: create configmaps again 201',
          'fairway-admin: create configmaps hers 201',
        ]);
      } finally {
        await fairway.stop();
      }
    });

    test('lets tenants read their events exactly once after kill -9', async () => {
      const home = join(folder, 'killed');
      const first = await RunningFairway.start(home, ...listen);
      const { namespace } = first;
      const events = `/apis/fairway.dev/v1alpha1/namespaces/${namespace}/auditevents?as=EventList`;
      await queryAudit(first, 'create', 'configmap', 'before');
      const file = join(home, 'audit-events', namespace, 'events.log');
      await expect
        .poll(() => (existsSync(file) ? readFileSync(file, 'utf8') : ''), { timeout: 10_000 })
        .toContain('before');
      await first.kill();
      const second = await RunningFairway.start(home, ...listen);
      try {
        await queryAudit(second, 'create', 'configmap', 'after');
        const { stdout } = await queryAudit(second, 'get', '--raw', events);
        const { items } = JSON.parse(stdout) as { items: AuditEvent[] };

        expect(items.filter(({ objectRef }) => objectRef?.resource === 'configmaps').map(summarize)).toEqual([
          'fairway-admin: create configmaps after 201',
          'fairway-admin: create configmaps before 201',
        ]);
      } finally {
        await second.stop();
      }
    });

    test('records the events that a policy selects, and sends them to a webhook too', async () => {
      const received: AuditEvent[] = [];
      const receiver = await startTlsServer((request, response) => {
        void text(request).then((body) => {
          received.push(...(JSON.parse(body) as { items: AuditEvent[] }).items);
          response.end('{}');
        });
      });
      const policy = join(folder, 'policy.yaml');
      const config = join(folder, 'receiver.kubeconfig');
      await writeFile(
        policy,
        'apiVersion: audit.k8s.io/v1\nkind: Policy\nomitManagedFields: true\nrules:\n' +
          '- {level: RequestResponse, verbs: [create], resources: [{resources: [configmaps, secrets]}]}\n- {level: None}\n',
      );
      const authority = Buffer.from(receiver.authority.certificatePem).toString('base64');
      await writeFile(
        config,
        JSON.stringify({
          apiVersion: 'v1',
          kind: 'Config',
          clusters: [
            { name: 'a', cluster: { server: `${receiver.url}/audit`, 'certificate-authority-data': authority } },
          ],
          users: [{ name: 'a', user: { token: 'secret' } }],
          contexts: [{ name: 'a', context: { cluster: 'a', user: 'a' } }],
          'current-context': 'a',
        }),
      );
      const options = ['--audit-policy-file', policy, '--audit-webhook-config-file', config];
      const fairway = await RunningFairway.start(join(folder, 'policy'), ...options, ...listen);
      await queryAudit(fairway, 'create', 'configmap', 'a', '--from-literal', 'color=red');
      await queryAudit(fairway, 'create', 'secret', 'generic', 's', '--from-literal', 'password=hunter2');
      await queryAudit(fairway, 'delete', 'configmap', 'a');
      await fairway.stop();
      await receiver.close();
      const written = eventsIn(readFileSync(join(folder, 'policy', 'audit.log'), 'utf8'));
      const userEvents = (events: readonly AuditEvent[]) =>
        events.filter(({ user, objectRef }) => user.username === 'fairway-admin' && objectRef?.resource !== undefined);

      expect(userEvents(written).map((event) => `${summarize(event)} ${event.level}`)).toEqual([
        'fairway-admin: create configmaps a 201 RequestResponse',
        'fairway-admin: create secrets s 201 Metadata',
      ]);
      expect(userEvents(written)[0]).toMatchObject({
        requestObject: { kind: 'ConfigMap', data: { color: 'red' } },
        responseObject: { kind: 'ConfigMap', metadata: { uid: expect.any(String) as string } },
      });
      expect(received).toEqual(written);
      expect(JSON.stringify(written)).not.toMatch(/hunter2|aHVudGVyMg|managedFields/);
      expect(receiver.received.join()).toContain('POST /audit HTTP/1.1');
    });

    test('refuses to start with an audit log that it cannot write to', async () => {
      const path = join(folder, 'missing', 'audit.log');
      const starting = RunningFairway.start(join(folder, 'none'), '--audit-log-path', path, ...listen);

      await expect(starting).rejects.toThrow(
        /cannot write the audit log: ENOENT.*\n.*specify another file with --audit-log-path/,
      );
    });
  },
);
