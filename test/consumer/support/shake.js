/**
 * Run in a consumer: bundles each of its cases/*.js for production, without any configuration that is
 * about us, into bundles/BUNDLER/CASE/.
 *
 *   node shake.js BUNDLER
 */

import { readdir } from 'node:fs/promises';
import resolve from '@rollup/plugin-node-resolve';
import * as esbuild from 'esbuild';
import { rollup } from 'rollup';
import * as vite from 'vite';
import webpack from 'webpack';

const bundlers = {
  vite: (entry, outDir) =>
    vite.build({
      configFile: false,
      logLevel: 'warn',
      build: { outDir, modulePreload: false, rolldownOptions: { input: entry } },
    }),

  webpack: (entry, path) =>
    new Promise((done, failed) =>
      webpack({ mode: 'production', entry, output: { path } }, (error, stats) => {
        if (error || stats.hasErrors() || stats.hasWarnings()) failed(error ?? stats.toString());
        else done();
      }),
    ),

  rollup: async (entry, dir) => {
    const onwarn = ({ message }) => console.error(message);
    const bundle = await rollup({ input: entry, plugins: [resolve()], onwarn });
    await bundle.write({ dir, format: 'es' });
    await bundle.close();
  },

  esbuild: (entry, outdir) =>
    esbuild.build({
      entryPoints: [entry],
      outdir,
      bundle: true,
      format: 'esm',
      minify: true,
      logLevel: 'warning',
    }),
};

const [name] = process.argv.slice(2);
for (const file of await readdir('cases')) {
  await bundlers[name](
    `${process.cwd()}/cases/${file}`,
    `${process.cwd()}/bundles/${name}/${file}`,
  );
}
