/** What a page knows of where it runs. Where it does not know, it says so. */

import about from 'built:about';
import { clockStep } from '../../bench/harness/measure.js';
import { engineOf, systemOf } from './engine.js';

/** @import { Context } from '../../bench/harness/results.js' */

/** @typedef {Pick<Context, 'commit' | 'build' | 'packages'>} About the page as it was built */

/**
 * @typedef {object} Environment
 * @property {string} engine as results name it
 * @property {Context} context
 */

/** @returns {Promise<Environment>} */
export async function environmentOf() {
  const { userAgent, hardwareConcurrency } = navigator;
  const data = await /** @type {any} */ (navigator).userAgentData
    ?.getHighEntropyValues(['fullVersionList', 'platformVersion', 'architecture'])
    .catch(() => undefined);
  return {
    engine: engineOf(userAgent, data),
    context: {
      cpu: 'unknown',
      cores: hardwareConcurrency || 1,
      system: systemOf(userAgent, data),
      ...about,
      isolated: globalThis.crossOriginIsolated === true,
      clockStep: Math.round(clockStep(() => performance.now(), 5) * 1e6),
    },
  };
}
