/** An alert, as Prometheus has it; its runbook is the section of docs/operators/runbooks.md with its name. */
export interface Alert {
  /** `FairwayDown`. */
  readonly name: string;
  /** PromQL. */
  readonly expr: string;
  /** How long it has to hold: `5m`. */
  readonly for: string;
  /** Critical: tenants notice, somebody has to act now. Warning: today. Info: when there is time. */
  readonly severity: 'critical' | 'warning' | 'info';
  readonly summary: string;
  /** With the value. */
  readonly description: string;
}
