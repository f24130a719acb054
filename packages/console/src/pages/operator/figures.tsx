import type { ReactNode } from 'react';

export interface Figure {
  readonly label: string;
  readonly value: ReactNode;
  /** The number of objects that need attention, if any. */
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
