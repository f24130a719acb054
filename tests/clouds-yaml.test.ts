import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import {
  CLOUDS_YAML_CASES,
  type CloudsYamlCase,
  type Reading,
  ROOT,
} from '@fairway/openstack/testing/clouds-yaml-cases';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

/** The distribution's OpenStack client, which includes openstacksdk for the distribution's Python. */
const PYTHON = '/usr/bin/python3';
const isInstalled = existsSync('/usr/bin/openstack');

const folder = mkdtempSync(join(tmpdir(), 'clouds-yaml-'));
let results: Record<string, Partial<Reading> | { readonly error: string }> = {};

/** Reads each case with openstacksdk in a separate process, because it searches paths when the module is loaded. */
const READER = `
import importlib, json, os, sys
from openstack.config import loader

def reading(case):
    root = case['root']
    for key in [k for k in os.environ if k.startswith(('OS_', 'XDG_', 'SNAP_'))]:
        del os.environ[key]
    os.environ.update({'HOME': root + '/home', **case['env']})
    os.chdir(root + '/work')
    importlib.reload(loader)
    cloud = loader.OpenStackConfig().get_one(region_name=os.environ.get('OS_REGION_NAME'))
    auth = cloud.get_auth_args()
    types = ['compute', 'network', 'block-storage']
    services = ['load-balancer', 'key-manager', 'shared-file-system', *types]
    result = {
        'authUrl': auth.get('auth_url'), 'username': auth.get('username'), 'password': auth.get('password'),
        'projectName': auth.get('project_name'), 'projectId': auth.get('project_id'),
        'region': cloud.config['region_name'], 'interface': cloud.config['interface'],
        'verify': cloud.get_requests_verify_args()[0],
        'overrides': {each: cloud.get_endpoint(each) for each in services if cloud.get_endpoint(each)},
        'interfaces': {each: cloud.get_interface(each) for each in types},
        'regions': {each: cloud.get_region_name(each) for each in types},
    }
    return {key: value for key, value in result.items() if value is not None}

def attempt(case):
    try:
        return reading(case)
    except Exception as problem:
        return {'error': repr(problem)}

print(json.dumps({case['name']: attempt(case) for case in json.load(sys.stdin)}, default=str))
`;

function writeCase({ name, files, env = {} }: CloudsYamlCase, index: number): object {
  const root = join(folder, String(index));
  for (const each of ['work', 'home']) mkdirSync(join(root, each), { recursive: true });
  for (const [path, content] of Object.entries(files)) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), content);
  }
  const relocated = Object.fromEntries(Object.entries(env).map(([key, value]) => [key, value.replaceAll(ROOT, root)]));
  return { name, root, env: relocated };
}

describe.skipIf(!isInstalled)('openstacksdk reads clouds.yaml as Fairway does (python3-openstackclient)', () => {
  beforeAll(() => {
    const input = JSON.stringify(CLOUDS_YAML_CASES.map(writeCase));
    results = JSON.parse(execFileSync(PYTHON, ['-W', 'ignore', '-c', READER], { input, encoding: 'utf8' }));
  });

  afterAll(() => rmSync(folder, { recursive: true }));

  const cases = CLOUDS_YAML_CASES.map((each, index) => ({ ...each, root: join(folder, String(index)) }));
  const relocated = (reading: object, root: string) => JSON.parse(JSON.stringify(reading).replaceAll(ROOT, root));
  const identicalCases = cases.filter(({ differs }) => differs === undefined);

  it.each(identicalCases.filter(({ expected }) => expected !== undefined))('$name', ({ name, expected = {}, root }) => {
    expect(results[name]).toMatchObject(relocated(expected, root));
  });

  it.each(identicalCases.filter(({ expected }) => expected === undefined))('refuses $name', ({ name }) => {
    expect(results[name]).toHaveProperty('error');
  });

  it.each(cases.filter(({ differs }) => differs !== undefined))('$name: $differs', ({ name, expected = {}, root }) => {
    expect(results[name]).not.toMatchObject(relocated(expected, root));
  });
});
