import type { ReactNode } from 'react';

export interface Figure {
  readonly label: string;
  readonly value: ReactNode;
  /** What needs somebody, where it is not all right. */
  readonly isBad?: boolean;
}

/** A few numbers at a glance. */
export function Figures({ figures }: { readonly figures: readonly Figure[] }) {
  return (
    <dl className="fw-op-figures">
      {figures.map(({ label, value, isBad = false }) => (
        <div key={label}>
          <dt>{label}</dt>
          <dd className={isBad ? 'fw-op-bad' : undefined}>{value}</dd>
        </div>
      ))}
    </dl>
  );
}
