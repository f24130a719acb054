/** Where the audit log is written; the fields match kube-apiserver's options. */
export interface AuditSettings {
  /** `-` for standard output. */
  readonly path: string;
  /** Maximum size of a file, in megabytes. */
  readonly maxSizeMB: number;
  /** Number of rotated files to keep. */
  readonly maxBackups: number;
}

export const DEFAULT_AUDIT = { maxSizeMB: 100, maxBackups: 10 } as const;
