import type { DryRunResult } from './dry-run.ts';

type Problems = DryRunResult['problems'];

/** Problems with a field and its children: `spec.apiServer.allowedCIDRs` includes those of `…allowedCIDRs[2]`. */
export function problemsAt(problems: Problems | undefined, ...paths: readonly string[]): readonly string[] {
  return [...(problems ?? [])].flatMap(([field, messages]) =>
    paths.some((path) => isIn(field, path)) ? messages : [],
  );
}

/** Problems with fields that are not displayed. */
export function problemsElsewhere(
  problems: Problems | undefined,
  shown: readonly string[],
): readonly { readonly field: string; readonly message: string }[] {
  return [...(problems ?? [])].flatMap(([field, messages]) =>
    shown.some((path) => isIn(field, path)) ? [] : messages.map((each) => ({ field, message: each })),
  );
}

/** Warnings begin with the field that they concern. */
export function warningsAt(warnings: readonly string[] | undefined, ...paths: readonly string[]): readonly string[] {
  return (warnings ?? [])
    .filter((text) => paths.some((path) => isIn(fieldOf(text), path)))
    .map((text) => text.slice(text.indexOf(': ') + 2));
}

export function warningsElsewhere(
  warnings: readonly string[] | undefined,
  shown: readonly string[],
): readonly string[] {
  return (warnings ?? []).filter((text) => !shown.some((path) => isIn(fieldOf(text), path)));
}

/** `spec.flavor (b3-8): …` is about spec.flavor. */
function fieldOf(warning: string): string {
  return /^(spec|metadata)[^\s:]*/.exec(warning)?.[0] ?? '';
}

function isIn(field: string, path: string): boolean {
  return field === path || field.startsWith(`${path}.`) || field.startsWith(`${path}[`);
}
