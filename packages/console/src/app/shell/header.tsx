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
import { Link } from 'wouter';
import { useText } from '../../text/use-text.ts';
import { ProjectSwitcher } from './project-switcher.tsx';
import { SettingsMenu } from './settings-menu.tsx';
import { shellTexts } from './texts.ts';
import { UserMenu } from './user-menu.tsx';

export function Header() {
  const say = useText(shellTexts);
  return (
    <Masthead>
      <MastheadMain>
        <MastheadToggle>
          <PageToggleButton variant="plain" isHamburgerButton aria-label={say('nav.toggle')} />
        </MastheadToggle>
        <MastheadBrand>
          <MastheadLogo component={(props) => <Link {...props} href="/" className="fw-brand" />}>
            <img src="/console/icon.svg" alt="" width={28} height={28} />
            <span>{say('app.name')}</span>
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
