import { useEffect } from 'react';
import { useText } from '../text/use-text.ts';
import { shellTexts } from './shell/texts.ts';

/** Sets the document's title, which screen readers announce when it changes. */
export function usePageTitle(page: string): void {
  const say = useText(shellTexts);
  useEffect(() => {
    document.title = say('app.title', { page });
  }, [say, page]);
}
