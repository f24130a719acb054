import { expect, test } from 'vitest';
import { findKubectls } from '../../tests/session/tools.ts';
import { commandsInDocument, commandsInSource, documentedCommands } from './collect.ts';
import { fairwayProblem } from './fairway-line.ts';
import { KubectlLines } from './kubectl-line.ts';
import { commandsOf } from './shell-words.ts';

const commands = documentedCommands();
const kubectl = findKubectls().at(-1);

const wrong = (program: string, problemOf: (line: (typeof commands)[number]) => string | undefined) =>
  commands.flatMap((line) => {
    const problem = line.words[0] === program ? problemOf(line) : undefined;
    return problem === undefined ? [] : [`${line.location}: ${line.words.join(' ')}: ${problem}`];
  });

test('accepts every `fairway` line in documents and messages', () => {
  expect(commands.filter(({ words }) => words[0] === 'fairway').length).toBeGreaterThan(300);
  expect(wrong('fairway', ({ words, isMention }) => fairwayProblem(words, isMention))).toEqual([]);
});

test.skipIf(kubectl === undefined)(
  `accepts each line with kubectl ${kubectl?.version ?? '(skipped: there is none on PATH)'}`,
  () => {
    const lines = new KubectlLines(kubectl?.path ?? '');

    expect(wrong('kubectl', ({ words }) => lines.problem(words))).toEqual([]);
  },
);

test.each([
  'fairway clusters list',
  'fairway cluster list --all',
  'fairway cluster get',
  'fairway cluster create a b',
  'fairway cluster list -o table',
  'fairway cluster create a --nodes three',
  'fairway cluster scale a',
])('refuses "%s"', (line) => {
  expect(fairwayProblem(commandsOf(line)[0] ?? [], false)).toBeDefined();
});

test.each(['fairway cluster get', 'fairway cluster scale', 'fairway cluster create demo …', 'fairway nodepool'])(
  'accepts "%s" in running text',
  (line) => {
    expect(fairwayProblem(commandsOf(line)[0] ?? [], true)).toBeUndefined();
  },
);

test.skipIf(kubectl === undefined)('refuses invalid kubectl lines', () => {
  const lines = new KubectlLines(kubectl?.path ?? '');
  const isValid = (line: string) => lines.problem(commandsOf(line)[0] ?? []) === undefined;

  const right = [
    'kubectl -n a get pods -w',
    'kubectl create secret generic a --from-file=b',
    'kubectl exec a -- ls -l',
  ];
  expect(right.filter((line) => !isValid(line))).toEqual([]);
  const invalidLines = ['kubectl list pods', 'kubectl get pods --every', 'kubectl get pods,nodes -w'];
  expect(invalidLines.filter(isValid)).toEqual([]);
});

test('finds lines in blocks, in backticks, in quotes and after a colon', () => {
  const lines = (all: ReturnType<typeof commandsInSource>) => all.map(({ words }) => words.join(' '));
  const document =
    '`fairway up`, `fairway-system`, "fairway doctor"\n```\nnpm start\nA=b fairway cluster \\\n  list | cat\n```\n';
  expect(lines(commandsInDocument('a.md', document))).toEqual(['fairway up', 'fairway doctor', 'fairway cluster list']);

  // biome-ignore lint/suspicious/noTemplateCurlyInString: it is source.
  const source = "x('run \"fairway up\"');\ny(`to drain: kubectl drain ${a ?? 'b'}; or: fairway machine delete ${b}`);";
  expect(lines(commandsInSource('a.ts', source))).toEqual([
    'fairway up',
    'kubectl drain NAME',
    'fairway machine delete NAME',
  ]);
});
