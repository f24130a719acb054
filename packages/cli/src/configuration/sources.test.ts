import { LOGGER_NAMES } from '@fairway/service/log-levels';
import { expect, test } from 'vitest';
import { valuesOfEnvironment, valuesOfFile } from './sources.ts';

test.each([
  { text: 'audit: { maxSizeMb: 1 }', says: 'audit.maxSizeMb: unknown key; did you mean "maxSizeMB"?' },
  { text: 'listn: x', says: 'listn: unknown key; did you mean "listen"?' },
  { text: 'audit: { maxSizeMB: lots }', says: 'audit.maxSizeMB: "lots" is not a whole number of at least 1' },
  { text: 'audit: { maxSizeMB: 0 }', says: 'audit.maxSizeMB: 0 is not a whole number of at least 1' },
  {
    text: 'listen: nonsense',
    says: 'listen: "nonsense" is not HOST:PORT, such as 127.0.0.1:8443, [::1]:8443 or 0.0.0.0:8443',
  },
  {
    text: 'advertiseAddress: 0.0.0.0',
    says: 'advertiseAddress: "0.0.0.0" is not HOST or HOST:PORT, such as fairway.example.com or 192.0.2.7:443',
  },
  {
    text: 'cloud: { checkInterval: 10 }',
    says: 'cloud.checkInterval: 10 is not a duration of at least 1s, such as 90s or 10m',
  },
  {
    text: 'cloud: { checkInterval: 0s }',
    says: 'cloud.checkInterval: "0s" is not a duration of at least 1s, such as 90s or 10m',
  },
  { text: 'cloud: mine', says: 'cloud: must be a mapping of keys' },
  { text: '[]', says: 'the document: must be a mapping of keys' },
  {
    text: 'tls: { subjectAltNames: [a, "b c"] }',
    says: 'tls.subjectAltNames: ["a","b c"] is not a list of host names and IP addresses',
  },
  {
    text: 'limits: { maxBodyBytes: 3k }',
    says: 'limits.maxBodyBytes: "3k" is not a size of at least 64Ki, such as 3Mi',
  },
  {
    text: 'backup: { schedule: 61 * * * * }',
    says: 'backup.schedule: "61 * * * *" is not a cron expression with five fields, such as 0 3 * * *, or never',
  },
  { text: 'backup: { keep: 0 }', says: 'backup.keep: 0 is not a whole number of at least 1' },
  { text: 'log: { level: loud }', says: 'log.level: "loud" is not debug, info, warn or error' },
  {
    text: 'log: { levels: { openstak: debug } }',
    says: `log.levels: {"openstak":"debug"} is not a mapping of component names to levels (debug, info, warn or error): ${LOGGER_NAMES.join(', ')}`,
  },
  { text: 'home: a\n---\nhome: b', says: 'it has 2 documents, but only one is allowed' },
  { text: `home: [${'"x",'.repeat(1000)}]`, says: `home: [${'"x",'.repeat(24)}"x"… is not a folder` },
])('rejects the file $text with a readable message', ({ text, says }) => {
  const { problems } = valuesOfFile('fairway.yaml', text);

  expect(problems).toEqual([`fairway.yaml: ${says}`]);
});

test('rejects invalid YAML with the position', () => {
  expect(valuesOfFile('fairway.yaml', 'a: b: c').problems).toEqual([
    expect.stringMatching(/^fairway.yaml: not valid YAML: .+1:/),
  ]);
});

test('reports all problems in a file together', () => {
  const { problems } = valuesOfFile('f', 'listen: x\nlog: { level: loud, colour: red }\ngateway: { enabled: maybe }\n');

  expect(
    problems.map((problem) => problem.split(':')[1]?.trim()).toSorted((a = '', b = '') => a.localeCompare(b)),
  ).toEqual(['gateway.enabled', 'listen', 'log.colour', 'log.level']);
});

test('parses the values in a file like those of flags', () => {
  const { found, problems } = valuesOfFile(
    '/etc/fairway/fairway.yaml',
    `
home: /var/lib/fairway
listen: "[::1]:0"
cloud: { file: clouds.yaml, checkInterval: 1h30m }
controlPlanes: { users: 10-20, egressAllow: ["192.0.2.7/32:443"] }
audit: { path: "-" }
limits: { maxBodyBytes: 64Ki, stallTimeout: 1m }
simulator:
`,
  );

  expect(problems).toEqual([]);
  expect(Object.fromEntries([...found].map(([name, { value }]) => [name, value]))).toEqual({
    home: '/var/lib/fairway',
    listen: { host: '::1', port: 0 },
    'cloud.file': '/etc/fairway/clouds.yaml',
    'cloud.checkInterval': 5_400_000,
    'controlPlanes.users': { first: 10, last: 20 },
    'controlPlanes.egressAllow': ['192.0.2.7/32:443'],
    'audit.path': '-',
    'limits.maxBodyBytes': 65_536,
    'limits.stallTimeout': 60_000,
  });
});

test('reads numbers, booleans and lists from text in the environment', () => {
  const { found, problems } = valuesOfEnvironment({
    FAIRWAY_AUDIT_MAX_SIZE_MB: '7',
    FAIRWAY_GATEWAY_ENABLED: 'false',
    FAIRWAY_TLS_SUBJECT_ALT_NAMES: 'a.example.com, 192.0.2.1',
    FAIRWAY_CLOUD_NAME: '42',
    FAIRWAY_HOME: '',
  });

  expect(problems).toEqual([]);
  expect([...found.values()].map(({ value }) => value)).toEqual([['a.example.com', '192.0.2.1'], false, '42', 7]);
});

test('names the variable of an invalid value in the environment', () => {
  expect(valuesOfEnvironment({ FAIRWAY_LISTEN: '99' }).problems).toEqual([
    'FAIRWAY_LISTEN: "99" is not HOST:PORT, such as 127.0.0.1:8443, [::1]:8443 or 0.0.0.0:8443',
  ]);
});
