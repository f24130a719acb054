/**
 * How long watches last in tests where watch restarts and bookmarks every minute would otherwise dominate the idle
 * load.
 */
export const LONG_WATCH_SECONDS = 24 * 3_600;
