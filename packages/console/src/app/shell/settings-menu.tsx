import { MenuToggle } from '@patternfly/react-core/dist/esm/components/MenuToggle';
import { Select, SelectGroup, SelectList, SelectOption } from '@patternfly/react-core/dist/esm/components/Select';
import { CogIcon } from '@patternfly/react-icons/dist/esm/icons/cog-icon';
import { useState } from 'react';
import { selectedLanguage, useChoice } from '../../text/settings.ts';
import { LANGUAGES, type Language } from '../../text/texts.ts';
import { useText } from '../../text/use-text.ts';
import { selectedTheme, THEMES, type Theme } from '../theme-choice.ts';
import { shellTexts } from './texts.ts';

/** Each in its own language, for users who cannot read the others. */
const LANGUAGE_NAMES: Readonly<Record<Language, string>> = { en: 'English', de: 'Deutsch' };
const AUTO = 'auto';

export function SettingsMenu() {
  const say = useText(shellTexts);
  const theme = useChoice(selectedTheme) ?? AUTO;
  const language = useChoice(selectedLanguage) ?? AUTO;
  const [isOpen, setIsOpen] = useState(false);
  return (
    <Select
      isOpen={isOpen}
      onOpenChange={setIsOpen}
      selected={[`theme ${theme}`, `language ${language}`]}
      onSelect={(_event, value) => choose(String(value))}
      popperProps={{ position: 'end' }}
      aria-label={say('settings.menu')}
      toggle={(ref) => (
        <MenuToggle
          ref={ref}
          variant="plain"
          icon={<CogIcon />}
          isExpanded={isOpen}
          onClick={() => setIsOpen(!isOpen)}
          aria-label={say('settings.menu')}
        />
      )}
    >
      <SelectGroup label={say('settings.theme')} labelHeadingLevel="h2">
        <SelectList aria-label={say('settings.theme')}>
          {[AUTO, ...THEMES].map((value) => (
            <SelectOption key={value} value={`theme ${value}`}>
              {say(`settings.theme.${value as 'auto' | Theme}`)}
            </SelectOption>
          ))}
        </SelectList>
      </SelectGroup>
      <SelectGroup label={say('settings.language')} labelHeadingLevel="h2">
        <SelectList aria-label={say('settings.language')}>
          <SelectOption value={`language ${AUTO}`}>{say('settings.language.auto')}</SelectOption>
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
  const [what, value] = choice.split(' ');
  if (what === 'theme') selectedTheme.set(THEMES.find((theme) => theme === value));
  else selectedLanguage.set(LANGUAGES.find((language) => language === value));
}
