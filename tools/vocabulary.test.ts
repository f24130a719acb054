import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';

/**
 * Words that are unfamiliar to Kubernetes and OpenStack engineers, with alternatives. None of them may be part of an identifier or file name:
 * `keptWishes` and `kept-wishes.ts` are both found by `wishes`.
 */
const REPLACEMENT_BY_WORD: Readonly<Record<string, string>> = {
  afresh: 'again, invalidate',
  ailment: 'unhealthy reason',
  anew: 'again',
  belief: 'cached token',
  believed: 'cached, trusted',
  blindly: 'without events',
  bury: 'on exit',
  cure: 'recovery',
  cured: 'recovered',
  deed: 'audited action',
  departure: 'deletion, end',
  departures: 'ends',
  door: 'entry point',
  doors: 'entry points',
  forgive: 'reset backoff',
  further: 'additional',
  heir: 'successor',
  heirs: 'successors',
  judge: 'validate, classify, decide',
  judgement: 'validation, decision',
  keeper: 'reconciler, manager',
  keepers: 'reconcilers, managers',
  learnt: 'observed',
  newcomer: 'new node',
  news: 'gossip, events',
  offence: 'kill reason',
  overhear: 'observe passively',
  owed: 'pending',
  patience: 'timeout',
  patients: 'repair targets',
  scene: 'scope',
  standing: 'state, progress',
  starved: 'lacks capacity',
  told: 'reported',
  superfluous: 'surplus',
  symptoms: 'observation',
  triage: 'plan repairs',
  unheld: 'released',
  vanish: 'delete, go missing',
  vanished: 'missing, deleted',
  verdict: 'decision, result, state',
  verdicts: 'decisions, results, states',
  ward: 'health counts',
  wish: 'spec, request',
  wished: 'requested',
  wishes: 'specs, requests',
  wishing: 'requesting',
};

/** Exceptions where a word is correct, with the reason. */
const ALLOWED_USES: readonly { readonly files: RegExp; readonly words: readonly string[]; readonly reason: string }[] =
  [
    {
      files: /^/,
      words: ['ServerVanished'],
      reason: 'a reason of conditions, visible to users',
    },
    {
      files:
        /^(packages\/apiserver\/src\/server\/(default-stored|stored-defaults)|tests\/contract\/kubernetes\/custom-resources)\.test\.ts$/,
      words: ['door'],
      reason: 'a field of the widgets that the test defines',
    },
  ];

/** Phrases translated literally from German, with alternatives. */
const PHRASES: Readonly<Record<string, string>> = {
  'all else': 'everything else, the rest',
  'are told': 'are reported, recorded',
  'is told': 'is reported, recorded',
  "nobody's": 'say who has it, or that nothing does',
  'that there are': 'existing, available',
  'for want of': 'because … is missing',
  'further network': 'additional network',
  'of before': 'previous',
  'roots of trust': 'CA certificates',
  'some minutes': 'a few minutes',
  'some seconds': 'a few seconds',
  'whose turn': 'who must act',
  anew: 'again',
  beside: 'in addition to, next to',
};

interface Offender {
  readonly at: string;
  readonly word: string;
  readonly replacement: string;
}

const FILES = execFileSync('git', ['ls-files', 'packages', 'tools', 'tests', 'bench', 'testbed'], {
  encoding: 'utf8',
  maxBuffer: 2 ** 26,
})
  .split('\n')
  .filter((path) => /\.tsx?$/.test(path) && !path.includes('/generated/') && path !== 'tools/vocabulary.test.ts');

const PAGES = execFileSync('git', ['ls-files', '*.md'], { encoding: 'utf8' })
  .split('\n')
  .filter((path) => path !== '' && path !== 'docs/glossary.md' && path !== 'CHANGELOG.md');

/** Everything except identifiers: comments, strings and regular expressions. Code within `${}` counts as a string. */
const OTHER =
  /\/\*[\s\S]*?\*\/|\/\/[^\n]*|'(?:[^'\\\n]|\\.)*'|"(?:[^"\\\n]|\\.)*"|`(?:[^`\\]|\\.)*`|(?<=[=(,:!&|?;{}[\n]\s*)\/(?![*/])(?:[^/\\\n[]|\\.|\[(?:[^\]\\\n]|\\.)*\])+\/[a-z]*/g;
const IDENTIFIER = /[A-Za-z_$][\w$]*/g;

function wordsOf(name: string): readonly string[] {
  return name
    .replace(/([a-z\d])([A-Z])/g, '$1 $2')
    .replace(/([A-Z]+)([A-Z][a-z])/g, '$1 $2')
    .toLowerCase()
    .split(/[^a-z]+/);
}

function isAllowedUse(path: string, name: string): boolean {
  return ALLOWED_USES.some(({ files, words }) => files.test(path) && words.includes(name));
}

function offendingWordsIn(path: string, name: string, line: number): readonly Offender[] {
  if (isAllowedUse(path, name)) return [];
  return wordsOf(name).flatMap((word) => {
    const replacement = Object.hasOwn(REPLACEMENT_BY_WORD, word) ? REPLACEMENT_BY_WORD[word] : undefined;
    return replacement === undefined ? [] : [{ at: `${path}:${line}`, word: `${word} in ${name}`, replacement }];
  });
}

/** Replaces text by blanks to preserve positions. */
function blankOut(text: string): string {
  return text.replace(/[^\n]/g, ' ');
}

function lineAt(text: string, index: number): number {
  return text.slice(0, index).split('\n').length;
}

const texts = new Map(FILES.map((path) => [path, readFileSync(path, 'utf8')]));
const SUSPECT_PATTERN = new RegExp(Object.keys(REPLACEMENT_BY_WORD).join('|'), 'i');

test('identifiers use the vocabulary of the field', () => {
  const found = [...texts].flatMap(([path, text]) => {
    if (!SUSPECT_PATTERN.test(text)) return [];
    const code = text.replace(OTHER, blankOut);
    return [...code.matchAll(IDENTIFIER)].flatMap(({ 0: name, index }) =>
      SUSPECT_PATTERN.test(name) ? offendingWordsIn(path, name, lineAt(text, index)) : [],
    );
  });

  expect(describe(found)).toEqual([]);
});

test('names of files and folders use the vocabulary of the field', () => {
  const found = FILES.flatMap((path) => path.split('/').flatMap((part) => offendingWordsIn(path, part, 1)));

  expect(describe(found)).toEqual([]);
});

test('comments use the phrases of the field', () => {
  const found = [...texts].flatMap(([path, text]) =>
    [...text.matchAll(/\/\*\*?[\s\S]*?\*\/|(?<=\s)\/\/ [^\n]*/g)].flatMap(({ 0: comment, index }) =>
      Object.entries(PHRASES).flatMap(([phrase, replacement]) => {
        const at = new RegExp(`\\b${phrase}\\b`, 'i').exec(comment.replace(/\n\s*\* /g, ' '));
        return at ? [{ at: `${path}:${lineAt(text, index)}`, word: phrase, replacement }] : [];
      }),
    ),
  );

  expect(describe(found)).toEqual([]);
});

test('pages use the phrases of the field', () => {
  const found = PAGES.flatMap((path) =>
    readFileSync(path, 'utf8')
      .split('\n')
      .flatMap((line, index) =>
        Object.entries(PHRASES).flatMap(([phrase, replacement]) =>
          new RegExp(`\\b${phrase}\\b`, 'i').test(line)
            ? [{ at: `${path}:${index + 1}`, word: phrase, replacement }]
            : [],
        ),
      ),
  );

  expect(describe(found)).toEqual([]);
});

/** Matches titles that cannot be understood on their own in a report. */
const INCOMPLETE_TITLE =
  /(?:\b(?:test|it|describe)[\w.]*(?:\([^()\n]*\))?|^\s*[\])}].*\))\((['"`])(of|that|which|who|whose|so) /gm;

test('titles begin with a subject or a verb', () => {
  const found = [...texts].flatMap(([path, text]) =>
    !path.endsWith('.test.ts') && !path.endsWith('.test.tsx')
      ? []
      : [...text.matchAll(INCOMPLETE_TITLE)].map(({ index, 2: word = '' }) => ({
          at: `${path}:${lineAt(text, index)}`,
          word,
          replacement: 'a subject or a verb',
        })),
  );

  expect(describe(found)).toEqual([]);
});

function describe(found: readonly Offender[]): readonly string[] {
  return found.map(({ at, word, replacement }) => `${at}: ${word}; say: ${replacement}`);
}
