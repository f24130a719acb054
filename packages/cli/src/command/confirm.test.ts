import { ExitCode } from '@fairway/service/exit-code';
import { expect, test } from 'vitest';
import { confirm } from './confirm.ts';

const words = { question: 'Delete cluster "demo"?', declinedMessage: 'nothing was deleted' };
const promptWithAnswer = (answer: string) => ({
  ask: (question: string) => Promise.resolve(question.endsWith(' [y/N] ') ? answer : ''),
});

test.each(['y', 'Y', 'yes', ' YES '])('continues on %j', async (answer) => {
  await expect(confirm(promptWithAnswer(answer), words, {})).resolves.toBeUndefined();
});

test.each(['', 'n', 'no', 'yep', 'ye'])('stops on %j', async (answer) => {
  await expect(confirm(promptWithAnswer(answer), words, {})).rejects.toThrow(words.declinedMessage);
});

test('does not prompt with --yes, on a terminal or not', async () => {
  await expect(confirm({ ask: undefined }, words, { yes: true })).resolves.toBeUndefined();
  await expect(confirm(promptWithAnswer('n'), words, { yes: true })).resolves.toBeUndefined();
});

test('requires --yes without a terminal', async () => {
  await expect(confirm({ ask: undefined }, words, {})).rejects.toMatchObject({
    exitCode: ExitCode.Usage,
    message: 'Delete cluster "demo"? There is no terminal to ask on, so nothing was deleted',
    advice: 'pass --yes to confirm',
  });
});
