import { EmptyState, EmptyStateBody } from '@patternfly/react-core/dist/esm/components/EmptyState';
import type { ComponentType, ReactNode } from 'react';

export interface EmptyListProps {
  readonly title: string;
  readonly icon: ComponentType;
  /** What the list would contain. */
  readonly children: ReactNode;
}

/** Replaces an empty list. */
export function EmptyList({ title, icon, children }: EmptyListProps) {
  return (
    <EmptyState titleText={title} icon={icon} headingLevel="h2">
      <EmptyStateBody>{children}</EmptyStateBody>
    </EmptyState>
  );
}
