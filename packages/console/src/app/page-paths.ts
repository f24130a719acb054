import { createContext, useContext } from 'react';
import type { PageEntry } from './pages.ts';

/** Patterns of all pages' paths, for who links to pages. */
export const PagePaths = createContext<readonly PageEntry['path'][]>([]);

/** Whether there is a page of this pattern: what leads nowhere is not offered. */
export function useHasPage(pattern: string): boolean {
  return useContext(PagePaths).includes(pattern);
}
