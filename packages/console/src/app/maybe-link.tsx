import type { ReactNode } from 'react';
import { Link } from 'wouter';
import { useHasPage } from './page-paths.ts';

export interface MaybeLinkProps {
  /** Pattern of the page. */
  readonly page: string;
  readonly href: string;
  readonly className?: string;
  readonly children: ReactNode;
}

/** Leads to a page, if there is one. */
export function MaybeLink({ page, href, children, className }: MaybeLinkProps) {
  if (!useHasPage(page)) return <span className={className}>{children}</span>;
  return (
    <Link href={href} className={className}>
      {children}
    </Link>
  );
}
