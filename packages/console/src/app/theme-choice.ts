import { persistentChoice } from '../text/settings.ts';

export const THEMES = ['light', 'dark'] as const;
export type Theme = (typeof THEMES)[number];

/** Undefined: the system's theme. */
export const selectedTheme = persistentChoice<Theme>('fairway.theme', THEMES);
