import { useEffect } from 'react';
import { useText } from '../text/use-text.ts';
import { shellTexts } from './shell/texts.ts';

/** Sets the document's title, which screen readers announce when it changes. */
export function usePageTitle(page: string): void {
  const t = useText(shellTexts);
  useEffect(() => {
    document.title = t('app.title', { page });
  }, [t, page]);
}
