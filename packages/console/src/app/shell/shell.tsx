import { Page } from '@patternfly/react-core/dist/esm/components/Page';
import { SkipToContent } from '@patternfly/react-core/dist/esm/components/SkipToContent';
import { useText } from '../../text/use-text.ts';
import { ConnectionBanner } from './connection-banner.tsx';
import { CurrentPage } from './current-page.tsx';
import { Header } from './header.tsx';
import { SessionNotice } from './session-notice.tsx';
import { Sidebar } from './sidebar.tsx';
import { shellTexts } from './texts.ts';

const CONTENT_ID = 'content';

/** The header, sidebar and banners around all pages. */
export function Shell() {
  const t = useText(shellTexts);
  return (
    <Page
      masthead={<Header />}
      sidebar={<Sidebar />}
      isManagedSidebar
      mainContainerId={CONTENT_ID}
      mainTabIndex={0}
      skipToContent={<SkipToContent href={`#${CONTENT_ID}`}>{t('skip')}</SkipToContent>}
      banner={
        <>
          <ConnectionBanner />
          <SessionNotice />
        </>
      }
    >
      <CurrentPage />
    </Page>
  );
}
