import { MenuToggle } from '@patternfly/react-core/dist/esm/components/MenuToggle';
import { Select, SelectGroup, SelectList, SelectOption } from '@patternfly/react-core/dist/esm/components/Select';
import { CogIcon } from '@patternfly/react-icons/dist/esm/icons/cog-icon';
import { useState } from 'react';
import { selectedLanguage, usePersistentChoice } from '../../text/settings.ts';
import { LANGUAGES, type Language } from '../../text/texts.ts';
import { useText } from '../../text/use-text.ts';
import { selectedTheme, THEMES, type Theme } from '../theme-choice.ts';
import { shellTexts } from './texts.ts';

/** Each name in its own language, for users who cannot read the others. */
const LANGUAGE_NAMES: Readonly<Record<Language, string>> = { en: 'English', de: 'Deutsch' };
const AUTO = 'auto';

export function SettingsMenu() {
  const t = useText(shellTexts);
  const theme = usePersistentChoice(selectedTheme) ?? AUTO;
  const language = usePersistentChoice(selectedLanguage) ?? AUTO;
  const [isOpen, setIsOpen] = useState(false);
  return (
    <Select
      isOpen={isOpen}
      onOpenChange={setIsOpen}
      selected={[`theme ${theme}`, `language ${language}`]}
      onSelect={(_event, value) => choose(String(value))}
      popperProps={{ position: 'end' }}
      aria-label={t('settings.menu')}
      toggle={(ref) => (
        <MenuToggle
          ref={ref}
          variant="plain"
          icon={<CogIcon />}
          isExpanded={isOpen}
          onClick={() => setIsOpen(!isOpen)}
          aria-label={t('settings.menu')}
        />
      )}
    >
      <SelectGroup label={t('settings.theme')} labelHeadingLevel="h2">
        <SelectList aria-label={t('settings.theme')}>
          {[AUTO, ...THEMES].map((value) => (
            <SelectOption key={value} value={`theme ${value}`}>
              {t(`settings.theme.${value as 'auto' | Theme}`)}
            </SelectOption>
          ))}
        </SelectList>
      </SelectGroup>
      <SelectGroup label={t('settings.language')} labelHeadingLevel="h2">
        <SelectList aria-label={t('settings.language')}>
          <SelectOption value={`language ${AUTO}`}>{t('settings.language.auto')}</SelectOption>
          {LANGUAGES.map((value) => (
            <SelectOption key={value} value={`language ${value}`} lang={value}>
              {LANGUAGE_NAMES[value]}
            </SelectOption>
          ))}
        </SelectList>
      </SelectGroup>
    </Select>
  );
}

function choose(choice: string): void {
  const [unit, value] = choice.split(' ');
  if (unit === 'theme') selectedTheme.set(THEMES.find((theme) => theme === value));
  else selectedLanguage.set(LANGUAGES.find((language) => language === value));
}
