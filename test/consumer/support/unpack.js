import { rm } from 'node:fs/promises';

export default async function unpack() {
  await rm(process.env.SLABRING_CONSUMERS, { recursive: true, force: true });
}
