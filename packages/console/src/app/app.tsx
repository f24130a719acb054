import { Spinner } from '@patternfly/react-core/dist/esm/components/Spinner';
import { lazy, Suspense, useEffect } from 'react';
import { Router } from 'wouter';
import type { Failure } from '../api/failure.ts';
import { useSessionState } from '../session/session.ts';
import { useLanguage } from '../text/settings.ts';
import { useText } from '../text/use-text.ts';
import { ErrorBoundary } from './error-boundary.tsx';
import { Kept } from './kept.tsx';
import { shellTexts } from './shell/texts.ts';

const Shell = lazy(async () => ({ default: (await import('./shell/shell.tsx')).Shell }));
const SignIn = lazy(async () => ({ default: (await import('../pages/sign-in/page.tsx')).SignInPage }));

/** The console: the session, then the address, decides what is displayed. */
export function App() {
  const session = useSessionState();
  const language = useLanguage();
  useEffect(() => {
    document.documentElement.lang = language;
  }, [language]);
  return (
    <ErrorBoundary>
      <Router base="/console">
        <Suspense fallback={<Waiting />}>
          {session.state === 'asking' && <Waiting failure={session.failure} />}
          {session.state === 'signedOut' && (
            <SignIn options={session.options} notice={session.hasLeft ? 'left' : undefined} failure={session.failure} />
          )}
          {session.state === 'signedIn' && (
            <>
              {session.again !== undefined && (
                <Suspense fallback={<Waiting />}>
                  <SignIn
                    options={session.again.options}
                    notice={session.again.hasEnded ? 'ended' : 'early'}
                    session={session.session}
                  />
                </Suspense>
              )}
              <Kept key={session.session.username} isAway={session.again !== undefined}>
                <Shell />
              </Kept>
            </>
          )}
        </Suspense>
      </Router>
    </ErrorBoundary>
  );
}

function Waiting({ failure }: { readonly failure?: Failure | undefined }) {
  const say = useText(shellTexts);
  return (
    <main className="fw-waiting">
      <Spinner aria-label={say('loading')} />
      {failure !== undefined && (
        <div role="status">
          <p>{say('failure.body')}</p>
          <p className="fw-quiet">{say('failure.said', { message: failure.message })}</p>
        </div>
      )}
    </main>
  );
}
