/** How long watches of tests last, in which watches that end and bookmarks by the minute would be most of what happens at rest. */
export const LONG_WATCH_SECONDS = 24 * 3_600;
