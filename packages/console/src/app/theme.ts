import { chosenTheme, type Theme } from './theme-choice.ts';

const DARK_CLASS = 'pf-v6-theme-dark';

/** Shows the chosen theme, or the system's, from now on. */
export function followTheme(page: HTMLElement = document.documentElement): void {
  const system = matchMedia('(prefers-color-scheme: dark)');
  const show = () => page.classList.toggle(DARK_CLASS, isDark(chosenTheme.get(), system.matches));
  system.addEventListener('change', show);
  chosenTheme.subscribe(show);
  show();
}

export function isDark(chosen: Theme | undefined, isSystemDark: boolean): boolean {
  return chosen === undefined ? isSystemDark : chosen === 'dark';
}
