import { expect, test } from 'vitest';
import { buildProgram } from '../program.ts';
import { fakeContext } from '../testing/fake-context.ts';
import { suggestCommands } from './suggest-command.ts';

test.each([
  { typed: 'get clusters', meant: ['fairway cluster list'] },
  { typed: 'get cluster', meant: ['fairway cluster list'] },
  { typed: 'get cluster demo', meant: ['fairway cluster get demo'] },
  { typed: 'get clusters -o yaml', meant: ['fairway cluster list -o yaml'] },
  { typed: 'create cluster demo --flavor b3-8', meant: ['fairway cluster create demo --flavor b3-8'] },
  { typed: 'delete cluster demo', meant: ['fairway cluster delete demo'] },
  { typed: 'clusters', meant: ['fairway cluster list'] },
  { typed: 'clusters list', meant: ['fairway cluster list'] },
  { typed: 'nodepools list', meant: ['fairway nodepool list'] },
  { typed: 'node-pools list', meant: ['fairway nodepool list'] },
  { typed: 'container clusters describe demo', meant: ['fairway cluster describe demo'] },
  { typed: 'get nodegroup', meant: ['fairway nodepool list'] },
  { typed: 'scale nodegroup web --nodes 3', meant: ['fairway nodepool scale web --nodes 3'] },
  { typed: 'get nodes', meant: ['fairway machine list'] },
  { typed: 'clsuter list', meant: ['fairway cluster list'] },
  { typed: 'cluster crate demo', meant: ['fairway cluster create demo'] },
  { typed: 'cluster rm demo', meant: ['fairway cluster delete demo'] },
  { typed: 'cluster edit demo --plan free', meant: ['fairway cluster update demo --plan free'] },
  { typed: 'nodepool resize web --nodes 2', meant: ['fairway nodepool scale web --nodes 2'] },
  { typed: 'flavors', meant: ['fairway cloud flavors'] },
  { typed: 'flavor', meant: ['fairway cloud flavors'] },
  { typed: 'hibernate demo', meant: ['fairway cluster hibernate demo'] },
  { typed: "describe it's", meant: ["fairway cluster describe 'it'\\''s'"] },
  { typed: 'cluster list demo', meant: ['fairway cluster get demo'] },
  { typed: 'cluster list demo other -o yaml', meant: ['fairway cluster get demo other -o yaml'] },
  { typed: 'operations demo', meant: [] },
  { typed: 'frobnicate', meant: [] },
])('suggests for fairway $typed: $meant', ({ typed, meant }) => {
  const [best] = suggestCommands(buildProgram(fakeContext()), typed.split(' '));

  expect(best === undefined ? [] : [best]).toEqual(meant);
});
