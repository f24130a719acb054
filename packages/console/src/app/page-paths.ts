import { createContext, useContext } from 'react';
import type { PagePattern } from './page-patterns.ts';

/** Path patterns of all pages, for components that link to them. */
export const PagePaths = createContext<readonly PagePattern[]>([]);

/** Whether a page with this pattern exists; links to missing pages are not displayed. */
export function useHasPage(pattern: PagePattern): boolean {
  return useContext(PagePaths).includes(pattern);
}
