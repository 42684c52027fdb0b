/** The versions of Node that the package is tested on, fetched where they are not there. */

import { thisMachine } from '../../tools/machine.js';
import { installNodes, supportedVersions } from '../../tools/node-versions.js';

const programs = await installNodes({ log: console.log, machine: thisMachine() });

/** [version, program] @type {[string, string][]} */
export const nodes = programs.map((program, i) => [supportedVersions[i], program]);
