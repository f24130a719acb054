import {
  Masthead,
  MastheadBrand,
  MastheadContent,
  MastheadLogo,
  MastheadMain,
  MastheadToggle,
} from '@patternfly/react-core/dist/esm/components/Masthead';
import { PageToggleButton } from '@patternfly/react-core/dist/esm/components/Page';
import { Toolbar, ToolbarContent, ToolbarGroup, ToolbarItem } from '@patternfly/react-core/dist/esm/components/Toolbar';
import { Link, useLocation } from 'wouter';
import { useText } from '../../text/use-text.ts';
import { documentationOf } from '../documentation.ts';
import { DocumentationLink } from '../documentation-link.tsx';
import { ProjectSwitcher } from './project-switcher.tsx';
import { SettingsMenu } from './settings-menu.tsx';
import { shellTexts } from './texts.ts';
import { UserMenu } from './user-menu.tsx';

export function Header() {
  const t = useText(shellTexts);
  const [location] = useLocation();
  return (
    <Masthead>
      <MastheadMain>
        <MastheadToggle>
          <PageToggleButton variant="plain" isHamburgerButton aria-label={t('nav.toggle')} />
        </MastheadToggle>
        <MastheadBrand>
          <MastheadLogo
            component={(props) => <Link {...props} href="/" className="fw-brand" aria-label={t('app.name')} />}
          >
            <img src="/console/icon.svg" alt="" width={28} height={28} />
            <span className="fw-wide">{t('app.name')}</span>
          </MastheadLogo>
        </MastheadBrand>
      </MastheadMain>
      <MastheadContent>
        <Toolbar isStatic>
          <ToolbarContent>
            <ToolbarItem alignSelf="center">
              <ProjectSwitcher />
            </ToolbarItem>
            <ToolbarGroup align={{ default: 'alignEnd' }}>
              <ToolbarItem alignSelf="center">
                <DocumentationLink page={documentationOf(location)} />
              </ToolbarItem>
              <ToolbarItem>
                <SettingsMenu />
              </ToolbarItem>
              <ToolbarItem>
                <UserMenu />
              </ToolbarItem>
            </ToolbarGroup>
          </ToolbarContent>
        </Toolbar>
      </MastheadContent>
    </Masthead>
  );
}
