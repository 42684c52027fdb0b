/**
 * A file of this package, in Node and in pages alike.
 * @param {URL} url
 * @returns {Promise<ArrayBuffer | Uint8Array<ArrayBuffer>>}
 */
export async function read(url) {
  if (url.protocol === 'file:') {
    const { readFile } = await import('node:fs/promises');
    return readFile(url);
  }
  const response = await fetch(url);
  if (!response.ok) throw new Error(`${url.href}: ${response.status} ${response.statusText}`);
  return response.arrayBuffer();
}
