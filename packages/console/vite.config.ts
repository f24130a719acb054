import { defineConfig, type Plugin } from 'vite';

/** PatternFly brings its vendor's typefaces; the console has those of the reader's system. */
function withoutTypefaces(): Plugin {
  return {
    name: 'without-typefaces',
    enforce: 'pre',
    transform(code, id) {
      return id.endsWith('.css') ? { code: code.replaceAll(/@font-face\s*\{[^}]*\}/g, ''), map: null } : undefined;
    },
  };
}

/** Relative to the address at which the gateway serves it. */
export default defineConfig({
  root: import.meta.dirname,
  base: '/console/',
  logLevel: 'warn',
  plugins: [withoutTypefaces()],
  build: {
    outDir: 'dist',
    emptyOutDir: true,
    manifest: 'manifest.json',
    target: 'es2023',
    // A data: URL would need a source of its own in the content security policy.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
  },
});
