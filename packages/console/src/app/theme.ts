import { selectedTheme, type Theme } from './theme-choice.ts';

const DARK_CLASS = 'pf-v6-theme-dark';

/** Applies the selected theme, or the system's, now and whenever it changes. */
export function followTheme(page: HTMLElement = document.documentElement): void {
  const darkModeQuery = matchMedia('(prefers-color-scheme: dark)');
  const show = () => page.classList.toggle(DARK_CLASS, isDark(selectedTheme.get(), darkModeQuery.matches));
  darkModeQuery.addEventListener('change', show);
  selectedTheme.subscribe(show);
  show();
}

export function isDark(chosen: Theme | undefined, isSystemDark: boolean): boolean {
  return chosen === undefined ? isSystemDark : chosen === 'dark';
}
