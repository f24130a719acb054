import { Spinner } from '@patternfly/react-core/dist/esm/components/Spinner';
import { type ComponentType, lazy, Suspense } from 'react';
import { Route, Switch, useLocation } from 'wouter';
import { useSession } from '../../session/session.ts';
import { useText } from '../../text/use-text.ts';
import { ErrorBoundary } from '../error-boundary.tsx';
import { PagePaths } from '../page-paths.ts';
import { PAGES, type PageProps } from '../pages.ts';
import { NotFound } from './not-found.tsx';
import { shellTexts } from './texts.ts';

const ROUTES = PAGES.map(({ path, load }): { path: string; Page: ComponentType<PageProps> } => ({
  path,
  Page: lazy(async () => ({ default: (await load()).Page })),
}));

const PATHS = PAGES.map(({ path }) => path);

/** The page at the current address. Switching projects remounts it, and so does navigation after an error. */
export function CurrentPage() {
  const t = useText(shellTexts);
  const [location] = useLocation();
  const { project } = useSession();
  return (
    <ErrorBoundary key={`${project?.id} ${location}`}>
      <PagePaths value={PATHS}>
        <Suspense fallback={<Spinner className="fw-page-spinner" aria-label={t('loading')} />}>
          <Switch>
            {ROUTES.map(({ path, Page }) => (
              <Route key={path} path={path}>
                {(params) => <Page params={params} />}
              </Route>
            ))}
            <Route>
              <NotFound />
            </Route>
          </Switch>
        </Suspense>
      </PagePaths>
    </ErrorBoundary>
  );
}
