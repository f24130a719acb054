import { Nav, NavGroup, NavItem } from '@patternfly/react-core/dist/esm/components/Nav';
import { PageSidebar, PageSidebarBody } from '@patternfly/react-core/dist/esm/components/Page';
import { Link, useLocation } from 'wouter';
import { useText } from '../../text/use-text.ts';
import { useIsOperator } from '../access.ts';
import { PAGES } from '../pages.ts';
import { shellTexts } from './texts.ts';

const SECTIONS = (['project', 'operator'] as const).map((section) => ({
  section,
  entries: PAGES.flatMap(({ path, nav }) => (nav?.section === section ? [{ path, text: nav.text }] : [])),
}));

export function Sidebar() {
  const t = useText(shellTexts);
  const [location] = useLocation();
  const isOperator = useIsOperator();
  return (
    <PageSidebar>
      <PageSidebarBody>
        <Nav aria-label={t('nav.label')}>
          {SECTIONS.filter(({ section, entries }) => entries.length > 0 && (section === 'project' || isOperator)).map(
            ({ section, entries }) => (
              <NavGroup key={section} title={t(`nav.section.${section}`)}>
                {entries.map(({ path, text }) => {
                  const isActive = path === '/' ? isClustersPath(location) : location.startsWith(path);
                  return (
                    <NavItem key={path} isActive={isActive}>
                      <Link
                        href={path}
                        aria-current={isActive ? 'page' : undefined}
                        className={`pf-v6-c-nav__link${isActive ? ' pf-m-current' : ''}`}
                      >
                        {t(text)}
                      </Link>
                    </NavItem>
                  );
                })}
              </NavGroup>
            ),
          )}
        </Nav>
      </PageSidebarBody>
    </PageSidebar>
  );
}

/** Whether the address belongs to the navigation entry of the cluster list, as a cluster's pages do. */
function isClustersPath(location: string): boolean {
  return location === '/' || location.startsWith('/clusters');
}
