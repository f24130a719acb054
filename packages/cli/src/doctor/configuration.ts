import type { CliContext } from '../command/context.ts';
import { explainError } from '../command/explain-error.ts';
import { configurationProblems } from '../configuration/check.ts';
import { configurationFile, configuredValues } from '../configuration/effective.ts';
import { type Finding, ok, problem } from './finding.ts';

const CHECK = 'configuration';

/**
 * The findings of "fairway config check" on the file in FAIRWAY_CONFIG and the files that it refers to; empty if
 * FAIRWAY_CONFIG is not set.
 */
export async function configurationFindings(context: CliContext): Promise<Finding[]> {
  const file = configurationFile(context);
  if (file === undefined) return [];
  try {
    const problems = await configurationProblems(configuredValues(context, file), context);
    return problems.length === 0
      ? [ok(CHECK, file)]
      : problems.map((detail) => problem(CHECK, detail, 'correct it, and run "fairway config check"'));
  } catch (error) {
    const { message, advice } = explainError(error);
    return [problem(CHECK, message, advice)];
  }
}
