/** What a plan promises although the cloud lacks it. */
export interface Promised {
  /** Path and value: `spec.services.types: LoadBalancer`. */
  readonly what: string;
  readonly problem: string;
  /** For the operator. */
  readonly advice: string;
}
