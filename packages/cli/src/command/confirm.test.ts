import { ExitCode } from '@fairway/service/exit-code';
import { expect, test } from 'vitest';
import { confirm } from './confirm.ts';

const words = { question: 'Delete cluster "demo"?', refused: 'nothing was deleted' };
const answering = (answer: string) => ({
  ask: (question: string) => Promise.resolve(question.endsWith(' [y/N] ') ? answer : ''),
});

test.each(['y', 'Y', 'yes', ' YES '])('%j goes on', async (answer) => {
  await expect(confirm(answering(answer), words, {})).resolves.toBeUndefined();
});

test.each(['', 'n', 'no', 'yep', 'ye'])('%j does not', async (answer) => {
  await expect(confirm(answering(answer), words, {})).rejects.toThrow(words.refused);
});

test('with --yes nobody is asked, terminal or not', async () => {
  await expect(confirm({ ask: undefined }, words, { yes: true })).resolves.toBeUndefined();
  await expect(confirm(answering('n'), words, { yes: true })).resolves.toBeUndefined();
});

test('without a terminal it has to be said', async () => {
  await expect(confirm({ ask: undefined }, words, {})).rejects.toMatchObject({
    exitCode: ExitCode.Usage,
    message: 'Delete cluster "demo"? There is no terminal to ask on, so nothing was deleted',
    advice: 'pass --yes to confirm',
  });
});
