import { Spinner } from '@patternfly/react-core/dist/esm/components/Spinner';
import { lazy, Suspense, useEffect } from 'react';
import { Router } from 'wouter';
import type { Failure } from '../api/failure.ts';
import { useSessionState } from '../session/session.ts';
import { useLanguage } from '../text/settings.ts';
import { useText } from '../text/use-text.ts';
import { ErrorBoundary } from './error-boundary.tsx';
import { PreservedPage } from './preserved-page.tsx';
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
        <Suspense fallback={<LoadingPage />}>
          {session.state === 'asking' && <LoadingPage failure={session.failure} />}
          {session.state === 'signedOut' && (
            <SignIn options={session.options} notice={session.hasLeft ? 'left' : undefined} failure={session.failure} />
          )}
          {session.state === 'signedIn' && (
            <>
              {session.reauthentication !== undefined && (
                <Suspense fallback={<LoadingPage />}>
                  <SignIn
                    options={session.reauthentication.options}
                    notice={session.reauthentication.hasEnded ? 'ended' : 'early'}
                    session={session.session}
                  />
                </Suspense>
              )}
              <PreservedPage key={session.session.username} isHidden={session.reauthentication !== undefined}>
                <Shell />
              </PreservedPage>
            </>
          )}
        </Suspense>
      </Router>
    </ErrorBoundary>
  );
}

function LoadingPage({ failure }: { readonly failure?: Failure | undefined }) {
  const t = useText(shellTexts);
  return (
    <main className="fw-waiting">
      <Spinner aria-label={t('loading')} />
      {failure !== undefined && (
        <div role="status">
          <p>{t('failure.body')}</p>
          <p className="fw-quiet">{t('failure.said', { message: failure.message })}</p>
        </div>
      )}
    </main>
  );
}
