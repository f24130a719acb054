import { defineConfig, type Plugin } from 'vite';

/** Omits PatternFly's fonts; the console uses system fonts. */
function withoutFonts(): Plugin {
  return {
    name: 'without-typefaces',
    enforce: 'pre',
    transform(code, id) {
      return id.endsWith('.css') ? { code: code.replaceAll(/@font-face\s*\{[^}]*\}/g, ''), map: null } : undefined;
    },
  };
}

/** Relative to the URL at which the gateway serves it. */
export default defineConfig({
  root: import.meta.dirname,
  base: '/console/',
  logLevel: 'warn',
  plugins: [withoutFonts()],
  build: {
    outDir: 'dist',
    emptyOutDir: true,
    manifest: 'manifest.json',
    target: 'es2023',
    // A data: URL would need its own source in the content security policy.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
  },
});
