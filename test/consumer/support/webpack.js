/**
 * webpack's command line is a package of its own; this is what of it the tests need. In a consumer:
 *
 *   node webpack.js MODE     builds; prints each error and warning
 */

import { createRequire } from 'node:module';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

const context = process.cwd();
const webpack = createRequire(join(context, 'package.json'))('webpack');
const { default: config } = await import(pathToFileURL(join(context, 'webpack.config.js')).href);

webpack({ context, mode: process.argv[2], ...config }, (error, stats) => {
  if (error) throw error;
  const { errors, warnings } = stats.toJson({ all: false, errors: true, warnings: true });
  for (const { message } of [...errors, ...warnings]) console.error(message);
});
