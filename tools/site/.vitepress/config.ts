// oxlint-disable-next-line import/no-default-export -- VitePress asks for it.
export { site as default } from '../config.ts';
