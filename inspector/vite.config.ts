/** How the inspector is built, and served while one works on it (`npx vite inspector`, with a service on port 8787). */

import { resolve } from 'node:path';
import { defineConfig } from 'vite';

const SERVICE = process.env['LAMINA_URL'] ?? 'http://127.0.0.1:8787';

export default defineConfig({
  root: import.meta.dirname,
  oxc: { jsx: { runtime: 'automatic', importSource: 'preact' } },
  build: {
    outDir: resolve(import.meta.dirname, '../dist/inspector'),
    emptyOutDir: true,
    target: 'es2023',
    // Images and fonts as `data:` would need a hole in the Content-Security-Policy.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    rolldownOptions: {
      treeshake: {
        // The package says that nothing of it happens at import time; what is in here may.
        moduleSideEffects: (id) => (id.startsWith(import.meta.dirname) ? true : undefined),
      },
    },
  },
  server: { proxy: { '/v1': SERVICE, '/health': SERVICE, '/metrics': SERVICE } },
});
