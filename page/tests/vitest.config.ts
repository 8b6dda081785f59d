import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';

export default defineConfig({
  root: fileURLToPath(new URL('.', import.meta.url)),
  test: {
    include: ['*.test.ts'],
    testTimeout: 120_000,
    hookTimeout: 120_000,
    // One daemon and one browser at a time: the machine is small.
    fileParallelism: false,
  },
});
