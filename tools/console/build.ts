import { existsSync } from 'node:fs';
import { join } from 'node:path';

// Builds the console, which the gateway serves: npm run build:console, and after npm ci. With --if-missing, an existing
// build is kept.
const root = join(import.meta.dirname, '../..');
const isPossible = existsSync(join(root, 'node_modules/vite')) && existsSync(join(root, 'packages/console/index.html'));
if (isPossible) {
  // Vite would otherwise build React in development mode when a test packs this checkout.
  process.env['NODE_ENV'] = 'production';
  const { buildConsole } = await import('./build-console.ts');
  const { files, scriptBytes } = await buildConsole(join(root, 'packages/console'));
  process.stdout.write(
    `console: ${files} files, ${Math.round(scriptBytes / 1024)} KiB of script before the first view\n`,
  );
} else {
  process.stdout.write(
    'console: not built, as its tools are not installed (npm ci without --omit=dev installs them)\n',
  );
}
