import { type ReactNode, useLayoutEffect } from 'react';

/** The container of dialogs, so that they disappear with their page. */
export const KEPT_ID = 'kept';

export interface KeptProps {
  readonly isAway: boolean;
  readonly children: ReactNode;
}

/** Hides the page while the user signs in again, and keeps its state and input. */
export function Kept({ isAway, children }: KeptProps) {
  // Before the sign-in form takes the focus.
  useLayoutEffect(() => {
    if (!isAway) return;
    const { title, activeElement } = document;
    return () => {
      document.title = title;
      // When the page is displayed again.
      requestAnimationFrame(() => activeElement instanceof HTMLElement && activeElement.focus());
    };
  }, [isAway]);
  return (
    <div id={KEPT_ID} className="fw-kept" hidden={isAway}>
      {children}
    </div>
  );
}
