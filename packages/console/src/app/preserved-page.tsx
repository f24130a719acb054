import { type ReactNode, useLayoutEffect } from 'react';

/** The container for dialogs, so that they disappear with their page. */
export const PAGE_CONTAINER_ID = 'kept';

export interface PreservedPageProps {
  readonly isHidden: boolean;
  readonly children: ReactNode;
}

/** Hides the page while the user signs in again, and keeps its state and input. */
export function PreservedPage({ isHidden, children }: PreservedPageProps) {
  // This must happen before the sign-in form takes the focus.
  useLayoutEffect(() => {
    if (!isHidden) return;
    const { title, activeElement } = document;
    return () => {
      document.title = title;
      // This must happen when the page is displayed again.
      requestAnimationFrame(() => activeElement instanceof HTMLElement && activeElement.focus());
    };
  }, [isHidden]);
  return (
    <div id={PAGE_CONTAINER_ID} className="fw-kept" hidden={isHidden}>
      {children}
    </div>
  );
}
