import { env } from 'node:process';
import { defineConfig } from 'vite';

const daemon = `http://${env['HARK_DAEMON'] ?? '127.0.0.1:8765'}`;

export default defineConfig({
  // Relative addresses: the page may lie under a prefix.
  base: './',
  build: {
    target: 'es2022',
    modulePreload: false,
    cssCodeSplit: false,
    assetsInlineLimit: 0,
    rollupOptions: {
      input: { page: 'index.html', microphone: 'src/microphone.worklet.ts' },
      // Names without hashes: the daemon embeds these files by name.
      output: { entryFileNames: '[name].js', chunkFileNames: '[name].js', assetFileNames: 'page[extname]' },
    },
  },
  // `Host` stays as it is: the daemon compares it with `Origin`.
  server: { host: '127.0.0.1', proxy: { '/api': daemon, '/ws': { target: daemon, ws: true } } },
});
