import { expect, test } from 'vitest';
import { buildProgram } from '../program.ts';
import { fakeContext } from '../testing/fake-context.ts';
import { complete } from './complete.ts';

const names = { cluster: ['demo', 'other'], nodepool: ['general'], machine: ['demo-general-x'] };

test.each([
  { words: ['c'], candidates: ['cluster', 'credential', 'config', 'completion'], reason: 'commands' },
  { words: ['nodepool', 's'], candidates: ['scale'], reason: 'subcommands' },
  { words: ['np', 's'], candidates: ['scale'], reason: 'an alias is the command' },
  { words: ['cluster', 'get', 'd'], candidates: ['demo'], reason: 'names on the server' },
  { words: ['cluster', 'get', 'demo', 'o'], candidates: ['other'], reason: 'more than one name' },
  { words: ['machine', 'delete', ''], candidates: ['demo-general-x'], reason: 'of the right kind' },
  { words: ['kubeconfig', ''], candidates: ['demo', 'other'], reason: 'a cluster' },
  { words: ['kubeconfig', 'demo', ''], candidates: [], reason: 'one cluster is enough' },
  { words: ['cluster', 'create', ''], candidates: [], reason: 'a new name is not known' },
  {
    words: ['cluster', 'list', '-o', ''],
    candidates: ['wide', 'json', 'yaml', 'name'],
    reason: 'choices of an option',
  },
  { words: ['nodepool', 'create', 'x', '--cluster', 'o'], candidates: ['other'], reason: 'a cluster as value' },
  { words: ['-n', 'team', 'cluster', 'get', 'd'], candidates: ['demo'], reason: 'options before the command' },
  { words: ['cluster', 'list', '--all'], candidates: ['--all-namespaces'], reason: 'options' },
  { words: ['cluster', 'list', '--kube'], candidates: ['--kubeconfig'], reason: 'options of every command' },
  { words: ['completion', ''], candidates: ['bash', 'zsh', 'fish'], reason: 'choices of an argument' },
  { words: ['__'], candidates: [], reason: 'hidden commands stay hidden' },
])('$words: $reason', async ({ words, candidates }) => {
  const program = buildProgram(fakeContext());

  expect(await complete(program, words, (kind) => Promise.resolve(names[kind]))).toEqual(candidates);
});
