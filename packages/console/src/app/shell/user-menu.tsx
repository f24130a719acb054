import { Dropdown, DropdownItem, DropdownList } from '@patternfly/react-core/dist/esm/components/Dropdown';
import { MenuToggle } from '@patternfly/react-core/dist/esm/components/MenuToggle';
import { UserIcon } from '@patternfly/react-icons/dist/esm/icons/user-icon';
import { useState } from 'react';
import { signOut, useSession } from '../../session/session.ts';
import { plainName } from '../../text/plain.ts';
import { useLocale } from '../../text/settings.ts';
import { fullTime } from '../../text/time.ts';
import { useText } from '../../text/use-text.ts';
import { shellTexts } from './texts.ts';

export function UserMenu() {
  const t = useText(shellTexts);
  const locale = useLocale();
  const { user, expiresAt } = useSession();
  const [isOpen, setIsOpen] = useState(false);
  return (
    <Dropdown
      isOpen={isOpen}
      onOpenChange={setIsOpen}
      onSelect={() => setIsOpen(false)}
      popperProps={{ position: 'end' }}
      toggle={(ref) => (
        <MenuToggle
          ref={ref}
          variant="plainText"
          icon={<UserIcon />}
          isExpanded={isOpen}
          onClick={() => setIsOpen(!isOpen)}
          aria-label={t('user.menu', { user })}
          title={plainName(user)}
        >
          <span className="fw-wide">{plainName(user)}</span>
        </MenuToggle>
      )}
    >
      <DropdownList>
        <DropdownItem
          key="out"
          description={expiresAt && t('user.until', { time: fullTime(expiresAt, locale) })}
          onClick={() => void signOut()}
        >
          {t('user.signOut')}
        </DropdownItem>
      </DropdownList>
    </Dropdown>
  );
}
