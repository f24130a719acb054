import type { ReactNode } from 'react';
import { Link } from 'wouter';
import { useHasPage } from './page-paths.ts';
import type { PagePattern } from './page-patterns.ts';

export interface MaybeLinkProps {
  /** Pattern of the page. */
  readonly page: PagePattern;
  readonly href: string;
  readonly className?: string;
  readonly children: ReactNode;
}

/** A link to a page if the page exists; otherwise only its text. */
export function MaybeLink({ page, href, children, className }: MaybeLinkProps) {
  if (!useHasPage(page)) return <span className={className}>{children}</span>;
  return (
    <Link href={href} className={className}>
      {children}
    </Link>
  );
}
