/** A Prometheus alert; its runbook is the section of docs/operators/runbooks.md with its name. */
export interface Alert {
  /** `FairwayDown`. */
  readonly name: string;
  /** PromQL. */
  readonly expr: string;
  /** How long the expression must have been true before the alert fires, such as `5m`. */
  readonly for: string;
  /** Critical: tenants are affected, act now. Warning: act today. Info: act when there is time. */
  readonly severity: 'critical' | 'warning' | 'info';
  readonly summary: string;
  /** May contain the value as a template. */
  readonly description: string;
}
