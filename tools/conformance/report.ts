import { z } from 'zod';

/** Ginkgo's JSON report, as far as it is read. */
const Report = z.array(
  z.object({
    SpecReports: z
      .array(
        z.object({
          ContainerHierarchyTexts: z.array(z.string()).nullable(),
          LeafNodeType: z.string(),
          LeafNodeText: z.string(),
          State: z.string(),
          RunTime: z.number(),
          Failure: z.object({ Message: z.string() }).optional(),
        }),
      )
      .nullable(),
  }),
);

/** How a test ended. */
export interface Outcome {
  readonly name: string;
  readonly state: 'passed' | 'failed' | 'skipped';
  readonly seconds: number;
  /** First line of why it did not pass; '' if it did. */
  readonly why: string;
}

const MAX_WHY = 160;

/** The tests that a focus chose, and how they ended. What fails before any test, fails them all: a test by the name of ''. */
export function outcomesOf(text: string): readonly Outcome[] {
  const specs = Report.parse(JSON.parse(text)).flatMap(({ SpecReports }) => SpecReports ?? []);
  return specs.flatMap((spec): Outcome[] => {
    const { LeafNodeType, State, Failure, RunTime } = spec;
    const isTest = LeafNodeType === 'It';
    // What the focus left out is reported as skipped, without a reason.
    if (isTest ? State === 'skipped' && Failure === undefined : State === 'passed') return [];
    const name = isTest ? [...(spec.ContainerHierarchyTexts ?? []), spec.LeafNodeText].join(' ') : '';
    const state = State === 'passed' || State === 'skipped' ? State : 'failed';
    const why = State === 'timedout' ? 'not done in time' : firstLine(Failure?.Message ?? State);
    return [{ name, state, seconds: RunTime / 1e9, why: state === 'passed' ? '' : why }];
  });
}

/** Without what differs from run to run: namespaces, addresses in memory, times. */
export function firstLine(message: string): string {
  const [line = ''] = message
    .split('\n')
    .map((each) => each.trim())
    .filter((each) => each !== '' && !/^(Told to stop trying|<\*|Unexpected error:?$)/.test(each));
  const plain = line.replaceAll(/0x[0-9a-f]{6,}/g, '…').replaceAll(/\b([a-z-]+)-\d{2,5}\b/g, '$1');
  return plain.length > MAX_WHY ? `${plain.slice(0, MAX_WHY)}…` : plain;
}
