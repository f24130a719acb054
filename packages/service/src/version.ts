import manifest from '../package.json' with { type: 'json' };

/** Version of this Fairway. */
export const FAIRWAY_VERSION: string = manifest.version;
