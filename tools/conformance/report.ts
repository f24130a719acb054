import { z } from 'zod';

/** The relevant part of Ginkgo's JSON report. */
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

/** The result of a test. */
export interface Outcome {
  readonly name: string;
  readonly state: 'passed' | 'failed' | 'skipped';
  readonly seconds: number;
  /** First line of the reason why the test did not pass; '' if it passed. */
  readonly why: string;
}

const MAX_REASON_LENGTH = 160;

/** The focused tests and their results. A failure before any test fails all of them: it is reported as a test named ''. */
export function outcomesOf(text: string): readonly Outcome[] {
  const specs = Report.parse(JSON.parse(text)).flatMap(({ SpecReports }) => SpecReports ?? []);
  return specs.flatMap((spec): Outcome[] => {
    const { LeafNodeType, State, Failure, RunTime } = spec;
    const isTest = LeafNodeType === 'It';
    // Unfocused tests are reported as skipped, without a reason.
    if (isTest ? State === 'skipped' && Failure === undefined : State === 'passed') return [];
    const name = isTest ? [...(spec.ContainerHierarchyTexts ?? []), spec.LeafNodeText].join(' ') : '';
    const state = State === 'passed' || State === 'skipped' ? State : 'failed';
    const why = State === 'timedout' ? 'not done in time' : firstLine(Failure?.Message ?? State);
    return [{ name, state, seconds: RunTime / 1e9, why: state === 'passed' ? '' : why }];
  });
}

/** The message without details that differ between runs: namespaces, addresses in memory, times. */
export function firstLine(message: string): string {
  const [line = ''] = message
    .split('\n')
    .map((each) => each.trim())
    .filter((each) => each !== '' && !/^(Told to stop trying|<\*|Unexpected error:?$)/.test(each));
  const plain = line.replaceAll(/0x[0-9a-f]{6,}/g, '…').replaceAll(/\b([a-z-]+)-\d{2,5}\b/g, '$1');
  return plain.length > MAX_REASON_LENGTH ? `${plain.slice(0, MAX_REASON_LENGTH)}…` : plain;
}
