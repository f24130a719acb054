import { globSync } from 'node:fs';
import { join } from 'node:path';
import { anchorOf } from './anchors.ts';
import { linkPages, sitePath } from './links.ts';
import { navigation } from './navigation.ts';
import { PAGES, ROOT } from './pages.ts';

const otherMarkdown = globSync('**/*.md', { cwd: ROOT, exclude: ['**/node_modules'] }).filter(
  (path) => !PAGES.includes(path),
);

/** Long field paths would leave no space for descriptions. */
const STYLE = '.vp-doc td code { overflow-wrap: anywhere } .vp-doc td:first-child:not(:only-child) { min-width: 9em }';

/** The documentation site: `npm run docs`. */
export const site = {
  title: 'Fairway',
  description: 'Managed Kubernetes for OpenStack clouds',
  srcDir: ROOT,
  srcExclude: ['**/node_modules/**', ...otherMarkdown],
  outDir: join(ROOT, 'site'),
  cacheDir: join(ROOT, 'node_modules/.cache/site'),
  rewrites: Object.fromEntries(PAGES.filter((page) => sitePath(page) !== page).map((page) => [page, sitePath(page)])),
  // The default search in srcDir would find other files with the same name.
  additionalConfig: {},
  markdown: {
    anchor: { slugify: anchorOf },
    config: linkPages,
    // Pages must render as on GitHub, where braces do not set attributes and paths do not include snippets.
    attrs: false,
    container: false,
    emoji: false,
    include: false,
    snippet: false,
  },
  head: [['style', {}, STYLE]],
  vite: { publicDir: false },
  themeConfig: {
    search: {
      provider: 'local',
      options: {
        miniSearch: {
          // Search ranks pages for tenants and operators above those about the project itself.
          searchOptions: {
            boostDocument: (id: string) => (/^\/(docs\/decisions|packages|testbed|CHANGELOG)/.test(id) ? 0.2 : 1),
          },
        },
      },
    },
    outline: { level: [2, 3] },
    nav: [
      { text: 'Documentation', link: '/docs/' },
      { text: 'Commands', link: '/docs/cli' },
      { text: 'Changes', link: '/CHANGELOG' },
    ],
    sidebar: navigation().map(({ text, items }) => ({
      text,
      collapsed: true,
      items: items.map((item) => ({ text: item.text, link: `/${sitePath(item.page)}` })),
    })),
  },
};
