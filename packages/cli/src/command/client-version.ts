import manifest from '../../package.json' with { type: 'json' };

/** Version of this command. */
export const CLIENT_VERSION: string = manifest.version;
