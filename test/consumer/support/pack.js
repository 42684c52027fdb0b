/** Before all tests: the tarball that would be published. */

import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { checkout } from '../../../tools/machine.js';
import { capture } from '../../../tools/run.js';

export default async function pack() {
  const folder = await mkdtemp(join(tmpdir(), 'slabring-consumers-'));
  const packed = await capture('npm', ['pack', '--silent', '--pack-destination', folder], {
    cwd: checkout,
  });
  process.env.SLABRING_CONSUMERS = folder;
  process.env.SLABRING_TARBALL = join(folder, packed);
}
