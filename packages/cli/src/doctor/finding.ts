import { printable } from '../output/printable.ts';

/** The result of one check. */
export interface Finding {
  /** What was checked, in one or two words. */
  readonly check: string;
  readonly status: 'ok' | 'warning' | 'error';
  readonly detail: string;
  /** Advice. */
  readonly advice?: string | undefined;
}

export function ok(check: string, detail: string): Finding {
  return { check, status: 'ok', detail };
}

export function warning(check: string, detail: string, advice?: string): Finding {
  return { check, status: 'warning', detail, advice };
}

export function problem(check: string, detail: string, advice?: string): Finding {
  return { check, status: 'error', detail, advice };
}

const MARKS = { ok: 'ok', warning: 'warning', error: 'ERROR' } as const satisfies Record<Finding['status'], string>;

/** One line per finding, followed by its advice. */
export function renderFindings(findings: readonly Finding[]): string {
  const width = Math.max(...findings.map(({ check }) => check.length));
  return findings
    .map(({ check, status, detail, advice }) => {
      const line = `${MARKS[status].padEnd(8)}${check.padEnd(width)}  ${printable(detail)}\n`;
      return advice === undefined ? line : `${line}${' '.repeat(width + 10)}${advice}\n`;
    })
    .join('');
}
