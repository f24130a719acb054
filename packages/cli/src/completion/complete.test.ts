import { expect, test } from 'vitest';
import { buildProgram } from '../program.ts';
import { fakeContext } from '../testing/fake-context.ts';
import { complete, type NameSources } from './complete.ts';
import type { CompletedKind, NameScope } from './completed-names.ts';

const names: Readonly<Record<CompletedKind, readonly string[]>> = {
  cluster: ['demo', 'other'],
  nodepool: ['general'],
  machine: ['demo-general-x'],
  cloudcredential: ['mine'],
  kubernetesrelease: ['1.36'],
  plan: ['free', 'standard'],
  version: ['1.35', '1.36'],
  upgradeversion: ['1.35'],
  flavor: ['b3-8', 'b3-16'],
  zone: ['nova-a', 'nova-b'],
  image: ['Ubuntu 24.04'],
  network: ['n-1'],
  subnet: ['s-1'],
  namespace: ['team-a', 'team-b'],
  snapshot: ['monday'],
};

const sources: NameSources = {
  onServer: (kind) => Promise.resolve(names[kind]),
  clouds: () => ['mycloud'],
  projects: () => ['shop'],
  contexts: () => Promise.resolve(['here', 'there']),
};

test.each([
  {
    words: ['c'],
    candidates: ['cluster', 'cloud', 'credential', 'config', 'csi', 'cloud-provider', 'completion'],
    reason: 'commands',
  },
  { words: ['nodepool', 's'], candidates: ['scale'], reason: 'subcommands' },
  { words: ['np', 's'], candidates: ['scale'], reason: 'an alias of a command' },
  { words: ['cluster', 'get', 'd'], candidates: ['demo'], reason: 'names on the server' },
  { words: ['cluster', 'get', 'demo', 'o'], candidates: ['other'], reason: 'a second name' },
  { words: ['machine', 'delete', ''], candidates: ['demo-general-x'], reason: 'only names of the right kind' },
  { words: ['kubeconfig', ''], candidates: ['demo', 'other'], reason: 'a cluster' },
  { words: ['kubeconfig', 'demo', ''], candidates: [], reason: 'nothing after one cluster' },
  { words: ['cluster', 'create', ''], candidates: [], reason: 'nothing for a new name' },
  {
    words: ['cluster', 'list', '-o', ''],
    candidates: ['wide', 'json', 'yaml', 'name'],
    reason: 'choices of an option',
  },
  { words: ['nodepool', 'create', 'x', '--cluster', 'o'], candidates: ['other'], reason: 'a cluster as a value' },
  { words: ['cluster', 'create', 'x', '--plan', ''], candidates: ['free', 'standard'], reason: 'plans' },
  { words: ['cluster', 'create', 'x', '--version', '1.3'], candidates: ['1.35', '1.36'], reason: 'versions' },
  { words: ['nodepool', 'create', 'x', '--flavor', 'b3-8'], candidates: ['b3-8'], reason: 'flavors' },
  { words: ['nodepool', 'create', 'x', '--image', 'U'], candidates: ['Ubuntu 24.04'], reason: 'images' },
  {
    words: ['cluster', 'create', 'x', '--zones', 'nova-a,'],
    candidates: ['nova-a,nova-b'],
    reason: 'the next entry of a list',
  },
  { words: ['cluster', 'create', 'x', '--network', ''], candidates: ['n-1'], reason: 'networks' },
  { words: ['cluster', 'create', 'x', '--subnet', ''], candidates: ['s-1'], reason: 'subnets' },
  { words: ['credential', 'delete', ''], candidates: ['mine'], reason: 'credentials' },
  { words: ['limits', 'd'], candidates: ['demo'], reason: 'the cluster whose limits are shown' },
  { words: ['limits', '--plan', 'f'], candidates: ['free'], reason: 'plans as a value' },
  { words: ['plan', 'get', 'f'], candidates: ['free'], reason: 'plans by name' },
  { words: ['version', 'get', ''], candidates: ['1.36'], reason: 'offered versions by name' },
  { words: ['pool', 'get', ''], candidates: ['general'], reason: 'another alias' },
  { words: ['auth', 'token', '--cloud', ''], candidates: ['mycloud'], reason: 'entries of clouds.yaml' },
  {
    words: ['kubeconfig', '--exec', '--cloud', 'my'],
    candidates: ['mycloud'],
    reason: 'entries of clouds.yaml for another command',
  },
  { words: ['cloud', 'flavors', '--credential', ''], candidates: ['mine'], reason: 'a credential as a value' },
  { words: ['cloud', 'q'], candidates: ['quota'], reason: 'subcommands of cloud' },
  { words: ['-n', 'team', 'cluster', 'get', 'd'], candidates: ['demo'], reason: 'options before the command' },
  { words: ['cluster', 'list', '--all'], candidates: ['--all-namespaces'], reason: 'options' },
  { words: ['cluster', 'list', '--kube'], candidates: ['--kubeconfig'], reason: 'options of every command' },
  { words: ['cluster', 'list', '-n', ''], candidates: ['team-a', 'team-b'], reason: 'namespaces' },
  { words: ['usage', '--project', 'team-b'], candidates: ['team-b'], reason: 'a project is a namespace' },
  { words: ['auth', 'token', '--project', ''], candidates: ['shop'], reason: 'projects of clouds.yaml' },
  { words: ['--context', 't'], candidates: ['there'], reason: 'contexts of the kubeconfig' },
  { words: ['cluster', 'upgrade', 'demo', '--to', '1.35'], candidates: ['1.35'], reason: 'versions to upgrade to' },
  { words: ['cluster', 'scale', 'demo', '--pool', ''], candidates: ['general'], reason: 'a pool as a value' },
  { words: ['cluster', 'create', 'x', '--pool', ''], candidates: [], reason: 'nothing for the name of a new pool' },
  { words: ['cluster', 'restore', 'demo', ''], candidates: ['monday'], reason: 'snapshots' },
  { words: ['pool', 'list', '--cluster=o'], candidates: ['--cluster=other'], reason: 'a value in the same word' },
  { words: ['pool', 'list', '--cluster', '='], candidates: ['demo', 'other'], reason: 'a word broken at = by bash' },
  { words: ['cluster', 'wait', 'demo', '--for', 'u'], candidates: ['upgraded'], reason: 'conditions to wait for' },
  { words: ['machine', 'keep', 'x', '--for', ''], candidates: [], reason: 'nothing for a duration' },
  { words: ['completion', ''], candidates: ['bash', 'zsh', 'fish'], reason: 'choices of an argument' },
  { words: ['__'], candidates: [], reason: 'no hidden commands' },
])('$words: $reason', async ({ words, candidates }) => {
  const program = buildProgram(fakeContext());

  expect(await complete(program, words, sources)).toEqual(candidates);
});

test.each<{ words: readonly string[]; scope: Partial<NameScope>; reason: string }>([
  {
    words: ['pool', 'list', '--cluster', 'demo', '--cluster', ''],
    scope: { cluster: 'demo' },
    reason: 'the cluster of an option',
  },
  { words: ['cluster', 'scale', 'demo', '--pool', ''], scope: { cluster: 'demo' }, reason: 'a cluster named earlier' },
  { words: ['cluster', 'restore', 'demo', ''], scope: { cluster: 'demo' }, reason: 'the snapshots of a cluster' },
  { words: ['machine', 'get', ''], scope: { cluster: undefined }, reason: 'no cluster' },
  { words: ['-n', 'team', 'cluster', 'get', ''], scope: { namespace: 'team' }, reason: 'options before the command' },
  { words: ['cluster', 'get', '--namespace=team', ''], scope: { namespace: 'team' }, reason: 'a value after =' },
  {
    words: ['cluster', 'create', 'x', '--plan', 'free', '--version', ''],
    scope: { plan: 'free' },
    reason: 'the versions of a plan',
  },
  {
    words: ['cluster', 'create', 'x', '--version=1.36', '--plan', ''],
    scope: { version: '1.36' },
    reason: 'the plans with a version',
  },
  {
    words: ['cluster', 'upgrade', 'demo', '--to', ''],
    scope: { cluster: 'demo' },
    reason: 'the upgrades of a cluster',
  },
  {
    words: ['cluster', 'get', '--namespace', '=', 'team', ''],
    scope: { namespace: 'team' },
    reason: 'a word broken at = by bash',
  },
  {
    words: ['--kubeconfig', 'k', '--context', 'c', 'plan', 'get', ''],
    scope: { kubeconfig: 'k', context: 'c' },
    reason: 'another server',
  },
])('completes names in the right scope: $reason', async ({ words, scope }) => {
  const requestedScopes: NameScope[] = [];
  const onServer: NameSources['onServer'] = async (_kind, each) => {
    requestedScopes.push(each);
    return [];
  };

  await complete(buildProgram(fakeContext()), words, { ...sources, onServer });

  expect(requestedScopes).toEqual([expect.objectContaining(scope)]);
});
