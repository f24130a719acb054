/** Where the audit log goes; kube-apiserver's options of the same names. */
export interface AuditSettings {
  /** `-` for standard output. */
  readonly path: string;
  /** Of a file, in megabytes. */
  readonly maxSizeMB: number;
  /** How many full files are kept. */
  readonly maxBackups: number;
}

export const DEFAULT_AUDIT = { maxSizeMB: 100, maxBackups: 10 } as const;
