/** What this page can run. */

import made from 'built:catalogue';

/** @import { Catalogue } from './variants.js' */

/** @type {Catalogue} */
export const catalogue = made;
