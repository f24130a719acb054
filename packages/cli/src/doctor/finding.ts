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
