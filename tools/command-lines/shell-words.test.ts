import { expect, test } from 'vitest';
import { commandsOf } from './shell-words.ts';

test.each([
  { line: 'fairway cluster list -A # all of them', commands: [['fairway', 'cluster', 'list', '-A']] },
  { line: 'kubectl patch x -p \'{"a b": 1}\'', commands: [['kubectl', 'patch', 'x', '-p', '{"a b": 1}']] },
  {
    line: 'fairway kubeconfig a >a.yaml 2>&1 && kubectl get nodes | head -n 1; ls',
    commands: [['fairway', 'kubeconfig', 'a'], ['kubectl', 'get', 'nodes'], ['head', '-n', '1'], ['ls']],
  },
  {
    line: 'kubectl delete "$(kubectl get machines -o name | head -n 1)"',
    commands: [
      ['kubectl', 'delete', '$(kubectl get machines -o name | head -n 1)'],
      ['kubectl', 'get', 'machines', '-o', 'name'],
      ['head', '-n', '1'],
    ],
  },
  {
    line: 'TOKEN=$(kubectl create token alice)',
    commands: [['kubectl', 'create', 'token', 'alice']],
  },
  { line: 'sudo KUBECONFIG=a.yaml npx fairway up', commands: [['fairway', 'up']] },
  { line: "kubectl create -f - <<'EOF'", commands: [['kubectl', 'create', '-f', '-']] },
])('parses $line', ({ line, commands }) => {
  expect(commandsOf(line)).toEqual(commands);
});
