import { keptChoice } from '../text/settings.ts';

export const THEMES = ['light', 'dark'] as const;
export type Theme = (typeof THEMES)[number];

/** The system's while undefined. */
export const chosenTheme = keptChoice<Theme>('fairway.theme', THEMES);
