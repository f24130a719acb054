import type { CliContext } from '../command/context.ts';
import { explainError } from '../command/explain-error.ts';
import { configurationProblems } from '../configuration/check.ts';
import { configurationFile, writtenValues } from '../configuration/effective.ts';
import { type Finding, ok, problem } from './finding.ts';

const CHECK = 'configuration';

/** What "fairway config check" says of the file in FAIRWAY_CONFIG and of the files that it names; nothing without one. */
export async function configurationFindings(context: CliContext): Promise<Finding[]> {
  const file = configurationFile(context);
  if (file === undefined) return [];
  try {
    const problems = await configurationProblems(writtenValues(context, file), context);
    return problems.length === 0
      ? [ok(CHECK, file)]
      : problems.map((detail) => problem(CHECK, detail, 'correct it, and run "fairway config check"'));
  } catch (error) {
    const { message, advice } = explainError(error);
    return [problem(CHECK, message, advice)];
  }
}
